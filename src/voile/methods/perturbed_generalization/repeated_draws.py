"""Publishing perturbed samples again: fixed regions, and nobody is drawn twice.

The regions of the first release stay, whoever comes and goes. Of each region one person is drawn who was never drawn
before and was always in it, and that person's value is perturbed afresh. So every value is published once at most. Who
may be drawn depends on presence and quasi-identifiers only, which are public. The publisher's ledger remembers who was
in which region (`kind`) and who was drawn (a seat).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from voile.adversaries.ledger import SeatHistory
from voile.adversaries.seating import NO_SEAT, Seating, SeatValues
from voile.engines.memory_rows import build_rows
from voile.errors import DataError, PolicyError, parameter
from voile.models.label_differential_privacy import find_difference
from voile.releases.cells.end_columns import drop_ends
from voile.releases.certificate import UNSIGNED
from voile.releases.randomized_response import exact_fraction
from voile.releases.release import Release
from voile.tables.microdata import PERSON, Microdata
from voile.tables.row_protocol import Rows, Table
from voile.tables.schema import Column, Columns


@dataclass(frozen=True, eq=False)
class RepeatedDraws:
    """What a release that follows others must know: the first release, the region of each person, who may be drawn, and
    the fewest people of a region who were in all releases. People are numbered as in the column PERSON."""

    first: Release
    region: np.ndarray
    may_be_drawn: np.ndarray
    stayers: int

    def __repr__(self) -> str:
        return f"RepeatedDraws({self.first.groups} regions)"


def follow_releases(columns: Columns, rows: Table, earlier: Sequence[Release], history: SeatHistory) -> RepeatedDraws:
    """Find out who may be drawn after these releases; PolicyError or DataError where they cannot be continued."""
    fault = find_difference(earlier[-1], tuple(earlier[:-1]))
    if fault:
        raise PolicyError(fault, code="policy.after-regions", hint="Continue releases that were published as a series.")
    first, ledger = earlier[0], history.ledger
    region = locate_people(columns, rows, first)
    is_new = history.position < 0
    position = np.where(is_new, 0, history.position)
    was_drawn, was_always_here, in_all = np.zeros(len(region), bool), np.ones(len(region), bool), ~is_new
    for number in range(len(earlier)):
        seating = ledger.seating(number) if len(ledger.people) else None
        if seating is None:
            continue
        present = seating.present[position] & ~is_new
        was_drawn |= (seating.group[position] >= 0) & ~is_new
        was_always_here &= ~present | (seating.kind[position] == region)
        in_all &= present
    stays = in_all & was_always_here
    stayers = np.bincount(region[stays], minlength=first.groups)
    return RepeatedDraws(first, region, ~was_drawn & was_always_here, int(stayers.min()))


def locate_people(columns: Columns, rows: Table | Rows, release: Release) -> np.ndarray:
    """Return the region of each person, by the number in the column PERSON; DataError where somebody is in none."""
    names = [column.name for column in columns.quasi]
    table = rows.histogram([*names, PERSON])
    codes = [table.codes[:, number].astype(np.int64) for number in range(len(names))]
    quasi = build_rows(names, codes, [max(column.size, 1) for column in columns.quasi])
    distinct = quasi.histogram(names)
    home = release.locate(Microdata(columns, quasi))
    keys = {tuple(cell): number for number, cell in enumerate(distinct.codes.tolist())}
    place = np.array([keys[tuple(cell)] for cell in np.stack(codes, axis=1).tolist()], dtype=np.int64)
    person = table.column(PERSON).astype(np.int64)
    region = np.full(int(person.max(initial=-1)) + 1, NO_SEAT)
    region[person] = home[place]
    if (region < 0).any():
        raise DataError(
            f"{int((region < 0).sum())} people lie outside the regions of the first release.",
            code="data.regions",
            hint="Declare the domains of the quasi-identifier columns before the first release.",
        )
    return region


def draw_people(
    rows: Rows, target: Column, may_be_drawn: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw one person of each group who may be drawn, all equally likely; return the people, their values, and the
    sizes of the groups."""
    if may_be_drawn is None:  # as without a ledger, so that the first release of a series is the same
        sizes = rows.count_people()
        place = rows.key.draw_below("sample", sizes, len(sizes)).astype(np.int64)
        return rows.pick(place, PERSON).astype(np.int64), rows.pick(place, target.name), sizes
    group, table = rows.count_by_group([PERSON, target.name])
    person, value = table.codes[:, 0].astype(np.int64), table.codes[:, 1].astype(np.int64)
    sizes = np.bincount(group, minlength=rows.groups)
    chosen = np.flatnonzero(may_be_drawn[person])
    pool = np.bincount(group[chosen], minlength=rows.groups)
    assert (pool > 0).all(), "the plan has counted the people who stay"
    order = chosen[np.lexsort((person[chosen], group[chosen]))]
    starts = np.concatenate([[0], np.cumsum(pool)[:-1]])
    drawn = order[starts + rows.key.draw_below("sample", pool, len(pool)).astype(np.int64)]
    return person[drawn], value[drawn], sizes


