"""Compare after earlier releases: refusals are shown, subtraction attacks, the ledger stays as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import BrokenPromise, DataError
from voile.flow.compare.compare import list_variations
from voile.flow.compare.trial_runner import TrialRunner
from voile.releases.release import Release
from voile.tables.microdata import Microdata

COINS, POLICY = vl.Key(bytes(32)), vl.LDiversity(l=2)
METHODS = [vl.Mondrian(), vl.Append()]


def read(people: list[int], diseases: int = 4) -> Microdata:
    """Read a table of people who have the same values in every table."""
    frame = pl.DataFrame(
        {
            "patient": [f"P{person}" for person in people],
            "age": [20 + person * 7 % 60 for person in people],
            "sex": ["FM"[person % 2] for person in people],
            "disease": [("flu", "cold", "asthma", "gout")[person % diseases] for person in people],
        }
    )
    return vl.read(frame, vl.Schema(quasi=["age", "sex"], sensitive=["disease"], person="patient"))


@pytest.fixture(scope="module")
def later() -> Microdata:
    return read(list(range(8, 60)))


@pytest.fixture(scope="module")
def series() -> tuple[Release, vl.Ledger]:
    """The first release, and its ledger."""
    ledger = vl.Ledger()
    return vl.publish(read(list(range(40))), POLICY, vl.Mondrian(), key=COINS, ledger=ledger), ledger


def compared(data: Microdata, methods: Any = METHODS, **options: Any) -> Any:
    asked: dict[str, Any] = {"measures": [vl.measures.Certainty()], "attacks": [vl.attacks.Subtraction()], **options}
    return vl.compare(data, POLICY, methods, key=COINS, **asked)


def test_each_trial_is_what_publish_and_audit_say(later: Microdata, series: tuple[Release, vl.Ledger]) -> None:
    first, ledger = series
    before = ledger.write_state()
    found = compared(later, after=[first], ledger=ledger)
    assert ledger.write_state() == before, "a comparison records nothing"
    mondrian, append = found.rows
    with pytest.raises(BrokenPromise) as refused:
        vl.publish(later, POLICY, vl.Mondrian(), key=COINS, after=[first], ledger=ledger.copy())
    assert (mondrian.fault.code, mondrian.fault.message) == (refused.value.code, refused.value.message)
    assert not mondrian.kept
    book = ledger.copy()
    release = vl.publish(later, POLICY, vl.Append(), key=COINS, after=[first], ledger=book)
    (finding,) = vl.audit(release, later, [vl.attacks.Subtraction()], after=[first], ledger=book).findings
    assert [(item.worst, item.inside) for item in append.reached] == [(finding.belief.worst, True)]
    assert (append.verified, append.groups, found.best) == ("holds", release.groups, append)
    assert found.as_json()["after"] == 1
    assert "after 1 earlier release of the same people" in found.html
    assert ledger.write_state() == before


def test_without_a_ledger_what_is_not_known_is_refused(later: Microdata, series: tuple[Release, vl.Ledger]) -> None:
    codes = [row.fault.code for row in compared(later, after=[series[0]]).rows]
    assert codes == ["broken.undecided", "data.ledger"]


def test_subtraction_and_append_are_among_the_defaults_only_where_they_can_matter(
    later: Microdata, series: tuple[Release, vl.Ledger]
) -> None:
    first, ledger = series
    alone = compared(later, [vl.Mondrian()], attacks=None)
    assert "subtraction" not in {item.attack for item in alone.rows[0].reached}
    assert "after" not in alone.as_json()
    together = compared(later, [vl.Append()], attacks=None, after=[first], ledger=ledger)
    assert "subtraction" in {item.attack for item in together.rows[0].reached}
    assert {method.name for method in list_variations(later=True)} - {m.name for m in list_variations()} == {"append"}


def test_what_does_not_belong_together_is_refused_at_once(
    later: Microdata, series: tuple[Release, vl.Ledger], tmp_path: Path
) -> None:
    first, ledger = series
    with pytest.raises(DataError, match="records 1 release, and 0 are named"):
        compared(later, ledger=ledger)
    with pytest.raises(DataError, match="records 0 releases, and 1 is named"):
        compared(later, after=[first], ledger=vl.Ledger())
    second = vl.publish(later, POLICY, vl.Append(), key=COINS, after=[first], ledger=(book := ledger.copy()))
    with pytest.raises(DataError, match="was published after one that is named behind it"):
        compared(later, after=[second, first], ledger=book)
    nobody = vl.read(pl.DataFrame({"age": [1], "sex": ["F"], "disease": ["flu"]}), vl.Schema(quasi=["age", "sex"]))
    with pytest.raises(DataError):
        compared(nobody, after=[first], ledger=ledger)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A list that grows with each trial that is computed."""
    computed: list[Any] = []
    run = TrialRunner.run

    def count(self: TrialRunner, *arguments: Any) -> Any:
        computed.append(arguments)
        return run(self, *arguments)

    monkeypatch.setattr(TrialRunner, "run", count)
    return computed


def test_trials_are_found_again_only_with_the_same_history(
    later: Microdata, series: tuple[Release, vl.Ledger], tmp_path: Path, runs: list[Any]
) -> None:
    first, ledger = series

    def count_runs(data: Microdata, **options: Any) -> int:
        runs.clear()
        compared(data, store=tmp_path, **options)
        return len(runs)

    assert count_runs(later, after=[first], ledger=ledger) == 2
    assert count_runs(later, after=[first], ledger=ledger.copy()) == 0
    assert count_runs(read(list(reversed(range(8, 60)))), after=[first], ledger=ledger) == 0, "another order of rows"
    assert count_runs(later) == 2
    assert count_runs(later, after=[first]) == 2
    other = vl.Ledger()
    again = vl.publish(read(list(range(40))), POLICY, vl.Mondrian(), key=COINS, ledger=other)
    assert again.digest == first.digest
    assert count_runs(later, after=[first], ledger=other) == 2, "another salt is another ledger"


def test_rows_of_other_people_are_another_comparison(
    series: tuple[Release, vl.Ledger], tmp_path: Path, runs: list[Any]
) -> None:
    """The same rows, but of people who swapped names: who sits where decides what is published."""
    first, ledger = series
    frame = {"age": [30, 40, 50, 60], "sex": ["F", "M", "F", "M"], "disease": ["flu", "cold", "flu", "cold"]}
    schema = vl.Schema(quasi=["age", "sex"], sensitive=["disease"], person="patient")
    for names in (["P1", "P2", "N1", "N2"], ["N1", "N2", "P1", "P2"]):
        data = vl.read(pl.DataFrame({"patient": names, **frame}), schema)
        compared(data, [vl.Append()], after=[first], ledger=ledger, store=tmp_path)
    assert len(runs) == 2
