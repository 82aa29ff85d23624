"""The work of the prior attack is bounded; what it leaves out is said, and what it weighs stays as it is."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.adversaries import walk_choice
from voile.attacks.prior import work_limits
from voile.results import Audit


@pytest.fixture(scope="module")
def table() -> vl.Microdata:
    rng = np.random.default_rng(3)
    columns = {f"c{i}": rng.integers(0, size, 600) for i, size in enumerate((6, 3, 4))}
    frame = pl.DataFrame({**columns, "s": rng.integers(0, 5, 600)}).with_columns(pl.col("s").cast(pl.String))
    return vl.read(frame, vl.Schema(quasi=["c0", "c1", "c2"], sensitive=["s"]))


@pytest.fixture(scope="module")
def release(table: vl.Microdata) -> vl.Release:
    return vl.publish(table, vl.KAnonymity(k=8), vl.Mondrian())


def attack(release: vl.Release, table: vl.Microdata, **knobs: object) -> Audit:
    return vl.audit(release, table, [vl.attacks.Prior(**knobs)])  # type: ignore[arg-type]


def test_nothing_is_left_out_of_a_small_table(release: vl.Release, table: vl.Microdata) -> None:
    audit = attack(release, table)
    assert audit.notes == ()
    assert not any("left out" in name for name in audit.findings[0].belief.details)


def test_long_walks_are_left_out_and_said(
    release: vl.Release, table: vl.Microdata, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = attack(release, table).findings[0].belief
    monkeypatch.setattr(work_limits, "LEAST_STEPS", 5_000)
    monkeypatch.setattr(work_limits, "STEPS_PER_PERSON", 1)
    audit = attack(release, table)
    belief = audit.findings[0].belief
    left_out, walks = belief.details[work_limits.WALKS_LEFT_OUT], belief.details[work_limits.WALKS]
    assert 0 < left_out < walks
    (note,) = audit.notes
    assert f"{left_out / walks:.1%}" in note
    assert (belief.risk <= full.risk + 1e-12).all()
    assert (belief.risk < full.risk - 1e-12).any()
    assert belief.risk.min() > 0  # nobody is without a belief


def test_without_any_walk_the_shares_of_the_group_are_believed(
    release: vl.Release, table: vl.Microdata, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_limits, "LEAST_STEPS", 0)
    monkeypatch.setattr(work_limits, "STEPS_PER_PERSON", 0)
    belief = attack(release, table).findings[0].belief
    (homogeneity,) = vl.audit(release, table, [vl.attacks.Homogeneity()]).findings
    assert belief.details[work_limits.WALKS_LEFT_OUT] == belief.details[work_limits.WALKS]
    assert belief.worst == pytest.approx(homogeneity.belief.worst)


def test_column_sets_are_left_out_and_said(
    release: vl.Release, table: vl.Microdata, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_limits, "WORK", 600 * 6)
    audit = attack(release, table)
    assert audit.findings[0].belief.details[work_limits.SETS_LEFT_OUT] == 1
    assert "leaves out 1 of 7 column sets" in audit.notes[0]
    assert not attack(release, table, max_columns=2).notes  # no more was asked for


def test_named_statistics_are_weighed_fully(
    release: vl.Release, table: vl.Microdata, monkeypatch: pytest.MonkeyPatch
) -> None:
    prior = vl.learn_prior(table, "s")
    expected = attack(release, table, prior=prior).findings[0].belief.risk
    monkeypatch.setattr(work_limits, "LEAST_STEPS", 0)
    monkeypatch.setattr(work_limits, "STEPS_PER_PERSON", 0)
    audit = attack(vl.publish(table, vl.KAnonymity(k=8), vl.Mondrian()), table, prior=prior)
    assert audit.notes == ()
    assert sorted(audit.findings[0].belief.risk) == pytest.approx(sorted(expected))


def test_the_steps_that_are_counted_bound_those_of_each_walk() -> None:
    """Two people in one class take one look at the bins; apart, they take every state of the bins or of the people."""
    starts, value_starts = np.array([0, 2, 4]), np.array([0, 2, 4])
    index, ones = np.array([[0, 0, 0, 1]]), np.ones(4, np.int64)
    arguments = (2, index, starts, np.arange(4), ones, value_starts, ones, 1_000)
    steps = walk_choice._count_walk_steps(*arguments)
    assert steps.tolist() == [[2, 2 * 4 * 2 + 2 * 2 + 2]]
    assert walk_choice._bound_walk_steps(1, starts, ones, value_starts, ones, 1_000) >= steps.sum()
