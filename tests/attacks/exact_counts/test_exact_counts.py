"""Subtraction from exact counts, against all worlds of tiny tables."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import DataError, PolicyError, VoileError
from voile.results import Finding

SIX = [("f", "y", "n"), ("m", "x", "n"), ("m", "z", "h"), ("f", "x", "h"), ("f", "z", "n"), ("m", "z", "n")]


def read(rows: Sequence[tuple[str, ...]]) -> Any:
    columns = ["a", "b", "c"][: len(rows[0]) - 1]
    frame = pl.DataFrame(rows, [*columns, "s"], orient="row")
    return frame, vl.read(frame, vl.Schema(quasi=columns, sensitive=["s"], domains={"s": ["g", "h", "n"]}))


def attack(release: Any, data: Any, **knobs: Any) -> Finding:
    (finding,) = vl.audit(release, data, [vl.attacks.ExactCounts(**knobs)]).findings
    return finding


def test_six_people_whose_counts_are_known() -> None:
    _, data = read(SIX)
    model = vl.RRobustness(r=2, protect=("h",), min_support=2)
    release = vl.publish(data, model, vl.Art(), key=vl.Key(bytes(32)))
    assert release.certificate.claims[0]["found"]["worst_belief"] == 0.5
    finding = attack(release, data)
    assert finding.belief.worst == 1
    assert finding.belief.details["people whose protected value is certain"] == 1
    assert finding.belief.details["people above the bound"] == 1
    assert not finding.inside


def test_it_is_shown_for_every_robust_release_and_never_counts_as_promised() -> None:
    _, data = read(SIX)
    release = vl.publish(data, vl.RRobustness(r=2, protect=("h",), min_support=2), vl.Art(), key=vl.Key(bytes(32)))
    findings = [finding for finding in vl.audit(release, data).findings if finding.attack == "exact-counts"]
    assert [finding.inside for finding in findings] == [False]
    (note,) = [note for note in vl.audit(release).notes if "exact-counts" in note]
    assert "exact counts no promise covers" in note
    boxes = vl.publish(data, vl.KAnonymity(k=2))
    assert not any(finding.attack == "exact-counts" for finding in vl.audit(boxes, data).findings)
    with pytest.raises(PolicyError, match="does not have"):
        vl.audit(boxes, data, [vl.attacks.ExactCounts(protect=("x",))])
    with pytest.raises(PolicyError, match="does not apply"):
        vl.audit(boxes, data, [vl.attacks.ExactCounts()])


def test_another_table_is_refused() -> None:
    _, data = read(SIX)
    release = vl.publish(data, vl.RRobustness(r=2, protect=("h",), min_support=2), vl.Art(), key=vl.Key(bytes(32)))
    _, other = read([("f", "y", "n"), *SIX[2:], ("m", "z", "h")])
    with pytest.raises(DataError, match="does not have"):
        attack(release, other)


def worlds(groups: Sequence[Any], cases: dict[Any, int], sums: Sequence[tuple[list[int], int]]) -> Iterator[list[int]]:
    """Go through all ways to say who is a case, given the cases of each group and of each listed set of people."""
    for world in itertools.product((0, 1), repeat=len(groups)):
        found: Counter[Any] = Counter()
        for group, case in zip(groups, world, strict=True):
            found[group] += case
        fits_groups = all(found[group] == cases[group] for group in set(groups))
        if fits_groups and all(sum(world[person] for person in people) == known for people, known in sums):
            yield list(world)


def list_sums(frame: pl.DataFrame, people: list[tuple[str, ...]], event: set[str], support: int) -> list[Any]:
    """List the people of each signature (and of each rest) and how many of them are cases."""
    columns = frame.columns[:-1]
    truth = [(row[:-1], row[-1] in event) for row in frame.iter_rows()]
    sums: list[tuple[list[int], int]] = [(list(range(len(people))), sum(case for _, case in truth))]
    for size in range(1, len(columns) + 1):
        for subset in itertools.combinations(range(len(columns)), size):
            sizes = Counter(tuple(row[j] for j in subset) for row, _ in truth)

            def name(row: tuple[str, ...], subset: Any = subset, sizes: Any = sizes) -> Any:
                signature = tuple(row[j] for j in subset)
                return signature if sizes[signature] >= support else None

            for known in {name(row) for row, _ in truth}:
                cases = sum(case for row, case in truth if name(row) == known)
                sums.append(([i for i, row in enumerate(people) if name(row) == known], cases))
    return sums


def cell_values(text: str) -> set[str] | None:
    if text == "*":
        return None
    return set(text[1:-1].split("|")) if text.startswith("{") else {text}


def place(frame: pl.DataFrame, release: Any, event: set[str]) -> tuple[list[Any], list[Any], dict[Any, int]]:
    """Return everybody's quasi-identifier and group, and the cases of each group; by reading the published tables."""
    truth = [(row[:-1], row[-1] in event) for row in frame.iter_rows()]
    if "quasi" in release.tables:
        shown = [tuple(map(str, row)) for row in release.tables["quasi"].iter_rows()]
        people, groups = [row[1:] for row in shown], [row[0] for row in shown]
        cases: dict[Any, int] = dict.fromkeys(groups, 0)
        for group, value, count in release.tables["sensitive"].iter_rows():
            cases[str(group)] += count if value in event or value == "protected values" else 0
        missing = Counter(row for row, _ in truth) - Counter(people)
        people, groups = [*people, *missing.elements()], [*groups, *["missing"] * missing.total()]
        cases["missing"] = sum(case for _, case in truth) - sum(cases.values())
        return people, groups, cases
    boxes: Counter[Any] = Counter()
    for row in release.tables["table"].cast(pl.String).iter_rows():
        boxes[row[:-1]] += row[-1] in event
    people = [row for row, _ in truth]
    groups = []
    for person in people:
        fitting = [
            box
            for box in boxes
            if all((values := cell_values(cell)) is None or v in values for cell, v in zip(box, person, strict=True))
        ]
        assert len(fitting) == 1, "boxes of Mondrian on categories do not overlap"
        groups += fitting
    return people, groups, dict(boxes)


