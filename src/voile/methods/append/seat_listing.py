"""List the seats of an appended release, for the ledger."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from voile.adversaries.seating import NO_KIND, NO_SEAT, Seating, SeatValues
from voile.releases.release import Release
from voile.tables.microdata import PERSON
from voile.tables.row_protocol import Rows
from voile.tables.schema import Column


def list_copied_seats(release: Release, last: Release, seating: Seating, present: np.ndarray) -> Seating:
    """Return the seats of the last release, in the numbers that its groups have now: their rows come first. `present`
    are the places in `seating` of people who are in the table."""
    groups: np.ndarray = last.group  # type: ignore[attr-defined]
    rows_of_groups = np.unique(groups, return_index=True)[1]
    number = release.group[: last.people][rows_of_groups]  # type: ignore[attr-defined]
    is_present = np.zeros(len(seating.people), dtype=bool)
    is_present[present] = True
    seated = seating.group >= 0
    values = {name: SeatValues(own.labels, own.codes[seated]) for name, own in seating.values.items()}
    group = np.asarray(number[seating.group[seated]], dtype=np.int64)
    return Seating(seating.people[seated], group, seating.kind[seated], is_present[seated], values)


def list_new_seats(
    release: Release,
    fresh: Release | None,
    rows: Rows,
    sensitive: Sequence[Column],
    pseudonyms: np.ndarray,
    is_new: np.ndarray,
) -> Seating:
    """Return the seats of newcomers, and those who wait without one. `fresh` shows the newcomers with the column
    PERSON; its rows are the last ones of the release."""
    seat, kind = np.full(len(pseudonyms), NO_SEAT), np.full(len(pseudonyms), NO_KIND)
    if fresh is not None:
        table = fresh.tables["table" if fresh.shows_boxes else "quasi"]
        person = table[PERSON].to_numpy()
        seat[person] = release.group[release.people - len(person) :]  # type: ignore[attr-defined]
        if release.shows_members:
            quasi = table.select(str(entry["name"]) for entry in fresh.described("quasi"))
            kind[person] = quasi.select(quasi.to_struct("row").rank("dense").alias("kind"))["kind"].to_numpy() - 1
    counted = rows.histogram([*(column.name for column in sensitive), PERSON])
    values = {}
    for column in sensitive:
        codes = np.full(len(pseudonyms), NO_SEAT)
        codes[counted.column(PERSON)] = counted.column(column.name)
        values[column.name] = SeatValues(tuple(column.domain.labels), np.where(seat >= 0, codes, NO_SEAT)[is_new])
    present = np.ones(int(is_new.sum()), dtype=bool)
    return Seating(pseudonyms[is_new], seat[is_new], kind[is_new], present, values)


def join_seats(copied: Seating, new: Seating) -> Seating:
    """Return the seats of both. Kinds are numbered apart: that a newcomer shows the same quasi-identifier as somebody
    who was there before is not used."""
    start = int(copied.kind.max(initial=NO_KIND)) + 1
    kind = np.concatenate([copied.kind, np.where(new.kind >= 0, new.kind + start, NO_KIND)])
    values = {}
    for name, own in new.values.items():
        before = copied.values[name]
        labels = tuple(dict.fromkeys([*before.labels, *own.labels]))
        place = {label: code for code, label in enumerate(labels)}
        moved = np.array([*(place[label] for label in own.labels), NO_SEAT], dtype=np.int64)
        values[name] = SeatValues(labels, np.concatenate([before.codes, moved[own.codes]]))
    people, group = np.concatenate([copied.people, new.people]), np.concatenate([copied.group, new.group])
    return Seating(people, group, kind, np.concatenate([copied.present, new.present]), values)
