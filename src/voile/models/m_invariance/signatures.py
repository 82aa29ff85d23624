"""Signatures: the lists of values that people are shown with, from release to release."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from voile.adversaries.ledger import Ledger, Signature
from voile.errors import DataError, Unsatisfiable
from voile.models.evidence import Evidence
from voile.releases.release import Release
from voile.tables.microdata import PERSON, Microdata, require_people
from voile.tables.row_protocol import Rows
from voile.tables.schema import Column, Columns

SIGNATURE = "#signature"  # the last column of linked rows; no published column has this name
Row = tuple[str, ...]


def signatures_by_row(release: Release) -> dict[Row, list[Signature]]:
    """Return the signatures that the people with each quasi-identifier are shown with."""
    counts = next(iter(release.tallies.values()))
    assert counts.column is not None
    texts, cuts = counts.column.domain.labels, counts.starts
    lists = [tuple(sorted(texts[code] for code in counts.values[cuts[g] : cuts[g + 1]])) for g in range(counts.groups)]
    by_row: dict[Row, list[Signature]] = defaultdict(list)
    for group, row in release.exact_texts():
        by_row[row].append(lists[group])
    return by_row


def list_signatures(earlier: Sequence[Release | str]) -> list[Signature]:
    """List all signatures that the earlier releases show, in rising order."""
    tables = [signatures_by_row(release) for release in earlier if isinstance(release, Release)]
    return sorted({signature for table in tables for shown in table.values() for signature in shown})


def number_signatures(data: Microdata, linked: Rows, ledger: Ledger, earlier: Sequence[Release]) -> np.ndarray:
    """Return the number of each person's signature, counted from 1 in the order of `list_signatures`; 0 for new
    people."""
    numbers = {signature: number for number, signature in enumerate(list_signatures(earlier), 1)}
    known = [ledger.signature(person) for person in require_people(data).list_names()]
    unlisted = sum(signature is not None and signature not in numbers for signature in known)
    if unlisted:
        raise DataError(
            f"The ledger shows {unlisted} people with values that no earlier release lists.",
            code="data.ledger",
            hint="Name all earlier releases, together with the ledger that was kept with them.",
        )
    _refuse_changed_values(data.columns.sensitive[0], linked, known)
    return np.array([numbers[signature] if signature is not None else 0 for signature in known], dtype=np.int64)


def _refuse_changed_values(target: Column, linked: Rows, known: Sequence[Signature | None]) -> None:
    """Raise Unsatisfiable if anybody's value is not in their signature."""
    table = linked.histogram([target.name, PERSON])
    changed = 0
    for value, person in table.codes.tolist():
        signature = known[person]
        changed += signature is not None and target.domain.labels[value] not in signature
    if changed:
        raise Unsatisfiable(
            f"{changed} people have a sensitive value that is not among those they were shown with before.",
            code="unsatisfiable.changed",
            hint="m-invariance assumes that values do not change: give a changed record a person of its own.",
            best="Publish the people whose values did not change.",
        )


def current_signatures(
    columns: Columns, rows: Rows, data: Microdata, earlier: Sequence[Release]
) -> list[tuple[str, Signature]]:
    """Return everybody's signature in grouped rows: the list that a group keeps, or the values of a new group."""
    target, lists = columns.sensitive[0], list_signatures(earlier)
    texts = target.domain.labels
    groups, table = rows.count_by_group([target.name])
    values: dict[int, list[str]] = defaultdict(list)
    for group, code in zip(groups.tolist(), table.codes[:, 0].tolist(), strict=True):
        values[group].append(texts[code])
    _, number = rows.find_extents(SIGNATURE)
    groups, table = rows.count_by_group([PERSON])
    people, shown = require_people(data).list_names(), []
    for group, person in zip(groups.tolist(), table.codes[:, 0].tolist(), strict=True):
        signature = lists[number[group] - 1] if number[group] else tuple(sorted(values[group]))
        shown.append((people[person], signature))
    return shown


def count_changed_signatures(release: Release, earlier: Sequence[Release], evidence: Evidence) -> tuple[int, int]:
    """Count the people who were shown among other values before: for certain, and if they are the same people.

    From the releases alone, of n people with one quasi-identifier now and m before, min(n, m) may be the same people.
    With the table and the ledger it is known who they are, and which values they were shown with.
    """
    now = signatures_by_row(release)
    if evidence.data is not None and evidence.ledger is not None:
        return _count_missing(now, evidence.data, evidence.ledger), 0
    unclear = 0
    for other in earlier:
        before = signatures_by_row(other)
        for row in now.keys() & before.keys():
            common = Counter(now[row]) & Counter(before[row])
            unclear += max(min(len(now[row]), len(before[row])) - common.total(), 0)
    return 0, unclear


def _count_missing(now: dict[Row, list[Signature]], data: Microdata, ledger: Ledger) -> int:
    """Count the people of the table for whom the release has no row with their quasi-identifier and signature. Of
    somebody with more rows than one, the table alone does not tell which was published."""
    people = require_people(data).list_names()  # EngineError where the table is not in memory
    linked = data.with_linked_rows()
    assert linked is not None
    rows = linked.rows.histogram([PERSON]).counts
    names = [column.name for column in data.columns.quasi]
    table = linked.rows.histogram([*names, PERSON])
    texts = [np.array(data.columns[name].domain.labels, dtype=object)[table.column(name)] for name in names]
    expected: Counter[tuple[Row, Signature]] = Counter()
    for row, person in zip(zip(*texts, strict=True), table.column(PERSON).tolist(), strict=True):
        signature = ledger.signature(people[person])
        if signature is not None and rows[person] == 1:
            expected[row, signature] += 1
    published = Counter((row, signature) for row, shown in now.items() for signature in shown)
    return (expected - published).total()
