"""A series of perturbed samples: fixed regions, nobody is drawn twice, and what cannot be continued is refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import BrokenPromise, DataError, PolicyError, Unsatisfiable
from voile.results import Answer

VALUES = ["cold", "flu", "gout", "HIV"]
METHOD = vl.PerturbedGeneralization(s=0.05)


def people(rows: int = 160, skip: tuple[int, ...] = ()) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    frame = pl.DataFrame(
        {
            "id": range(rows),
            "age": rng.integers(20, 80, rows),
            "city": rng.choice(["Bern", "Oslo"], rows),
            "ill": rng.choice(VALUES, rows),
        }
    )
    return frame.filter(~pl.col("id").is_in(skip))


def read(frame: pl.DataFrame, values: list[str] = VALUES) -> Any:
    roles: Any = {"person": "id", "quasi": ["age", "city"], "sensitive": ["ill"]}
    return vl.read(frame, vl.Schema(**roles, domains={"ill": values, "age": list(range(20, 80))}))


def make_key(number: int) -> vl.Key:
    return vl.Key(bytes([number]) * 32)


def series(number: int = 3, epsilon: float = 3.0) -> tuple[list[Any], vl.Ledger, list[Any]]:
    """Publish a few releases; some people leave after the first, and return after the second."""
    ledger, releases, tables = vl.Ledger(), list[Any](), list[Any]()
    for turn in range(number):
        data = read(people(skip=(3, 70, 120) if turn == 1 else ()))
        model = vl.LabelDifferentialPrivacy(epsilon, releases=number + 1)
        releases.append(vl.publish(data, model, METHOD, key=make_key(turn), after=releases[:], ledger=ledger))
        tables.append(data)
    return releases, ledger, tables


def test_regions_stay_and_nobody_is_drawn_twice() -> None:
    releases, ledger, _ = series()
    boxes = [release.tables["table"].select("age", "city").rows() for release in releases]
    assert boxes[0] == boxes[1] == boxes[2]
    drawn = np.concatenate([np.flatnonzero(ledger.seating(number).group >= 0) for number in range(3)])
    assert len(drawn) == len(set(drawn.tolist())) == 3 * releases[0].groups
    assert [release.people for release in releases] == [160, 157, 160]
    assert releases[0].certificate.method["p"] == releases[2].certificate.method["p"]
    claim = releases[2].certificate.claims[0]
    assert len(claim["parameters"]["earlier"]) == 2
    assert claim["parameters"]["stayers"] == min(
        Counter(ledger.seating(0).kind[ledger.seating(1).present].tolist()).values()
    )
    assert "earlier" in claim["adversary"]["knows"]


def test_verdicts_rise_with_what_is_at_hand(tmp_path: Path) -> None:
    releases, ledger, tables = series(2)
    folder = releases[1].save(tmp_path / "second")
    alone = vl.verify(folder)
    assert {check.answer for check in alone.checks} == {Answer.HOLDS, Answer.NEEDS}
    assert "Needs the earlier release" in str(alone)
    assert "ledger" in str(vl.verify(folder, after=releases[:1]))
    some = vl.verify(folder, after=releases[:1], data=tables[1], key=make_key(1))
    assert not some.broken
    assert not some.holds
    assert vl.verify(folder, after=releases[:1], data=tables[1], key=make_key(1), ledger=ledger).holds
    assert vl.verify(folder, after=releases[:1], data=tables[1], key=make_key(9), ledger=ledger).broken


def test_the_ledger_recounts_who_stayed() -> None:
    releases, ledger, _ = series(2)
    claim = releases[1].certificate.claims[0]
    assert not vl.verify(releases[1], after=releases[:1], ledger=ledger).broken
    forged = {**claim, "parameters": {**claim["parameters"], "stayers": claim["parameters"]["stayers"] - 1}}
    changed = releases[1].with_certificate(replace(releases[1].certificate, claims=(forged,)))
    ledger.releases[1] = changed.digest  # or the ledger would not know the forged release at all
    verdict = vl.verify(changed, after=releases[:1], ledger=ledger)
    assert any("By the ledger" in check.detail for check in verdict.checks if check.answer is Answer.BROKEN)


def test_draws_are_even() -> None:
    """Each of the people who may be drawn is drawn about equally often."""
    frame = pl.DataFrame({"id": range(8), "age": [30] * 8, "city": ["Bern"] * 8, "ill": ["flu"] * 8})
    model, method, drawn = (
        vl.LabelDifferentialPrivacy(3.0, releases=2),
        vl.PerturbedGeneralization(s=0.125),
        Counter[int](),
    )
    for turn in range(100):
        ledger, data = vl.Ledger(), read(frame)
        first = vl.publish(data, model, method, key=make_key(turn), ledger=ledger)
        vl.publish(data, model, method, key=make_key(255 - turn), after=[first], ledger=ledger)
        names = ledger.make_pseudonyms(data.people.list_hashes())
        order = np.argsort(names)
        for number in range(2):
            (seat,) = np.flatnonzero(ledger.seating(number).group >= 0)
            drawn[int(order[np.searchsorted(names[order], ledger.people[seat])])] += 1
    assert set(drawn) == set(range(8))
    assert sum((count - 25) ** 2 / 25 for count in drawn.values()) < 24.3  # chi-squared, 7 degrees, one in a thousand


def test_people_who_moved_are_not_drawn_any_more() -> None:
    ledger, frame = vl.Ledger(), people()
    model = vl.LabelDifferentialPrivacy(4.0, releases=4)
    first = vl.publish(read(frame), model, METHOD, key=make_key(0), ledger=ledger)
    moved = frame.with_columns(age=pl.when(pl.col("id") < 10).then(99 - pl.col("age")).otherwise(pl.col("age")))
    data = read(moved)
    vl.publish(data, model, METHOD, key=make_key(1), after=[first], ledger=ledger)
    region = [ledger.seating(number).kind for number in range(2)]
    drawn = np.flatnonzero(ledger.seating(1).group >= 0)
    assert (region[0] != region[1]).any()
    assert (region[0][drawn] == region[1][drawn]).all()


def refuse(kind: Any, match: str, **changes: Any) -> None:
    ledger = changes.pop("ledger", vl.Ledger())
    model = vl.LabelDifferentialPrivacy(3.0)
    first = vl.publish(read(people()), model, changes.pop("first", METHOD), key=make_key(0), ledger=ledger)
    data = read(people(skip=changes.pop("skip", ())), changes.pop("values", VALUES))
    given = changes.pop("given", ledger)
    with pytest.raises(kind, match=match):
        vl.publish(data, changes.pop("model", model), changes.pop("method", METHOD), after=[first], ledger=given)


@pytest.mark.parametrize(
    ("kind", "match", "changes"),
    [
        (DataError, "must be known who", {"given": None}),
        (DataError, "It records 0 releases, and 1 is named", {"given": vl.Ledger()}),
        (PolicyError, "p never changes", {"method": vl.PerturbedGeneralization(s=0.05, p=0.01)}),
        (PolicyError, "it never changes", {"values": [*VALUES, "polio"]}),
        (PolicyError, "were cut with", {"method": vl.PerturbedGeneralization(s=0.1)}),
        (PolicyError, "without looking", {"method": vl.PerturbedGeneralization(s=0.05, splitter="specialization")}),
        (PolicyError, "is about one release", {"model": vl.AntiCorruption(skew=0.5)}),
        (Unsatisfiable, "out of reach", {"model": vl.LabelDifferentialPrivacy(1.0)}),
        (Unsatisfiable, "No epsilon|out of reach", {"skip": tuple(range(155))}),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_cannot_be_continued_is_refused(kind: Any, match: str, changes: dict[str, Any]) -> None:
    refuse(kind, match, **changes)


def test_a_release_that_was_changed_is_no_ground_to_build_on() -> None:
    releases, ledger, tables = series(1)
    table = releases[0].tables["table"].with_columns(group_size=pl.lit(1, pl.Int64))
    changed = type(releases[0])({"table": table}, releases[0].dictionary, releases[0].certificate)
    with pytest.raises(BrokenPromise):
        vl.publish(tables[0], vl.LabelDifferentialPrivacy(3.0), METHOD, after=[changed], ledger=ledger)


def test_a_ledger_does_not_change_the_first_release() -> None:
    data, model = read(people()), vl.LabelDifferentialPrivacy(3.0)
    kept = vl.publish(data, model, METHOD, key=make_key(4), ledger=vl.Ledger())
    assert vl.publish(data, model, METHOD, key=make_key(4)).digest == kept.digest
    assert vl.verify(kept, data=data, key=make_key(4)).holds
