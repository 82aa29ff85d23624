"""The join of several releases of the same people: whoever fits a group of each has a value that all of them show.

Rows of two releases join where their quasi-identifier cells have a value in common and their sensitive values agree. A
group of the join is a pair of groups, and its counts are the numbers of pairs of rows, value by value. Where one box
lies inside the other and the outer group has all its values, the outer one tells nothing new: the inner is the join.
Not so where boxes of one release overlap: then a person of the inner group need not be in the outer one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse

from voile import kernels
from voile.errors import DataError
from voile.releases.release import Release
from voile.releases.shape_answers import QuasiEntries
from voile.tables.domain import Domain
from voile.tables.group_counts import Counts
from voile.tables.schema import Column

LARGEST = 20_000_000  # pairs of groups
ROLES = ("quasi", "sensitive")


def count_join(release: Release, earlier: Sequence[Release], column: str) -> Counts:
    """Count the values of a sensitive column in every group of the join of a release with earlier ones."""
    every = [release, *earlier]
    for number, other in enumerate(earlier, 1):
        require_same_columns(described(release), other, number)
    entries = [one.quasi_entries() for one in every]
    domains = {str(entry["name"]): _common_domain(entries, str(entry["name"])) for entry in release.described("quasi")}
    values, tables = _align_counts(every, column)
    boxes, counts = _boxes_in(entries[0], domains), tables[0][entries[0].group]
    nested = all(one.shows_boxes for one in every) and not any(_overlap(_boxes_in(one, domains)) for one in entries)
    for their_entries, table in zip(entries[1:], tables[1:], strict=True):
        their_boxes = _boxes_in(their_entries, domains)
        mine, theirs = kernels.box_matching.find_overlaps(boxes, their_boxes, LARGEST)
        if len(mine) >= LARGEST:
            raise DataError(
                f"The join of the releases has more than {LARGEST} pairs of groups.",
                code="data.join",
                hint="Publish coarser groups, or use m-invariance.",
            )
        left, right = counts[mine], table[their_entries.group[theirs]]
        product = left.multiply(right).tocsr()
        if nested:
            product = _replace_nested(product, left, right, boxes, their_boxes, mine, theirs)
        shared = [a[mine].multiply(b[theirs]).tocsr() for a, b in zip(boxes, their_boxes, strict=True)]
        possible = np.asarray(product.sum(axis=1)).ravel() > 0  # with no value in common nobody is there
        boxes, counts = tuple(box[possible] for box in shared), product[possible]
    return _counts(counts, Column(column, "sensitive", values, release.tallies[column].column.hierarchy))  # type: ignore[union-attr]


def _overlap(boxes: tuple[Any, ...]) -> bool:
    """Whether some boxes of a release have a quasi-identifier in common."""
    number = int(boxes[0].shape[0])  # each box overlaps itself
    return len(kernels.box_matching.find_overlaps(boxes, boxes, number + 1)[0]) > number


def described(release: Release) -> set[tuple[str, str, str]]:
    """Return role, name and kind of the columns that releases of one table have in common."""
    return {(role, str(entry["name"]), str(entry["kind"])) for role in ROLES for entry in release.described(role)}


def require_same_columns(columns: set[tuple[str, str, str]], other: Release, number: int) -> None:
    """Raise where another release has other columns: it is not about the same table."""
    differing = sorted({name for _, name, _ in columns ^ described(other)})
    if differing:
        raise DataError(
            f"Earlier release {number} has another schema: it differs in {', '.join(map(repr, differing))}.",
            code="data.after-schema",
            hint="Name earlier releases of the same table, with the same quasi-identifier and sensitive columns.",
        )


def _replace_nested(
    product: Any, left: Any, right: Any, mine_boxes: Any, their_boxes: Any, mine: Any, theirs: Any
) -> Any:
    """Count only the inner group where one box lies inside the other and its values are among the other's."""
    inside, outside = np.ones(len(mine), dtype=bool), np.ones(len(mine), dtype=bool)
    for a, b in zip(mine_boxes, their_boxes, strict=True):
        shared = np.asarray(a[mine].multiply(b[theirs]).sum(axis=1)).ravel()
        inside &= shared == np.diff(a.indptr)[mine]
        outside &= shared == np.diff(b.indptr)[theirs]
    inside &= np.asarray((left > right).sum(axis=1)).ravel() == 0
    outside &= np.asarray((right > left).sum(axis=1)).ravel() == 0
    outside &= ~inside
    parts = ((~inside & ~outside, product), (inside, left), (outside, right))
    return sum(sparse.diags(chosen.astype(np.float64)) @ table for chosen, table in parts).tocsr()


def _common_domain(entries: Sequence[QuasiEntries], name: str) -> Domain:
    """Return a domain that holds every value (or end of a range) that one of the releases writes."""
    found = [shown.cells[name][0].domain for shown in entries]
    kind, missing = found[0].kind, any(domain.missing for domain in found)
    if found[0].uses_intervals:
        return Domain(merge_values([domain.values for domain in found]), kind, missing)
    texts = sorted({text for domain in found for text in domain.labels[: len(domain.values)]})
    return Domain(pl.Series(texts, dtype=pl.String), kind, missing)


def merge_values(values: Sequence[pl.Series]) -> pl.Series:
    """Merge the numbers or dates of several columns, rising; those of different types as floating point."""
    same = all(some.dtype == values[0].dtype for some in values)
    return pl.concat([some if same else some.cast(pl.Float64) for some in values]).unique().sort()


def _boxes_in(entries: QuasiEntries, domains: dict[str, Domain]) -> tuple[Any, ...]:
    """Return the boxes of entries, a sparse matrix entries x values for each column, in the codes of common domains,
    and one more column: the values that no release writes, which only `*` reaches."""
    boxes = []
    for name, domain in domains.items():
        cells, cell = entries.cells[name]
        unwritten = sparse.csr_matrix(cells.whole.astype(np.float64).reshape(-1, 1))
        boxes.append(sparse.hstack([cells.recode(domain).matrix, unwritten]).tocsr()[cell])
    return tuple(boxes)


def _align_counts(releases: Sequence[Release], column: str) -> tuple[Domain, list[Any]]:
    """Return the counts of each release as a sparse matrix groups x values, over all values that any of them lists."""
    found = [release.tallies[column] for release in releases]
    first = found[0].column
    assert first is not None
    if first.domain.uses_intervals:
        listed = [counts.column.domain.values for counts in found if counts.column]
        domain = Domain(merge_values(listed), first.kind, first.domain.missing)
    else:
        more = {text for counts in found if counts.column for text in counts.column.domain.labels}
        texts = [*first.domain.labels, *sorted(more - set(first.domain.labels))]
        domain = Domain(pl.Series(texts, dtype=pl.String), first.kind)
        if len(texts) == first.size:
            domain = first.domain  # with its hierarchy's order
    position = {text: code for code, text in enumerate(domain.labels)}
    tables = []
    for counts in found:
        assert counts.column is not None
        moved = np.array([position[text] for text in counts.column.domain.labels], dtype=np.int64)
        place = (counts.owner, moved[counts.values])
        tables.append(sparse.csr_matrix((counts.counts, place), shape=(counts.groups, domain.size)))
    return domain, tables


def _counts(table: Any, column: Column) -> Counts:
    table.sum_duplicates()
    table.eliminate_zeros()
    totals = np.asarray(table.sum(axis=0)).ravel()
    sizes = np.asarray(table.sum(axis=1)).ravel()
    starts, values = table.indptr.astype(np.int64), table.indices.astype(np.int64)
    return Counts(sizes, starts, values, table.data.astype(np.int64), totals, column)
