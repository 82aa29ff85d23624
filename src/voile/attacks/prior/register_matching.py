"""Who of a register of people is in which group of a release of boxes, as far as the boxes tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from voile import kernels
from voile.adversaries.group_members import Members, gather_members
from voile.errors import DataError
from voile.releases.release import Release
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata


def find_members(release: Release, counts: Counts, register: Microdata) -> tuple[Members | None, Counts]:
    """Find the people of a register who fit each box. If more fit than were published, some are not in the table: they
    have one more "value", for which nobody is likelier than another. No members where boxes overlap, so that nothing
    tells in which of several groups somebody is."""
    names = [str(entry["name"]) for entry in release.described("quasi")]
    table = register.rows.histogram(names)
    columns = [register.columns[name] for name in names]
    home = release.homes(register) if release.shows_boxes else release.locate(register)
    inside = home >= 0
    codes = [table.codes[inside, position] for position in range(len(names))]
    members = gather_members(columns, codes, home[inside], table.counts[inside], counts.groups)
    fitting = np.bincount(home[inside], weights=table.counts[inside], minlength=counts.groups).astype(np.int64)
    short = int((fitting < counts.sizes).sum())
    if short and (home == kernels.box_matching.SEVERAL).any():
        return None, counts
    if short:
        raise coverage_error(short)
    return members, _with_absent(counts, fitting - counts.sizes)


def coverage_error(groups: int) -> DataError:
    return DataError(
        f"The external table does not cover the release: in {groups} groups fewer people fit than were published.",
        code="data.external",
        hint="Give a register of the whole population, with the same spelling of values.",
    )


PieceMatches = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The people who fit a box of a piece, the group of each, and the sizes of the groups."""


def match_piece(piece: Release, register: Microdata) -> PieceMatches:
    """Match a register with one piece: the people who fit a box of it, the group of each, and the groups' sizes."""
    home = piece.homes(register)
    fitting = np.flatnonzero(home != kernels.box_matching.NONE)
    return fitting, home[fitting], piece.sizes


def survey_register(people: np.ndarray, matches: Sequence[PieceMatches]) -> tuple[np.ndarray, int, bool]:
    """Return which people of a register fit exactly one group over all pieces, the number of groups that too few people
    fit, and whether somebody fits several."""
    times = np.zeros(len(people), dtype=np.int64)
    for person, home, _ in matches:
        times[person] += np.where(home == kernels.box_matching.SEVERAL, 2, 1)
    short = 0
    for person, home, sizes in matches:
        sure = times[person] == 1
        fitting = np.bincount(home[sure], weights=people[person[sure]], minlength=len(sizes))
        short += int((fitting < sizes).sum())
    return times == 1, short, bool((times > 1).any())


def _with_absent(counts: Counts, absent: np.ndarray) -> Counts:
    """Return the counts with one more value, "not in the table", for the people beyond a group's size."""
    assert counts.column is not None
    if not absent.any():
        return counts
    extra = np.flatnonzero(absent)
    owner = np.concatenate([counts.owner, extra])
    values = np.concatenate([counts.values, np.full(len(extra), counts.column.size)])
    numbers = np.concatenate([counts.counts, absent[extra]])
    order = np.lexsort((values, owner))
    starts = np.searchsorted(owner[order], np.arange(counts.groups + 1))
    return replace(counts, starts=starts, values=values[order], counts=numbers[order])
