"""Compare two releases of the same people: is everything that the earlier one shows still there, and what was added?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import polars as pl

from voile.releases.joint.box_overlaps import described, require_same_columns
from voile.releases.release import Release
from voile.tables.group_counts import Counts, sizes_only, tally
from voile.tables.schema import Column

COUNT = "#count"
_comparisons: WeakKeyDictionary[Release, WeakKeyDictionary[Release, AddedGroups]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class AddedGroups:
    """What a release shows that an earlier one does not: `changes` counts what is not as it was (rows that are gone,
    and numbered groups with further rows), and the rest are the added rows, group by group. Rows that were added to a
    box that was there before are a group of their own here."""

    changes: int
    sizes: np.ndarray
    tallies: dict[str, Counts]

    def count(self, column: Column | None) -> Counts:
        """Return the counts of what was added: of a sensitive column, or the sizes alone."""
        return sizes_only(self.sizes) if column is None else self.tallies[column.name]


def find_added_groups(release: Release, earlier: Release, number: int = 1) -> AddedGroups:
    """Find what a release adds to an earlier one (the `number`-th, for messages). In a series of releases every pair of
    neighbours is compared once."""
    findings = _comparisons.setdefault(release, WeakKeyDictionary())
    if earlier not in findings:
        require_same_columns(described(release), earlier, number)
        findings[earlier] = _compare(release, earlier)
    return findings[earlier]


def _compare(release: Release, earlier: Release) -> AddedGroups:
    now, then = list_rows(release), list_rows(earlier)
    if {name: set(rows.columns) for name, rows in now.items()} != {n: set(rows.columns) for n, rows in then.items()}:
        return AddedGroups(earlier.people, *_count_added(release, next(reversed(now.values()))))
    changes, added = 0, dict[str, pl.DataFrame]()
    for name, rows in now.items():
        cells = [column for column in rows.columns if column != COUNT]
        both = rows.join(then[name].select(rows.columns), on=cells, how="full", coalesce=True, suffix=" before")
        more = both.with_columns(pl.col(COUNT).fill_null(0) - pl.col(f"{COUNT} before").fill_null(0))
        changes -= int(more.filter(pl.col(COUNT) < 0)[COUNT].sum())
        added[name] = more.filter(pl.col(COUNT) > 0).select(rows.columns)
    if not release.shows_boxes:
        changes += _count_touched(added, then)
    return AddedGroups(changes, *_count_added(release, next(reversed(added.values()))))


def list_rows(release: Release) -> dict[str, pl.DataFrame]:
    """Return the rows of the published tables as text, each once with its number. Cells read alike whether a column is
    shown as it is or with labels."""
    if release.shows_boxes:
        labels = {name: cells.labels.cast(pl.String).gather(cell) for name, (cells, cell) in release.row_cells.items()}  # type: ignore[attr-defined]
        rows = pl.DataFrame({**labels, **_exact_texts(release, "table", ("sensitive", "other"))})
        return {"table": rows.group_by(rows.columns).len(COUNT).with_columns(pl.col(COUNT).cast(pl.Int64))}
    quasi = pl.DataFrame({"group": release.column_of("quasi", "group")}).with_columns(
        **_exact_texts(release, "quasi", ("quasi", "other"))
    )
    values = pl.DataFrame(
        {"group": release.column_of("sensitive", "group"), **_exact_texts(release, "sensitive", ("sensitive",))}
    )
    values = values.with_columns(release.column_of("sensitive", "count").cast(pl.Int64).alias(COUNT))
    return {
        "quasi": quasi.group_by(quasi.columns).len(COUNT).with_columns(pl.col(COUNT).cast(pl.Int64)),
        "sensitive": values.group_by([c for c in values.columns if c != COUNT]).agg(pl.col(COUNT).sum()),
    }


def _exact_texts(release: Release, table: str, roles: tuple[str, ...]) -> dict[str, pl.Series]:
    """Return the columns of a table that are shown as they are, as text."""
    texts = {}
    for role in roles:
        for entry in release.described(role):
            column, codes = release.published_column(entry, table)
            texts[column.name] = pl.Series(column.domain.labels, dtype=pl.String).gather(codes.astype(np.int64))
    return texts


def _count_added(release: Release, rows: pl.DataFrame) -> tuple[np.ndarray, dict[str, Counts]]:
    """Count the added rows by group."""
    home = [str(entry["name"]) for entry in release.described("quasi")] if release.shows_boxes else ["group"]
    _, group = np.unique(rows.select(pl.struct(home).rank("dense").alias("group"))["group"], return_inverse=True)
    groups, weight = int(group.max(initial=-1)) + 1, rows[COUNT].to_numpy()
    tallies = {}
    for name, counts in release.tallies.items():
        assert counts.column is not None
        codes = {text: code for code, text in enumerate(counts.column.domain.labels)}
        value = np.array([codes[text] for text in rows[name]], dtype=np.int64)
        tallies[name] = tally(counts.column, group, value, weight, groups, counts.totals)
    return np.bincount(group, weights=weight, minlength=groups).astype(np.int64), tallies


def _count_touched(added: Mapping[str, pl.DataFrame], before: Mapping[str, pl.DataFrame]) -> int:
    """Count the groups of linked tables that were there before and have rows now that they had not."""
    earlier_groups = np.concatenate([rows["group"].to_numpy() for rows in before.values()])
    groups_with_more = np.concatenate([rows["group"].to_numpy() for rows in added.values()])
    return len(np.intersect1d(earlier_groups, groups_with_more))