def random_case(seed: int) -> tuple[Any, Any, Any, set[str], int]:
    rng = np.random.default_rng(seed)
    columns, people = int(rng.integers(1, 4)), int(rng.integers(4, 10))
    rows = [
        (*(str(rng.integers(0, 3)) for _ in range(columns)), str(rng.choice(["n", "n", "h", "g"])))
        for _ in range(people)
    ]
    frame, data = read(rows)
    support, key = int(rng.integers(1, 4)), vl.Key(rng.bytes(32))
    if rng.random() < 0.4:
        return frame, data, vl.publish(data, vl.KAnonymity(k=2), key=key), {"h"}, support
    together = rng.random() < 0.5
    protect = ("g", "h") if together else ("h",)
    model = vl.RRobustness(r=1.5, protect=protect, protect_as="set", min_support=support)
    method = vl.Art(
        grouping=str(rng.choice(["greedy", "block"])),
        publish=str(rng.choice(["exact", "indicator"])),
        frequent="suppress",
    )
    return frame, data, vl.publish(data, model, method, key=key), set(protect), support


def test_it_never_claims_more_than_all_worlds_do() -> None:
    known, missed, releases = 0, 0, 0
    for seed in range(160):
        try:
            frame, data, release, event, support = random_case(seed)
        except VoileError:
            continue
        people, groups, cases = place(frame, release, event)
        possible = list(worlds(groups, cases, list_sums(frame, people, event, support)))
        assert possible, "the true world is one of them"
        shares = np.mean(possible, axis=0)
        belief = attack(release, data, protect=tuple(event), protect_as="set", min_support=support).belief
        certain = belief.details["people whose protected value is certain"]
        assert certain <= (shares == 1).sum()
        assert belief.worst <= shares.max() + 1e-9, "a mean over people is at most the greatest of their beliefs"
        assert sum(belief.people) == len(people)
        releases, known, missed = releases + 1, known + certain, missed + int((shares == 1).sum()) - certain
    assert releases > 80
    assert known > 10 * max(missed, 1), f"it finds {known} certain people and misses {missed}"


def test_column_sets_that_are_left_out_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    _, data = read(SIX)
    release = vl.publish(data, vl.RRobustness(r=2, protect=("h",), min_support=2), vl.Art(), key=vl.Key(bytes(32)))
    assert not any("leaves out" in note for note in vl.audit(release, data, [vl.attacks.ExactCounts()]).notes)
    monkeypatch.setattr("voile.attacks.exact_counts.exact_counts.WORK", 12)  # six cells, and two sets of one column
    audit = vl.audit(release, data, [vl.attacks.ExactCounts()])
    assert audit.findings[0].belief.details["column sets left out"] == 1
    assert any("exact-counts" in note and "leaves out 1 of 3 column sets" in note for note in audit.notes)