def show_again(columns: Columns, first: Release, values: np.ndarray, sizes: np.ndarray) -> Release:
    """Return the regions of the first release with new values and sizes."""
    target = columns.sensitive[0]
    labels = np.array(target.domain.values.to_list(), dtype=object)
    table = first.drop_ends()["table"].with_columns(
        pl.Series(target.name, labels[values].tolist(), dtype=first.tables["table"][target.name].dtype),
        pl.Series("group_size", sizes, dtype=pl.Int64),
    )
    dictionary = {"format": first.dictionary["format"], "columns": list(map(drop_ends, first.dictionary["columns"]))}
    return replace(first, tables={"table": table}, dictionary=dictionary, certificate=UNSIGNED)


def seat_drawn(
    columns: Columns, rows: Rows, release: Release, drawn: np.ndarray, values: np.ndarray, pseudonyms: np.ndarray
) -> Seating:
    """Return the seats: the drawn people have one, and `kind` is everybody's region."""
    region, target = locate_people(columns, rows, release), columns.sensitive[0]
    seat, shown = np.full(len(pseudonyms), NO_SEAT), np.full(len(pseudonyms), NO_SEAT)
    seat[drawn], shown[drawn] = region[drawn], values
    labels = tuple(target.domain.labels)
    present = np.ones(len(pseudonyms), dtype=bool)
    return Seating(pseudonyms, seat, region, present, {target.name: SeatValues(labels, shown)})


def require_same_channel(name: str, p: float | None, s: float, splitter: str, columns: Columns, first: Release) -> None:
    """Raise PolicyError unless a series goes on as it began: p, the list of values, and the regions never change."""
    stated, channel, target = first.certificate.method, first.channel, columns.sensitive[0]
    if channel is None or stated.get("name") != name or stated.get("splitter") != "mondrian" or splitter != "mondrian":
        raise PolicyError(
            f"{name} follows only releases that it cut without looking at values.",
            code="policy.after-regions",
            hint="Start a new series, with the splitter mondrian.",
        )
    if p is not None and exact_fraction(p) != exact_fraction(channel.keep):
        raise PolicyError(
            f"{name}: p = {p:g}, but the earlier releases have p = {float(channel.keep):g}, and p never changes.",
            code="policy.after-channel",
            hint="Leave p out.",
        )
    if stated.get("s") != s:
        raise PolicyError(
            f"{name}: s = {s:g}, but the regions of the earlier releases were cut with s = {stated.get('s')}.",
            code="policy.after-regions",
            hint=f"Use {parameter('s', stated.get('s'))}.",
        )
    listed = first.described("sensitive")[0]["domain"]["values"]
    if listed != replace(target.domain, declared=True).as_json()["values"]:
        raise PolicyError(
            f"{name}: the list of values of {target.name!r} is not that of the earlier releases, and it never changes.",
            code="policy.after-channel",
            hint="Declare the same domain as before.",
        )
