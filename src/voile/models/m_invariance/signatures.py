"""Signatures: the lists of values that people are shown with, from release to release."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from voile.adversaries.ledger import Ledger
from voile.errors import Unsatisfiable
from voile.models.evidence import Evidence
from voile.releases.release import Release
from voile.tables.microdata import PERSON, Microdata, require_people
from voile.tables.row_protocol import Rows
from voile.tables.schema import Column

SIGNATURE = "#signature"  # the last column of linked rows; no published column has this name
Row = tuple[str, ...]
Signature = tuple[str, ...]


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
    return sorted({signature for table in tables for signatures in table.values() for signature in signatures})


def number_signatures(data: Microdata, linked: Rows, ledger: Ledger, earlier: Sequence[Release]) -> np.ndarray:
    """Return the number of each person's signature, counted from 1 in the order of `list_signatures`; 0 for new
    people."""
    numbers = {signature: position for position, signature in enumerate(list_signatures(earlier), 1)}
    signatures = find_signatures(data, ledger, earlier)
    _refuse_changed_values(data.columns.sensitive[0], linked, signatures)
    return np.array([numbers[signature] if signature is not None else 0 for signature in signatures], dtype=np.int64)


def _refuse_changed_values(target: Column, linked: Rows, signatures: Sequence[Signature | None]) -> None:
    """Raise Unsatisfiable if anybody's value is not in their signature."""
    table = linked.histogram([target.name, PERSON])
    changed_people = 0
    for value, person in table.codes.tolist():
        signature = signatures[person]
        changed_people += signature is not None and target.domain.labels[value] not in signature
    if changed_people:
        raise Unsatisfiable(
            f"{changed_people} people have a sensitive value that is not among those they were shown with before.",
            code="unsatisfiable.changed",
            hint="m-invariance assumes that values do not change: give a changed record a person of its own.",
            best="Publish the people whose values did not change.",
        )


def list_seat_signatures(ledger: Ledger, releases: Sequence[Release]) -> list[Signature | None]:
    """Return the signature of everybody in `ledger.people`: the values of the group of their last seat; None where they
    never had one."""
    number, group = ledger.last_seats(len(releases))
    signatures: list[Signature | None] = [None] * len(ledger.people)
    for position, release in enumerate(releases):
        counts = next(iter(release.tallies.values()))
        assert counts.column is not None
        texts, cuts = counts.column.domain.labels, counts.starts
        for person in np.flatnonzero(number == position).tolist():
            inside = slice(cuts[group[person]], cuts[group[person] + 1])
            signatures[person] = tuple(sorted(texts[code] for code in counts.values[inside]))
    return signatures


def find_signatures(data: Microdata, ledger: Ledger, releases: Sequence[Release]) -> list[Signature | None]:
    """Return the signature of each person of a table, in the order of their numbers; None for new people."""
    position = ledger.find_people(ledger.make_pseudonyms(require_people(data).list_hashes()))
    listed = list_seat_signatures(ledger, releases)
    return [listed[place] if place >= 0 else None for place in position.tolist()]


def count_changed_signatures(release: Release, earlier: Sequence[Release], evidence: Evidence) -> tuple[int, int]:
    """Count the people who were shown among other values before: those who certainly were, and those who may have been.

    From the releases alone, of n people with one quasi-identifier now and m before, min(n, m) may be the same people.
    With the table and the ledger it is known who they are, and which values they were shown with.
    """
    signatures_now = signatures_by_row(release)
    if evidence.data is not None and evidence.ledger is not None:
        evidence.ledger.check_beginning([before.digest for before in earlier])
        signatures = find_signatures(evidence.data, evidence.ledger, [*earlier, release])
        return _count_missing(signatures_now, evidence.data, signatures), 0
    possible_changes = 0
    for earlier_release in earlier:
        signatures_before = signatures_by_row(earlier_release)
        for row in signatures_now.keys() & signatures_before.keys():
            common = Counter(signatures_now[row]) & Counter(signatures_before[row])
            possible_changes += max(min(len(signatures_now[row]), len(signatures_before[row])) - common.total(), 0)
    return 0, possible_changes


def _count_missing(
    signatures_now: dict[Row, list[Signature]], data: Microdata, signatures: Sequence[Signature | None]
) -> int:
    """Count the people of the table for whom the release has no row with their quasi-identifier and signature. For
    a person with several rows, the table alone does not tell which row was published."""
    linked_data = data.with_linked_rows()
    assert linked_data is not None
    rows_per_person = linked_data.rows.histogram([PERSON]).counts
    names = [column.name for column in data.columns.quasi]
    table = linked_data.rows.histogram([*names, PERSON])
    texts = [np.array(data.columns[name].domain.labels, dtype=object)[table.column(name)] for name in names]
    expected_rows: Counter[tuple[Row, Signature]] = Counter()
    for row, person in zip(zip(*texts, strict=True), table.column(PERSON).tolist(), strict=True):
        signature = signatures[person]
        if signature is not None and rows_per_person[person] == 1:
            expected_rows[row, signature] += 1
    published_rows = Counter((row, signature) for row, signatures in signatures_now.items() for signature in signatures)
    return (expected_rows - published_rows).total()
