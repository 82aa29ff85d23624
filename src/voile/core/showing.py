"""From grouped rows to published tables and their dictionary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from voile import kernels
from voile.core.cells import Cells, code_ranges, node_cells, ranges, sets
from voile.core.certificate import Certificate
from voile.core.describing import describe
from voile.core.listing import Lists
from voile.core.rows import Rows
from voile.core.schema import Column, Columns
from voile.core.shapes.bucketized import Bucketized
from voile.core.shapes.decomposed import Decomposed
from voile.core.shapes.generalized import Generalized
from voile.core.shapes.republished import Republished
from voile.errors import PolicyError, raise_together

UNSIGNED = Certificate("", {}, (), "")


def tight_cells(column: Column, rows: Rows) -> tuple[Cells, np.ndarray]:
    """The smallest cell of each group: the range of its numbers, the set of its categories."""
    if column.kind == "categorical":
        starts, members = rows.members(column.name)
        return set_cells(column, starts, members)
    low, high = rows.extents(column.name)
    domain = column.domain
    if domain.ranged and not domain.missing:
        return _range_cells(column, low, high, np.zeros(len(low), dtype=bool))
    if domain.ranged:
        starts, members = rows.members(column.name)
        return _range_cells(column, *code_ranges(domain, starts, members))
    lengths = high - low + 1
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return set_cells(column, starts, np.arange(starts[-1]) - np.repeat(starts[:-1] - low, lengths))


def _range_cells(column: Column, low: np.ndarray, high: np.ndarray, missing: np.ndarray) -> tuple[Cells, np.ndarray]:
    size = column.size + 1
    ranks, first = kernels.distinct.ranked([low, high + 1, missing.astype(np.int64)], [size, size, 2])
    return ranges(column.domain, low[first], high[first], missing[first]), ranks


def set_cells(column: Column, starts: np.ndarray, members: np.ndarray) -> tuple[Cells, np.ndarray]:
    """Equal sets become one cell; the cells are ordered by their labels."""
    first, cell = kernels.gather.same_sets(starts, members, column.size)
    sizes = np.diff(starts)[first]
    cuts = np.concatenate([[0], np.cumsum(sizes)])
    inside = np.arange(cuts[-1]) - np.repeat(cuts[:-1] - starts[first], sizes)
    cells = sets(column.domain, cuts, members[inside], column.hierarchy)
    return _in_label_order(cells, cell)


def _in_label_order(cells: Cells, cell: np.ndarray) -> tuple[Cells, np.ndarray]:
    """Sort the cells by what a reader sees, so that published order is a function of what is published."""
    order = cells.labels.arg_sort().to_numpy()
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    assert cells.starts is not None and cells.members is not None
    sizes = np.diff(cells.starts)[order]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    inside = np.arange(starts[-1]) - np.repeat(starts[:-1] - cells.starts[:-1][order], sizes)
    return Cells(cells.domain, cells.labels.gather(order), starts=starts, members=cells.members[inside]), rank[cell]


def level_cells(column: Column, level: int, rows: Rows) -> tuple[Cells, np.ndarray]:
    """The cell of each group at one level of the hierarchy (all its rows have one node there)."""
    assert column.hierarchy is not None
    low, _ = rows.extents(column.name)
    cells = node_cells(column.domain, column.hierarchy, level)
    return _used(cells, column.hierarchy.maps[level][low])


def ancestor_cells(column: Column, rows: Rows) -> tuple[Cells, np.ndarray]:
    """The lowest node of the hierarchy above all values of each group."""
    assert column.hierarchy is not None
    starts, members = rows.members(column.name)
    open_groups = np.ones(len(starts) - 1, dtype=bool)
    offset, node = 0, np.zeros(len(starts) - 1, dtype=np.int64)
    parts: list[Cells] = []
    for level in range(column.hierarchy.height + 1):
        nodes = column.hierarchy.maps[level][members]
        alike = np.maximum.reduceat(nodes, starts[:-1]) == np.minimum.reduceat(nodes, starts[:-1])
        now = open_groups & alike
        node[now] = offset + nodes[starts[:-1]][now]
        open_groups &= ~alike
        parts.append(node_cells(column.domain, column.hierarchy, level))
        offset += len(parts[-1])
    return _used(_joined(parts), node)


def _joined(parts: Sequence[Cells]) -> Cells:
    labels = pl.concat([part.labels for part in parts])
    domain = parts[0].domain
    if domain.ranged:
        ends = [np.concatenate([getattr(part, end) for part in parts]) for end in ("low", "high", "missing")]
        return Cells(domain, labels, *ends)
    members = np.concatenate([part.members for part in parts if part.members is not None])
    sizes = np.concatenate([part.sizes for part in parts])
    return Cells(domain, labels, starts=np.concatenate([[0], np.cumsum(sizes)]), members=members)


def _used(cells: Cells, cell: np.ndarray) -> tuple[Cells, np.ndarray]:
    """Only the cells that occur; cells with one label are one cell."""
    first: dict[str, int] = {}
    same = np.array([first.setdefault(label, number) for number, label in enumerate(cells.labels)])
    used, inverse = np.unique(same[cell], return_inverse=True)
    labels = cells.labels.gather(used)
    if cells.low is not None and cells.high is not None and cells.missing is not None:
        return Cells(cells.domain, labels, cells.low[used], cells.high[used], cells.missing[used]), inverse
    assert cells.starts is not None and cells.members is not None
    sizes = np.diff(cells.starts)[used]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    inside = np.arange(starts[-1]) - np.repeat(starts[:-1] - cells.starts[:-1][used], sizes)
    return Cells(cells.domain, labels, starts=starts, members=cells.members[inside]), inverse


def generalized(columns: Columns, rows: Rows, shown: Mapping[str, tuple[Cells, np.ndarray]]) -> Generalized:
    """The table of boxes: groups with equal cells become one; rows are ordered by what is published."""
    names = [column.name for column in columns.quasi]
    sizes = [max(len(shown[name][0]), 1) for name in names]
    label, first = kernels.distinct.ranked([shown[name][1] for name in names], sizes)
    exact = [*columns.sensitive, *columns.other]
    group, table = rows.regroup(label).grouped([column.name for column in exact])
    group = np.repeat(group, table.counts)
    published = {}
    for column in columns.quasi:
        cells, cell = shown[column.name]
        published[column.name] = _shown_column(column, cells, cell[first][group])
    for number, column in enumerate(exact):
        published[column.name] = column.domain.decode(np.repeat(table.codes[:, number], table.counts))
    entries = [describe(column, shown[column.name][0]) for column in columns.quasi]
    entries += [describe(column, None) for column in exact]
    return Generalized({"table": pl.DataFrame(published)}, {"format": 1, "columns": entries}, UNSIGNED)


def _shown_column(column: Column, cells: Cells, cell: np.ndarray) -> pl.Series:
    """Labels; or, where no cell of the column is generalized, the values with their own type."""
    if cells.exact:
        return column.domain.decode(cells.matrix.indices[cell])
    return pl.Series(cells.labels, dtype=pl.Enum(cells.labels)).gather(cell)


def check_bucketized(method: str, columns: Columns) -> None:
    """Raise PolicyError where two linked tables cannot show these columns."""
    problems = []
    if len(columns.sensitive) != 1:
        problems.append(
            PolicyError(
                f"{method} publishes one sensitive column, the schema has {len(columns.sensitive)}.",
                code="policy.one-sensitive",
                hint="Keep one of them, or use mondrian.",
            )
        )
    taken = ", ".join(repr(column.name) for column in columns if column.name in ("group", "count"))
    if taken:
        problems.append(
            PolicyError(
                f"{method} adds columns named 'group' and 'count'; the table has {taken} already.",
                code="policy.reserved",
                hint="Rename the column.",
            )
        )
    raise_together(problems)


def bucketized(columns: Columns, rows: Rows) -> Bucketized:
    """The two linked tables, each ordered by what it shows; group numbers are drawn from the key."""
    nobody = np.zeros(0, dtype=np.int64)
    tables, dictionary = _linked(columns, rows, nobody, nobody)
    return Bucketized({name: tables[name] for name in ("quasi", "sensitive")}, dictionary, UNSIGNED)


def republished(columns: Columns, rows: Rows, groups: np.ndarray, codes: np.ndarray) -> Republished:
    """The linked tables with counterfeits: one of the value `codes[i]` in `groups[i]`."""
    return Republished(*_linked(columns, rows, groups, codes), UNSIGNED)


def _linked(
    columns: Columns, rows: Rows, groups: np.ndarray, codes: np.ndarray
) -> tuple[dict[str, pl.DataFrame], dict[str, Any]]:
    numbers = _drawn_numbers(rows)
    rows = rows.regroup(numbers)
    target = columns.sensitive[0]
    group, table = rows.grouped([target.name])
    group = np.concatenate([group, numbers[groups]])
    value = np.concatenate([table.codes[:, 0].astype(np.int64), codes])
    people = np.concatenate([table.counts, np.ones(len(codes), dtype=np.int64)])
    listed, people = kernels.distinct.weighted([group, value], [max(rows.groups, 1), max(target.size, 1)], people)
    sensitive = {
        "group": pl.Series(listed[:, 0].astype(np.int64) + 1, dtype=pl.Int64),
        target.name: target.domain.decode(listed[:, 1]),
        "count": pl.Series(people, dtype=pl.Int64),
    }
    added, often = np.unique(numbers[groups], return_counts=True)
    counterfeits = {"group": pl.Series(added + 1, dtype=pl.Int64), "count": pl.Series(often, dtype=pl.Int64)}
    entries = [describe(column, None) for column in (*columns.quasi, *columns.other, target)]
    tables = {"sensitive": sensitive, "counterfeits": counterfeits}
    shown = {name: pl.DataFrame(content) for name, content in tables.items()}
    return {"quasi": _quasi(columns, rows), **shown}, {"format": 1, "columns": entries}


def decomposed(
    columns: Columns,
    rows: Rows,
    names: Sequence[str],
    lists: Lists,
    found: Sequence[tuple[np.ndarray, np.ndarray]],
    joint: tuple[np.ndarray, np.ndarray] | None,
) -> Decomposed:
    """The quasi table and one table a sensitive column, each ordered by what it shows; group numbers are drawn from the
    key. `names` are the sensitive columns, the primary first; `found` the lists of the others; `joint` complete
    sensitive rows and their number."""
    numbers = _drawn_numbers(rows)
    tables = {"quasi": _quasi(columns, rows.regroup(numbers))}
    place = np.argsort(numbers)
    for name, (starts, values) in zip(names, [(lists.cuts, lists.primary), *found], strict=True):
        lengths = np.diff(starts)[place]
        edges = np.concatenate([[0], np.cumsum(lengths)])
        entry = np.arange(edges[-1]) - np.repeat(edges[:-1] - starts[:-1][place], lengths)
        content = {"group": pl.Series(np.repeat(np.arange(1, len(place) + 1), lengths), dtype=pl.Int64)}
        tables[f"sensitive_{name}"] = pl.DataFrame({**content, name: columns[name].domain.decode(values[entry])})
    if joint is not None:
        codes, counts = joint
        told = {
            name: columns[name].domain.decode(np.repeat(codes[:, place], counts)) for place, name in enumerate(names)
        }
        tables["joint"] = pl.DataFrame(told)
    entries = [describe(column, None) for column in (*columns.quasi, *columns.other, *columns.sensitive)]
    for entry in entries:
        if entry["role"] == "sensitive":
            primary = entry["name"] == names[0]
            entry["cell"] = "a value that the group lists, " + (
                "each person's once" if primary else "someone's or noise"
            )
    return Decomposed(tables, {"format": 1, "primary": names[0], "columns": entries}, UNSIGNED)


def _drawn_numbers(rows: Rows) -> np.ndarray:
    """The number of each group, in random order."""
    numbers = np.empty(rows.groups, dtype=np.int64)
    numbers[rows.key.shuffled("group numbers", rows.groups)] = np.arange(rows.groups)
    return numbers


def _quasi(columns: Columns, rows: Rows) -> pl.DataFrame:
    """Who is in which group: everything but the sensitive columns, as it is."""
    exact = [*columns.quasi, *columns.other]
    group, table = rows.grouped([column.name for column in exact])
    quasi = {"group": pl.Series(np.repeat(group, table.counts) + 1, dtype=pl.Int64)}
    for number, column in enumerate(exact):
        quasi[column.name] = column.domain.decode(np.repeat(table.codes[:, number], table.counts))
    return pl.DataFrame(quasi)
