"""Published cells: every label stands for one thing, and with the dictionary it can be read back."""

from __future__ import annotations

import datetime
import itertools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published import even_count

import voile as vl
from voile.errors import DataError
from voile.releases.cells.cell_parsing import read_ranges, read_sets
from voile.releases.cells.cells import Cells, node_cells, node_names, range_names, ranges, sets
from voile.releases.dictionary import describe
from voile.tables.domain import Domain, encode_column, infer_kind
from voile.tables.group_counts import Counts
from voile.tables.hierarchy import Hierarchy, HierarchyRecipe, by_frequency, dates, intervals, prefixes, tree
from voile.tables.schema import Column
from voile.tables.value_text import parse_values

CALM = settings(max_examples=60, deadline=None, derandomize=True, database=None)
SIGNS = [*list("|{}\\*[], ;\"'()\n\té漢ab"), "(missing)", "*", "{a|b}", "[a, b]", ""]
NASTY = st.lists(st.sampled_from(SIGNS), max_size=4).map("".join)


def domain_of(values: list[Any], missing: bool = False, kind: str | None = None) -> Domain:
    series = pl.Series([*values, None] if missing else values)
    return encode_column("c", series, kind or infer_kind(series), None)[0]


def members(cells: Cells) -> list[tuple[int, ...]]:
    matrix = cells.matrix
    return [tuple(sorted(matrix.indices[a:b].tolist())) for a, b in itertools.pairwise(matrix.indptr.tolist())]


