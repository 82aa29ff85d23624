"""Following people from one release to the next.

Only the publisher knows who is who: a table read with a column of `person` keeps it beside the rows, never among them,
and no release mentions it. What is needed of the past is small: the signature (the list of values of a group) that a
person was shown with. The published tables say which signatures the people with one quasi-identifier had; which of them
had which is drawn where the values leave it open, for the coins that decided it then were thrown away.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import maximum_bipartite_matching

from voile.core.evidence import Evidence
from voile.core.key import Key
from voile.core.microdata import Microdata
from voile.core.release import Release
from voile.core.rows import Rows
from voile.errors import DataError, Unsatisfiable

PERSON = "#person"  # the last column of linked rows: who it is, or (to a method) which signature they had
Signature = frozenset[str]
Row = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Past:
    """What was shown before: `signature[person]` is the list of values, `value[person]` their own."""

    signature: dict[str, Signature]
    value: dict[str, str]


def past(earlier: Sequence[tuple[Release, Microdata]], key: Key) -> Past:
    """Everybody's signature, from the last release that they are in."""
    found = Past({}, {})
    for number, (release, data) in enumerate(earlier, 1):
        seats = shown(release)
        people: dict[Row, list[tuple[str, str]]] = defaultdict(list)
        for person, row, value in persons(data):
            people[row].append((person, value))
            found.value[person] = value
        rows = sorted(people)
        coins = key.stream(f"past {number}", sum(map(len, people.values())))
        at = 0
        for row in rows:
            order = [people[row][place] for place in np.argsort(coins[at : at + len(people[row])], kind="stable")]
            at += len(order)
            given = _matched([value for _, value in order], seats[row])
            if given is None or len(order) < len(seats[row]):
                raise DataError(
                    f"The table given with earlier release {number} is not the one that it was made from.",
                    code="data.after-table",
                    hint="Give each earlier release with its own table, in the same order.",
                )
            for (person, _), seat in zip(order, given, strict=True):
                if seat is not None:
                    found.signature[person] = seat
    return found


def shown(release: Release) -> dict[Row, list[Signature]]:
    """The signatures that people with each quasi-identifier are shown with."""
    counts = next(iter(release.tallies.values()))
    assert counts.column is not None
    texts = counts.column.domain.texts
    cuts = counts.starts
    lists = [frozenset(texts[code] for code in counts.values[cuts[g] : cuts[g + 1]]) for g in range(counts.groups)]
    columns = []
    for entry in release.described("quasi"):
        column, codes = release.sensitive_column(entry, "quasi")
        columns.append(np.array(column.domain.texts, dtype=object)[codes])
    found: dict[Row, list[Signature]] = defaultdict(list)
    group = release.group.tolist()  # type: ignore[attr-defined]
    for row, place in zip(zip(*columns, strict=True), group, strict=True):
        found[row].append(lists[place])
    return found


def persons(data: Microdata) -> Iterable[tuple[str, Row, str]]:
    """(person, quasi-identifier, sensitive value) of a table that was read with a column of persons."""
    if data.linked is None or data.person is None:
        raise DataError(
            "The table has no column that tells who is who.",
            code="data.person",
            hint="Name one in the schema, e.g. person='patient' (--person patient); it is never published.",
        )
    quasi, target = [column.name for column in data.columns.quasi], data.columns.sensitive[0]
    table = data.linked.histogram([*quasi, target.name, data.person.name])
    texts = [np.array(data.columns[name].domain.texts, dtype=object)[table.column(name)] for name in quasi]
    value = np.array(target.domain.texts, dtype=object)[table.column(target.name)]
    person = np.array(data.person.domain.texts, dtype=object)[table.column(data.person.name)]
    return zip(person.tolist(), zip(*texts, strict=True), value.tolist(), strict=True)


def _matched(values: Sequence[str], seats: Sequence[Signature]) -> list[Signature | None] | None:
    """A seat for everybody whose list holds their value, all seats taken; None where there is no such way."""
    if len(values) == 1 and len(seats) == 1:
        return [seats[0]] if values[0] in seats[0] else None
    fits = sparse.csr_matrix([[value in seat for value in values] for seat in seats] or np.zeros((0, len(values))))
    who = maximum_bipartite_matching(fits, perm_type="column") if len(seats) else np.zeros(0, dtype=int)
    if (who < 0).any():
        return None
    given: list[Signature | None] = [None] * len(values)
    for seat, person in zip(seats, who, strict=True):
        given[person] = seat
    return given


def broken_signatures(release: Release, earlier: Sequence[Release], evidence: Evidence) -> tuple[int, int]:
    """People who were shown among other values before: how many surely, and how many if they are the same people.

    From the releases alone: of n people with one quasi-identifier now and m before, min(n, m) may be the same. With the
    tables it is known how many are.
    """
    now = shown(release)
    certain, unclear = 0, 0
    tables = evidence.tables or (None,) * len(earlier)
    for other, table in zip(earlier, tables, strict=True):
        before = shown(other)
        if evidence.data is None or table is None:
            for row in now.keys() & before.keys():
                common = Counter(now[row]) & Counter(before[row])
                unclear += max(min(len(now[row]), len(before[row])) - common.total(), 0)
        else:
            for (then, here), values in _stayed(evidence.data, table).items():
                if len(before[then]) and len(now[here]):
                    common = Counter(now[here]) & Counter(before[then])
                    certain += len(values) - _seated(values, list(common.elements()))
    return certain, unclear


def _stayed(data: Microdata, table: Microdata) -> dict[tuple[Row, Row], list[str]]:
    """The values of people who are in both tables, by their quasi-identifier then and now."""
    before = {person: row for person, row, _ in persons(table)}
    found: dict[tuple[Row, Row], list[str]] = defaultdict(list)
    for person, row, value in persons(data):
        if person in before:
            found[before[person], row].append(value)
    return found


def signatures(earlier: Sequence[Release | str]) -> list[Signature]:
    """All lists of values that the earlier releases show, in an order of their own."""
    found = {
        seat
        for release in earlier
        if isinstance(release, Release)
        for seats in shown(release).values()
        for seat in seats
    }
    return sorted(found, key=sorted)


def followed(data: Microdata, earlier: Sequence[tuple[Release, Microdata]], key: Key) -> Rows:
    """The rows of a table with everybody's signature, numbered from 1 as `signatures` lists them; 0 for new people."""
    if data.linked is None or data.person is None:
        persons(data)
    assert data.linked is not None and data.person is not None
    known = past(earlier, key)
    place = {seat: number for number, seat in enumerate(signatures([release for release, _ in earlier]), 1)}
    strange = 0
    for person, _, value in persons(data):
        strange += person in known.signature and value not in known.signature[person]
    if strange:
        raise Unsatisfiable(
            f"{strange} people have a sensitive value that was not among those they were shown with before.",
            code="unsatisfiable.changed",
            hint="m-invariance follows values that do not change: give a changed record a person of its own.",
            best="Publish the people whose values stayed.",
        )
    code = [place.get(known.signature.get(person, frozenset()), 0) for person in data.person.domain.texts]
    return data.linked.recode({PERSON: np.array(code, dtype=np.int64)})


def _seated(values: Sequence[str], seats: Sequence[Signature]) -> int:
    """How many people can have a seat whose list holds their value."""
    if not values or not seats:
        return 0
    fits = sparse.csr_matrix([[value in seat for value in values] for seat in seats])
    return int((maximum_bipartite_matching(fits, perm_type="column") >= 0).sum())
