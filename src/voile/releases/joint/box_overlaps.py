"""Which groups of several releases may share people: their quasi-identifiers overlap."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import polars as pl

from voile import kernels
from voile.errors import DataError
from voile.kernels import lazy_module
from voile.releases.release import Release
from voile.releases.shape_answers import QuasiEntries
from voile.tables.domain import Domain

sparse = lazy_module("scipy.sparse")

LARGEST = 20_000_000  # pairs of groups
ROLES = ("quasi", "sensitive")


def find_box_overlaps(releases: Sequence[Release], starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of groups, numbered through all releases from `starts` on, that somebody may fit both of."""
    entries = [release.quasi_entries() for release in releases]
    names = [str(entry["name"]) for entry in releases[-1].described("quasi")]
    domains = {name: _common_domain(entries, name) for name in names}
    boxes = [_boxes_in(own, domains) for own in entries]
    pairs = []
    for one, other in combinations_with_replacement(range(len(releases)), 2):
        mine, theirs = kernels.box_matching.find_overlaps(boxes[one], boxes[other], LARGEST)
        if len(mine) >= LARGEST:
            raise DataError(
                f"The releases have more than {LARGEST} pairs of groups that overlap.",
                code="data.join",
                hint="Give the ledger, which tells who sits where.",
            )
        pairs.append((entries[one].group[mine] + starts[one], entries[other].group[theirs] + starts[other]))
    return np.concatenate([one for one, _ in pairs]), np.concatenate([other for _, other in pairs])


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