def packed(listed: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    return np.cumsum([0, *map(len, listed)]), np.array([code for codes in listed for code in codes], dtype=np.int64)


# sets ---------------------------------------------------------------------------------------------------------------
@given(st.sets(NASTY, min_size=1, max_size=6), st.booleans(), st.data())
@CALM
def test_sets_of_any_texts_can_be_read_back(values: set[str], missing: bool, data: st.DataObject) -> None:
    domain = domain_of(sorted(values - {"(missing)"} if missing else values) or ["x"], missing)
    every = [
        list(codes) for size in range(1, domain.size + 1) for codes in itertools.combinations(range(domain.size), size)
    ]
    names = sorted(values)
    nested = {name: [leaf] for name, leaf in zip(data.draw(st.permutations(names)), names, strict=True)}
    pairs = data.draw(st.lists(NASTY, min_size=len(names), max_size=len(names)))
    rows = [[leaf, parent, "*"] for leaf, parent in zip(domain.labels[: len(domain.values)], pairs, strict=False)]
    rows = [row for row in rows if not (missing and row[1] == "(missing)")]
    hierarchy = None
    if len(rows) == len(domain.values) and nested:
        hierarchy = HierarchyRecipe("rows", content=rows).fit("c", domain, np.ones(domain.size))
    cells = sets(domain, *packed(every), hierarchy)
    assert cells.labels.n_unique() == len(cells)
    known = node_names(domain, hierarchy) if hierarchy else {}
    listed = {name: [domain.labels[code] for code in codes] for name, codes in known.items()}
    again = read_sets(cells.labels.to_list(), domain, listed, "c")
    assert members(again) == [tuple(codes) for codes in every]


@given(st.lists(NASTY, min_size=2, max_size=8, unique=True), st.booleans(), st.data())
@CALM
def test_levels_of_any_tree_can_be_read_back(values: list[str], missing: bool, data: st.DataObject) -> None:
    values = [value for value in values if value != "(missing)"] or ["x"]
    domain = domain_of(values, missing)
    hierarchy = any_tree(domain, data)
    for level in range(hierarchy.height + 1):
        cells = node_cells(domain, hierarchy, level)
        names = {name: [domain.labels[c] for c in codes] for name, codes in node_names(domain, hierarchy).items()}
        again = read_sets(cells.labels.to_list(), domain, names, "c")
        assert members(again) == members(cells)
        assert members(cells) == [
            tuple(hierarchy.leaves(level, node).tolist()) for node in range(len(hierarchy.labels[level]))
        ]


def any_tree(domain: Domain, data: st.DataObject) -> Hierarchy:
    """Nodes with nasty names, also the same name at several levels or the name of a leaf."""
    size = len(domain.values)
    finer = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    label = st.one_of(NASTY, st.sampled_from(domain.labels))
    first = data.draw(st.lists(label, min_size=4, max_size=4, unique=True))
    second = data.draw(st.lists(label, min_size=2, max_size=2, unique=True))
    rows = [[leaf, first[node], second[node // 2], "*"] for leaf, node in zip(domain.labels[:size], finer, strict=True)]
    if domain.missing:
        rows = [
            [cell if number == 0 else cell.replace("(missing)", "?") for number, cell in enumerate(row)] for row in rows
        ]
        rows = [[row[0], f"{row[1]}{finer[n]}", f"{row[2]}{finer[n] // 2}", "*"] for n, row in enumerate(rows)]
    return HierarchyRecipe("rows", content=rows).fit("c", domain, np.ones(domain.size))


def test_labels_that_look_like_something_else() -> None:
    domain = domain_of(["*", "(missing)", "{a|b}", "\\", "a", "b", ""])
    cells = sets(domain, *packed([[code] for code in range(domain.size)] + [[4, 5], [0, 1]]))
    assert dict(zip(domain.labels, cells.labels, strict=False)) == {
        "*": "\\*",
        "(missing)": "\\(missing)",
        "{a|b}": "\\{a|b}",
        "\\": "\\\\",
        "a": "a",
        "b": "b",
        "": "",
    }
    assert members(read_sets(cells.labels.to_list(), domain, {}, "c")) == members(cells)


@pytest.mark.parametrize("label", ["d", "{a|d}", "{}", "{a", "\\d", "name", "{a|b|(missing)}"])
def test_labels_that_nothing_explains(label: str) -> None:
    domain = domain_of(["a", "b", "c"])
    with pytest.raises(DataError, match="Column 'c' has a published cell") as error:
        read_sets([label], domain, {"other": ["a", "x"], "void": []}, "c")
    assert label not in str(error.value) or label in "dc"
    with pytest.raises(DataError):
        read_sets(["other"], domain, {"other": ["a", "x"]}, "c")
    with pytest.raises(DataError):
        read_sets(["void"], domain, {"void": []}, "c")


# ranges -------------------------------------------------------------------------------------------------------------
DAYS = [datetime.date(1999, 12, 31), datetime.date(2000, 1, 1), datetime.date(2000, 2, 1), datetime.date(2010, 1, 1)]
NOON = datetime.datetime(2000, 1, 1, 12)
RANGED: dict[str, pl.Series] = {
    "int8": pl.Series([-128, -1, 0, 127], dtype=pl.Int8),
    "int64": pl.Series([-(2**63), -5, 7, 2**63 - 1]),
    "uint64": pl.Series([0, 1, 2**64 - 1], dtype=pl.UInt64),
    "float32": pl.Series([-0.1, 0.1, 1e30], dtype=pl.Float32),
    "float64": pl.Series([-1e-300, 0.1, 0.30000000000000004, 1e300]),
    "date": pl.Series(DAYS),
    "datetime": pl.Series([NOON, NOON + datetime.timedelta(microseconds=1), NOON + datetime.timedelta(5)]),
    "datetime ms": pl.Series([NOON, NOON + datetime.timedelta(5)], dtype=pl.Datetime("ms")),
    "zone": pl.Series([datetime.datetime(2000, 3, 26, 1, 30), datetime.datetime(2000, 10, 29, 5)]).dt.replace_time_zone(
        "Europe/Paris"
    ),
}


def read_again(cells: Cells, domain: Domain, names: dict[str, list[str]]) -> Cells:
    dtype = domain.values.dtype
    dtype = pl.Datetime("us") if isinstance(dtype, pl.Datetime) else dtype  # as the dictionary tells it
    return read_ranges(cells.labels.to_list(), dtype, domain.kind, domain.as_json(), names, "c")


@pytest.mark.parametrize("name", RANGED)
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("declared", [False, True])
def test_all_ranges_can_be_read_back(name: str, missing: bool, declared: bool) -> None:
    values = RANGED[name]
    series = pl.concat([values, pl.Series([None], dtype=values.dtype)]) if missing else values
    domain, _ = encode_column("c", series, infer_kind(series), values.to_list() if declared else None)
    size = len(values)
    boxes = [(low, high, also) for low in range(size) for high in range(low, size) for also in {False, missing}]
    boxes += [(0, -1, True)] * missing
    low, high, also = (np.array(part) for part in zip(*boxes, strict=True))
    cells = ranges(domain, low, high, also.astype(bool))
    assert cells.labels.n_unique() == len(boxes)
    again = read_again(cells, domain, {})
    points = again.domain.numeric_values.tolist()
    wanted = domain.numeric_values.tolist()
    offset = wanted[0] - points[0]  # a time with a zone is read as the time in UTC
    for number, (a, b, absent) in enumerate(boxes):
        assert again.missing is not None
        assert again.low is not None
        assert again.high is not None
        assert bool(again.missing[number]) == absent
        if b < a:
            assert again.high[number] < again.low[number]
        else:
            scale = 1000 if name == "datetime ms" else 1
            ends = (
                points[again.low[number]] + offset * (scale == 1),
                points[again.high[number]] + offset * (scale == 1),
            )
            assert ends == (wanted[a] * scale, wanted[b] * scale)


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=8, unique=True), st.booleans(), st.data())
@CALM
def test_trees_of_numbers_with_any_names(values: list[int], missing: bool, data: st.DataObject) -> None:
    domain = domain_of(values, missing)
    hierarchy = any_tree(domain, data)
    labels: dict[str, tuple[Any, ...]] = {}
    for level in range(hierarchy.height + 1):
        cells = node_cells(domain, hierarchy, level)
        assert cells.low is not None
        assert cells.high is not None
        assert cells.missing is not None
        entry = describe(Column("c", "quasi", domain, hierarchy), cells)
        again = read_again(cells, domain, entry.get("names", {}))
        points, wanted = again.domain.numeric_values, domain.numeric_values
        for number, label in enumerate(cells.labels):
            ends = (int(cells.low[number]), int(cells.high[number]), bool(cells.missing[number]))
            assert labels.setdefault(label, ends) == ends  # one label, one meaning, over all levels
            assert again.low is not None
            assert again.high is not None
            assert again.missing is not None
            assert bool(again.missing[number]) == ends[2]
            if ends[1] >= ends[0]:
                assert points[again.low[number]] == wanted[ends[0]]
                assert points[again.high[number]] == wanted[ends[1]]


def test_names_of_ranges_that_would_mislead() -> None:
    domain = domain_of([1, 2, 3, 4, 5, 6])
    rows = [["1", "5"], ["2", "5"], ["3", "*"], ["4", "*"], ["5", "[1, 2]"], ["6", "[1, 2]"]]
    hierarchy = HierarchyRecipe("rows", content=rows).fit("c", domain, np.ones(6))
    assert node_cells(domain, hierarchy, 1).labels.to_list() == ["[1, 2]", "[3, 4]", "[5, 6]"]
    kept = HierarchyRecipe("rows", content=[[str(n), "low" if n < 4 else "high"] for n in range(1, 7)])
    hierarchy = kept.fit("c", domain, np.ones(6))
    assert range_names(domain, hierarchy) == {"low": (0, 2, False), "high": (3, 5, False)}
    assert node_cells(domain, hierarchy, 1).labels.to_list() == ["low", "high"]


@pytest.mark.parametrize(
    "label",
    [
        "[9, 1]",
        "[10, 99]",
        "[-5, 0]",
        "x",
        "[1, x]",
        "[1 2]",
        "",
        "(missing)",
        "{[1, 2]|(missing)}",
        "[1, 2",
        "1.5",
        "n",
    ],
)
def test_ranges_that_nothing_explains(label: str) -> None:
    ends = {"min": 1, "max": 9, "missing": False}
    with pytest.raises(DataError, match="Column 'c' has a published cell"):
        read_ranges([label], pl.Int64(), "numeric", ends, {"n": [1, "x"]}, "c")
    with pytest.raises(DataError, match="Column 'c' has a published cell"):
        read_ranges(["[1, 2]"], pl.Int64(), "numeric", {"missing": False}, {}, "c")


def test_everything_of_a_declared_domain() -> None:
    domain, _ = encode_column("c", pl.Series([3, 5]), "numeric", [1, 3, 5, 9])
    cells = ranges(domain, np.array([0, 1]), np.array([3, 2]), np.zeros(2, dtype=bool))
    assert cells.labels.to_list() == ["*", "[3, 5]"]
    again = read_again(cells, domain, {})
    assert again.low is not None
    assert again.high is not None
    assert again.domain.numeric_values[again.low].tolist() == [1, 3]
    assert again.domain.numeric_values[again.high].tolist() == [9, 5]


def test_texts_back_to_their_types() -> None:
    assert parse_values(pl.Series(["true", "false", "x"]), pl.Boolean()).to_list() == [True, False, None]
    times = parse_values(pl.Series(["08:30:00", "08:30:00.000001", "08:30:00.500000000", "x"]), pl.Time())
    assert times.to_list() == [datetime.time(8, 30), datetime.time(8, 30, 0, 1), datetime.time(8, 30, 0, 500_000), None]
    moments = pl.Series(["2000-01-01 12:00:00", "2000-01-01T12:00:00.000001", "soon"])
    assert parse_values(moments, pl.Datetime("us")).to_list()[:2] == [NOON, NOON + datetime.timedelta(microseconds=1)]
    zoned = pl.Series(["2000-01-01 12:00:00+01:00", "2000-01-01T12:00:00.000000+0000"])
    assert parse_values(zoned, pl.Datetime("us")).to_list() == [NOON - datetime.timedelta(hours=1), NOON]


def test_the_repr_shows_no_label() -> None:
    cells = sets(domain_of(["SECRET", "b"]), *packed([[0], [0, 1]]))
    assert repr(cells) == "Cells(2 of Domain(2 categorical values))"


# all the way --------------------------------------------------------------------------------------------------------
def check_all_the_way(frame: pl.DataFrame, schema: vl.Schema, method: Any, model: Any) -> None:
    """Publish, save, load and verify in both formats; cells stand for the same values as before."""
    release = vl.publish(vl.read(frame, schema), model, method, key=vl.Key(bytes(32)))
    with tempfile.TemporaryDirectory() as folder:
        for format in ("csv", "parquet"):
            place = release.save(Path(folder) / format, format=format)
            loaded = vl.load(place)
            assert vl.verify(place).holds
            for name in getattr(release, "cells", {}):
                one, two = release.cells[name], loaded.cells[name]  # type: ignore[attr-defined]
                assert set(one.labels) == set(two.labels)
            for name, table in release.tables.items():
                assert same(loaded.tables[name], table)
            for name, counts in release.tallies.items():
                assert tallied(loaded.tallies[name]) == tallied(counts)


def same(loaded: pl.DataFrame, table: pl.DataFrame) -> bool:
    """Equal cells; what CSV left as text is read with the type of the original."""
    typed = {
        name: parse_values(loaded[name], dtype)
        for name, dtype in table.schema.items()
        if loaded.schema[name] == pl.String and not isinstance(dtype, pl.Enum)
    }
    return loaded.with_columns(**typed).cast(pl.String).equals(table.cast(pl.String))


def tallied(counts: Counts) -> list[list[tuple[str, int]]]:
    """The counted values of each group, in no order of the groups."""
    assert counts.column is not None
    texts = counts.column.domain.labels
    entries = [(texts[value], int(count)) for value, count in zip(counts.values, counts.counts, strict=True)]
    return sorted(sorted(entries[a:b]) for a, b in itertools.pairwise(counts.starts.tolist()))


METHODS = [
    vl.Mondrian(),
    vl.Mondrian(recoding="hierarchy"),
    vl.FullDomain(),
    vl.FullDomain(suppression=0.5),
    vl.Anatomy(),
]


@given(st.lists(NASTY, min_size=4, max_size=7, unique=True), st.booleans(), st.sampled_from(METHODS))
@settings(max_examples=25, deadline=None, derandomize=True, database=None)
def test_nasty_values_survive_publishing(values: list[str], missing: bool, method: Any) -> None:
    cells: list[str | None] = [value for value in values if value != "(missing)"] or ["x"]
    cells += ["y", "z"]
    cells += [None] * missing
    cells = list(dict.fromkeys(cells))
    secrets = [f"{number} {cell}" for number, cell in enumerate(cells)]  # values that look alike are refused
    frame = pl.DataFrame({"q": cells * 4, "p": (cells * 4)[::-1], "s": secrets * 4, "o": cells * 4})
    trees = {"q": by_frequency(2)}
    schema = vl.Schema(quasi=["q", "p"], sensitive=["s"], other=["o"], missing="value", hierarchies=trees)
    check_all_the_way(frame, schema, method, vl.LDiversity(l=2))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: repr(method))
@pytest.mark.parametrize("kind", ["categorical", "ordered", "natural"])
def test_all_types_survive_publishing(method: Any, kind: str) -> None:
    rng = np.random.default_rng(1)
    rows = 40
    frame = pl.DataFrame(
        {
            "i": pl.Series(rng.integers(-100, 100, rows), dtype=pl.Int8),
            "f": rng.normal(size=rows).round(3),
            "d": [datetime.date(2000, 1, 1) + datetime.timedelta(int(n)) for n in rng.integers(0, 900, rows)],
            "m": [NOON + datetime.timedelta(hours=int(n)) for n in rng.integers(0, 900, rows)],
            "t": [datetime.time(int(n), 5) for n in rng.integers(0, 24, rows)],
            "b": rng.integers(0, 2, rows).astype(bool),
            "e": pl.Series(rng.choice(["lo", "hi", "mid"], rows), dtype=pl.Enum(["lo", "mid", "hi"])),
            "s": rng.choice(["flu", "HIV", "cold"], rows),
        }
    ).with_columns(pl.when(pl.int_range(pl.len()) % 9 == 4).then(None).otherwise(pl.col(c)).alias(c) for c in "ifdmtbe")
    names = list("ifdmtbe")
    kinds = {} if kind == "natural" else dict.fromkeys(names, kind)
    trees = {"i": intervals(10, 40), "d": dates(), "m": dates()} if kind == "natural" else {}
    other = ["b", "t"] if isinstance(method, vl.FullDomain) else []
    quasi = [name for name in names if name not in other]
    schema = vl.Schema(quasi=quasi, other=other, sensitive=["s"], kinds=kinds, hierarchies=trees, missing="value")
    check_all_the_way(frame, schema, method, vl.LDiversity(l=2))


def test_prefixes_of_numbers_and_odd_trees_survive_publishing() -> None:
    frame = pl.DataFrame({"zip": [1000 + n * 37 % 400 for n in range(60)], "s": ["a", "b", "c"] * 20})
    odd = tree({"odd": [n for n in range(1000, 1400) if n % 2], "even": [n for n in range(1000, 1400) if n % 2 == 0]})
    for recipe in (prefixes(3, 2), odd, intervals(20, 100)):
        schema = vl.Schema(quasi=["zip"], sensitive=["s"], hierarchies={"zip": recipe})
        for method in (vl.FullDomain(), vl.Mondrian(recoding="hierarchy")):
            check_all_the_way(frame, schema, method, vl.LDiversity(l=2))


@pytest.mark.parametrize("names", [("20-24", "30-34"), ("5-1", "9-7"), ("1990s", "2000"), ("[", "]"), ("1", "2")])
def test_names_that_tell_of_other_numbers_are_still_names(names: tuple[str, str]) -> None:
    """A label may look like a range and mean something else, e.g. the rooms of floor 20-24."""
    frame = pl.DataFrame({"room": list(range(1, 7)) * 5, "s": ["a", "b", "c"] * 10})
    rooms = tree({names[0]: [1, 2, 3], names[1]: [4, 5, 6]})
    schema = vl.Schema(quasi=["room"], sensitive=["s"], hierarchies={"room": rooms})
    release = vl.publish(vl.read(frame, schema), vl.KAnonymity(k=15), vl.FullDomain())
    assert release.groups == 2
    assert even_count(release, room=(1, 3)) == pytest.approx(15)
