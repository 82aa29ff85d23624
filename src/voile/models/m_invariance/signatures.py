"""Signatures: the list of values that everybody was shown with, from release to release."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from voile.adversaries.ledger import Ledger, Signature
from voile.errors import DataError, Unsatisfiable, option
from voile.models.evidence import Evidence
from voile.releases.release import Release
from voile.tables.microdata import PERSON, Microdata
from voile.tables.row_protocol import Rows
from voile.tables.schema import Columns

SIGNATURE = "#signature"  # the last column of linked rows; no published column is named like this
Row = tuple[str, ...]


def shown(release: Release) -> dict[Row, list[Signature]]:
    """The signatures that people with each quasi-identifier are shown with."""
    counts = next(iter(release.tallies.values()))
    assert counts.column is not None
    texts, cuts = counts.column.domain.labels, counts.starts
    lists = [tuple(sorted(texts[code] for code in counts.values[cuts[g] : cuts[g + 1]])) for g in range(counts.groups)]
    found: dict[Row, list[Signature]] = defaultdict(list)
    for group, row in release.exact_texts():
        found[row].append(lists[group])
    return found


def signatures(earlier: Sequence[Release | str]) -> list[Signature]:
    """All lists of values that the earlier releases show, in rising order."""
    known = [shown(release) for release in earlier if isinstance(release, Release)]
    return sorted({seat for table in known for seats in table.values() for seat in seats})


def persons(data: Microdata) -> list[str]:
    """The people of a table, in the order of their codes."""
    if data.person is None:
        raise DataError(
            "The table has no column that tells who is who.",
            code="data.person",
            hint=f"Name one, e.g. {option('person', 'patient')}; it is never published.",
        )
    return data.person.domain.labels


def remembered(data: Microdata, ledger: Ledger, earlier: Sequence[Release]) -> np.ndarray:
    """For each person of a table the number of their signature, from 1 as `signatures` lists them; 0 for new people."""
    place = {signature: number for number, signature in enumerate(signatures(earlier), 1)}
    known = [ledger.signature(person) for person in persons(data)]
    lost = sum(signature is not None and signature not in place for signature in known)
    if lost:
        raise DataError(
            f"The ledger shows {lost} people with values that no earlier release lists.",
            code="data.ledger",
            hint="Name all earlier releases, with the ledger that was kept with them.",
        )
    _refuse_changed(data, known)
    return np.array([place[signature] if signature is not None else 0 for signature in known], dtype=np.int64)


def _refuse_changed(data: Microdata, known: Sequence[Signature | None]) -> None:
    assert data.linked is not None
    target = data.columns.sensitive[0]
    table = data.linked.histogram([target.name, PERSON])
    strange = 0
    for value, person in table.codes.tolist():
        signature = known[person]
        strange += signature is not None and target.domain.labels[value] not in signature
    if strange:
        raise Unsatisfiable(
            f"{strange} people have a sensitive value that was not among those they were shown with before.",
            code="unsatisfiable.changed",
            hint="m-invariance follows values that do not change: give a changed record a person of its own.",
            best="Publish the people whose values stayed.",
        )


def shown_now(columns: Columns, rows: Rows, data: Microdata, earlier: Sequence[Release]) -> list[tuple[str, Signature]]:
    """Everybody's signature in grouped rows: the list that a group keeps, or the values of a new group."""
    target, lists = columns.sensitive[0], signatures(earlier)
    texts = target.domain.labels
    group, table = rows.count_by_group([target.name])
    values: dict[int, list[str]] = defaultdict(list)
    for place, code in zip(group.tolist(), table.codes[:, 0].tolist(), strict=True):
        values[place].append(texts[code])
    _, kept = rows.find_extents(SIGNATURE)
    group, table = rows.count_by_group([PERSON])
    people = persons(data)
    found = []
    for place, person in zip(group.tolist(), table.codes[:, 0].tolist(), strict=True):
        signature = lists[kept[place] - 1] if kept[place] else tuple(sorted(values[place]))
        found.append((people[person], signature))
    return found


def count_changed_signatures(release: Release, earlier: Sequence[Release], evidence: Evidence) -> tuple[int, int]:
    """People who were shown among other values before: how many surely, and how many if they are the same people.

    From the releases alone: of n people with one quasi-identifier now and m before, min(n, m) may be the same. With the
    table and the ledger it is known who they are, and among which values they were.
    """
    now = shown(release)
    if evidence.data is not None and evidence.ledger is not None:
        return _missing_seats(now, evidence.data, evidence.ledger), 0
    unclear = 0
    for other in earlier:
        before = shown(other)
        for row in now.keys() & before.keys():
            common = Counter(now[row]) & Counter(before[row])
            unclear += max(min(len(now[row]), len(before[row])) - common.total(), 0)
    return 0, unclear


def _missing_seats(now: dict[Row, list[Signature]], data: Microdata, ledger: Ledger) -> int:
    """People of the table for whom the release has no row with their quasi-identifier and their signature."""
    people = persons(data)
    assert data.linked is not None
    names = [column.name for column in data.columns.quasi]
    table = data.linked.histogram([*names, PERSON])
    texts = [np.array(data.columns[name].domain.labels, dtype=object)[table.column(name)] for name in names]
    wanted: Counter[tuple[Row, Signature]] = Counter()
    for row, person in zip(zip(*texts, strict=True), table.column(PERSON).tolist(), strict=True):
        signature = ledger.signature(people[person])
        if signature is not None:
            wanted[row, signature] += 1
    at_hand = Counter((row, seat) for row, seats in now.items() for seat in seats)
    return (wanted - at_hand).total()
