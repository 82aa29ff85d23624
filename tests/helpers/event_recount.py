"""Publish a random table of events, and recount with the ids whom the release protects."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import polars as pl
from event_tables import PERSON, EventRequest
from oracle import people, stands_for

import voile as vl
from voile.engines.person_rows import hash_people
from voile.errors import Unsatisfiable
from voile.releases.release import Release
from voile.tables.microdata import PERSON as NUMBER
from voile.tables.microdata import Microdata


def recount(request: EventRequest, enumerate_all: bool = False) -> bool:
    """Publish and recount; AssertionError if a promise does not hold. Return whether a release was recounted."""
    data = vl.read(request.frame, request.schema)
    try:
        release = vl.publish(data, request.policy, request.method, key=request.key)
    except Unsatisfiable:
        return False
    drawn = list_drawn(data, request)
    verdict = vl.verify(release, data=data)
    assert verdict.holds, str(verdict)
    stars = any("*" in release.tables["table"][name].to_list() for name in request.quasi)
    if stars and release.dictionary["withheld"]:
        # a withheld row fits a box of stars, too: publish with a number in each row, which tells where it is
        groups = check_numbered(request)
    else:
        groups = check_groups(release, drawn, request)
    if enumerate_all:
        check_beliefs(groups, request)
    else:
        check_union_bound(groups, request)
    return True


def list_drawn(data: Microdata, request: EventRequest) -> list[dict[str, Any]]:
    """List the rows that the key draws, with whose they are; check against the table that they are fairly many."""
    assert data.people is not None
    linked: Any = data.people.draw_linked(request.rows_per_person, request.key)
    known = request.frame[PERSON].cast(pl.String).drop_nulls().unique()
    name_of = dict(zip(hash_people(known).tolist(), known.to_list(), strict=True))
    names = [name_of[number] for number in data.people.list_hashes().tolist()]
    table = linked.histogram(linked.names)
    columns = {name: data.columns[name].domain.decode(table.column(name)).to_list() for name in linked.names[:-1]}
    columns[PERSON] = [names[number] for number in table.column(NUMBER)]
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    drawn = [row for row, count in zip(rows, table.counts.tolist(), strict=True) for _ in range(count)]
    check_draw(drawn, request)
    return drawn


def check_draw(drawn: list[dict[str, Any]], request: EventRequest) -> None:
    """Of each person as many rows as allowed are drawn, and only rows of the table."""
    whole = [{**row, PERSON: str(row[PERSON])} for row in request.frame.to_dicts()]
    names = [PERSON, *request.quasi, *request.sensitive]
    assert count_rows(drawn, names) <= count_rows(whole, names), "a row that was drawn is not in the table"
    allowed = {
        person: min(rows, request.rows_per_person) for person, rows in Counter(row[PERSON] for row in whole).items()
    }
    assert Counter(row[PERSON] for row in drawn) == allowed


def count_rows(rows: list[dict[str, Any]], names: list[str]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row[name] for name in names) for row in rows)


def check_groups(
    release: Release, drawn: list[dict[str, Any]], request: EventRequest
) -> dict[people.Box, list[people.Row]]:
    """Every group has k people or more, and none of them has more than 1/k of its rows. Return the groups."""
    published = release.tables["table"].to_dicts()
    groups, nowhere = people.place_rows(published, release.described("quasi"), drawn, request.sensitive)
    assert len(nowhere) == release.dictionary["withheld"]
    assert len(published) + len(nowhere) == request.rows_left()
    assert people.fewest_people(groups, PERSON) >= request.k
    assert people.largest_share(groups, PERSON) <= Fraction(1, request.k)
    return groups


def check_numbered(request: EventRequest) -> dict[people.Box, list[people.Row]]:
    """Publish the table with a column that numbers its rows, and check the groups by these numbers."""
    frame = request.frame.with_columns(row=pl.Series([f"r{number}" for number in range(request.frame.height)]))
    data = vl.read(frame, replace(request.schema, other=("row",), confirmed=("row",)))
    release = vl.publish(data, request.policy, request.method, key=request.key)
    own = {row["row"]: row for row in frame.to_dicts()}
    published = release.tables["table"].to_dicts()
    assert len({row["row"] for row in published}) == len(published)
    assert len(published) + release.dictionary["withheld"] == request.rows_left()
    groups: dict[people.Box, list[people.Row]] = {}
    for row in published:
        true = own[row["row"]]
        assert all(row[name] == true[name] for name in request.sensitive)
        for entry in release.described("quasi"):
            name = str(entry["name"])
            assert true[name] in stands_for(str(row[name]), entry, [true[name]])
        groups.setdefault(tuple(str(row[name]) for name in request.quasi), []).append(true)
    shown = Counter(person for rows in groups.values() for person in (row[PERSON] for row in rows))
    assert max(shown.values()) <= request.rows_per_person
    assert people.fewest_people(groups, PERSON) >= request.k
    assert people.largest_share(groups, PERSON) <= Fraction(1, request.k)
    return groups


def strictest_belief(request: EventRequest) -> Fraction | None:
    """Return the largest belief that the request allows; None if it says nothing about values."""
    bounds = [Fraction(1, request.diversity)] if request.diversity is not None else []
    bounds += [Fraction(str(request.alpha))] if request.alpha is not None else []
    return min(bounds, default=None)


def check_beliefs(groups: dict[people.Box, list[people.Row]], request: EventRequest) -> None:
    """By enumeration of which rows are whose: nobody is linked to a row or to a value with more than is promised."""
    bound = strictest_belief(request)
    for column in request.sensitive:
        identity, beliefs = people.enumerate_beliefs(groups, PERSON, column)
        assert identity <= Fraction(1, request.k)
        assert bound is None or max(beliefs.values()) <= bound


def check_union_bound(groups: dict[people.Box, list[people.Row]], request: EventRequest) -> None:
    """The sum over a person's rows of the shares of a value in their groups, an upper limit of the belief that the
    person has it in any row, stays within the promise."""
    bound = strictest_belief(request)
    if bound is None:
        return
    for column in request.sensitive:
        sums: Counter[tuple[Any, Any]] = Counter()
        for rows in groups.values():
            values = Counter(row[column] for row in rows)
            for person, own in Counter(row[PERSON] for row in rows).items():
                for value, count in values.items():
                    sums[person, value] += Fraction(own * count, len(rows))  # type: ignore[assignment]
        assert max(sums.values()) <= bound
