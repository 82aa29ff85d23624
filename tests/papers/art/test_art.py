"""The ART papers: what was printed, where the theorem fails, and the experiments on a small part of Adult."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from voile.cli import app
from voile.errors import InconsistentKnowledge, PolicyError, SpecError
from voile.papers.art import PAPER, bounds
from voile.papers.paper import papers
from voile.papers.reproduce import reproduce

TABLES = (
    "two-people", "example-4", "split-group", "sizes", "ceilings", "lemma-1", "counterexamples", "family-limit",
    "one-pass", "corrected",
)  # fmt: skip


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pl.DataFrame]:
    return reproduce("art", TABLES, out=tmp_path_factory.mktemp("art"))


def test_the_paper_is_found_by_name() -> None:
    assert papers()["art"] is PAPER
    assert {item.name for item in PAPER.items} > set(TABLES)


def test_two_people(tables: dict[str, pl.DataFrame]) -> None:
    assert tables["two-people"]["belief with the prior"].to_list()[:2] == pytest.approx([0.97363, 0.02637], abs=1e-5)


def test_example_4_and_its_slip(tables: dict[str, pl.DataFrame]) -> None:
    frame = tables["example-4"]
    assert frame["probability"].to_list() == pytest.approx([16 / 33, *[4 / 33] * 4, 1 / 33, 24 / 33])
    assert frame["weight"].sum() == pytest.approx(0.33)
    wrong = frame.filter((pl.col("probability") - pl.col("printed")).abs() > 0.01)
    assert wrong["printed"].to_list() == [0.43]


def test_every_printed_ceiling_agrees(tables: dict[str, pl.DataFrame]) -> None:
    assert tables["ceilings"]["agrees"].to_list() == [True] * 8


def test_the_running_example_needs_38(tables: dict[str, pl.DataFrame]) -> None:
    assert tables["sizes"]["least N"].to_list() == [38, 3]
    assert tables["sizes"]["within"].to_list() == [False, True]


def test_the_condition_does_not_bound_belief_in_the_full_reading(tables: dict[str, pl.DataFrame]) -> None:
    frame = tables["counterexamples"]
    assert frame["condition for x"].all()
    assert (frame["belief, binary reading"] <= frame["bound"] + 1e-9).all()
    assert frame["r-robust"].to_list() == [False, False, False, True]
    assert frame["belief, full reading"].to_list()[:2] == pytest.approx([0.99502, 0.64029], abs=1e-5)
    assert (frame["swap bound"] >= frame["belief, full reading"] - 1e-12).all()
    assert (frame["estimate of Li and others"] < frame["belief, full reading"]).all()  # it understates
    last = frame.row(3, named=True)  # other values in proportion: both readings agree
    assert last["belief, full reading"] == pytest.approx(last["belief, binary reading"])


def test_the_family_limit_is_approached_and_not_passed(tables: dict[str, pl.DataFrame]) -> None:
    frame = tables["family-limit"]
    limit = dict(zip(zip(frame["N"], frame["r"], strict=True), frame["belief that is approached"], strict=True))
    assert limit[10, 2.0] == pytest.approx(0.9)
    assert limit[20, 10.0] == pytest.approx(0.19)
    for n, r in ((10, 2.0), (20, 10.0)):
        f = 1e-6
        low = f - bounds.delta_ceil(n, r, f)
        priors = [[f, low]] + [[low, f]] * (n - 1)
        found = bounds.linkage_exact(priors, [0] + [1] * (n - 1))[0][0]
        assert found == pytest.approx(limit[n, r], abs=1e-4)


def test_the_fourth_row_mends_one_value_and_breaks_the_other(tables: dict[str, pl.DataFrame]) -> None:
    assert tables["one-pass"]["condition"].to_list() == [True, False, False, True]


def test_the_corrected_condition_is_tight(tables: dict[str, pl.DataFrame]) -> None:
    assert tables["corrected"]["belief in x"].to_list() == pytest.approx(tables["corrected"]["bound"].to_list())


CHANCE = st.integers(1, 40).map(lambda part: Fraction(part, 200))


@given(st.lists(st.lists(CHANCE, min_size=3, max_size=3), min_size=2, max_size=6), st.data())
def test_linkage_and_its_bound_against_all_worlds(priors: list[list[Fraction]], data: st.DataObject) -> None:
    values = data.draw(st.lists(st.integers(0, 2), min_size=len(priors), max_size=len(priors)))
    numbers = [[float(p) for p in row] for row in priors]
    found, slow = bounds.linkage_exact(numbers, values), oracle.posterior(priors, values)
    assert slow is not None
    for row, beliefs in zip(found, slow, strict=True):
        assert row == pytest.approx([float(beliefs.get(value, 0)) for value in range(3)])
    for value in range(3):
        limit = bounds.swap_bound(numbers, values, value)
        assert all(row[value] <= bound + 1e-12 for row, bound in zip(found, limit, strict=True))
    omega = np.array(bounds.omega_estimate(numbers, values))
    assert omega.sum(axis=1) == pytest.approx(1)


@given(st.lists(CHANCE, min_size=3, max_size=7), st.sampled_from([2, 3]))
def test_the_condition_covers_the_binary_reading(f: list[Fraction], r: int) -> None:
    chances = [float(one) for one in f]
    if max(chances) - min(chances) <= bounds.delta_ceil(len(f), r, max(chances)):
        assert max(bounds.linkage_binary(chances)) <= 1 / r + 1e-9


def test_knowledge_that_contradicts_a_group_is_named() -> None:
    for f in ([1.0, 1.0, 0.5], [0.0, 0.0]):
        with pytest.raises(InconsistentKnowledge):
            bounds.linkage_binary(f)
    assert bounds.linkage_binary([0.2, 1.0]) == [0.0, 1.0]
    for function in (bounds.linkage_exact, bounds.omega_estimate):
        with pytest.raises(InconsistentKnowledge):
            function([[0.0, 0.0], [0.5, 0.5]], [0, 1])
    with pytest.raises(PolicyError):
        bounds.linkage_exact([[0.5, 0.5]], [0, 1])


def test_a_repeated_value_is_not_what_the_condition_is_about() -> None:
    alike = [[0.5, 0.5]] * 4
    assert not bounds.certify_group(alike, [0, 0, 1, 1], 2)["delta_condition"]
    assert bounds.certify_group(alike, [0, 0, 1, 1], 2)["r_robust"]


def test_the_command_line_writes_a_table_and_says_where_it_differs(tmp_path: Path) -> None:
    given_ = ["reproduce", "art", "example-4", "ceilings", "--quick", "--out", str(tmp_path)]
    result = CliRunner().invoke(app, given_)
    assert result.exit_code == 0, result.output
    assert pl.read_csv(tmp_path / "art" / "ceilings.csv").height == 8
    assert "0.4848" in (tmp_path / "art" / "README.md").read_text()


def test_experiments_ask_for_the_table(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="Adult"):
        reproduce("art", ["factor-r"], out=tmp_path)
