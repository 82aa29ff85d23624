"""The budget: the promises of perturbed generalization, before anything is published."""

from __future__ import annotations

from pathlib import Path

import pytest

import voile as vl
from voile.errors import PolicyError, SpecError


def test_the_table_has_a_row_for_every_p_and_k() -> None:
    budget = vl.privacy_budget(p=[0.15, 0.3], k=[2, 6], domain=50)
    assert budget.table.select("p", "k").rows() == [(0.15, 2), (0.3, 2), (0.15, 6), (0.3, 6)]
    row = budget.table.row(3, named=True)
    assert row["rho2"] == 0.450356
    assert row["rho2_tight"] == 0.410527
    assert row["growth"] == 0.236843
    assert row["rho2_value_aware"] > row["rho2"]
    assert budget.largest.is_empty()
    assert "domain=50" in repr(budget)


def test_targets_give_the_largest_p() -> None:
    largest = vl.privacy_budget(k=6, domain=50, rho2=0.5).largest.row(0, named=True)
    assert largest["p"] == 0.368452407
    assert largest["p_tight"] > largest["p"] > largest["p_value_aware"]
    largest = vl.privacy_budget(k=6, domain=50, rho2=0.5, growth=0.2).largest.row(0, named=True)
    assert largest["p"] == pytest.approx(12 / 47, abs=1e-8)


def test_the_method_publishes_with_the_p_of_the_budget() -> None:
    data = vl.read(
        vl.datasets.census(500), vl.Schema(quasi=["age"], sensitive=["income"], domains={"income": list(range(50))})
    )
    p = vl.privacy_budget(k=5, domain=50, rho2=0.6).largest["p"][0]
    release = vl.publish(data, vl.AntiCorruption(rho1=0.2, rho2=0.6), vl.PerturbedGeneralization(s=0.2))
    assert release.certificate.method["p"] == p


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"p": 1.5}, "p must be a probability"),
        ({"k": 0}, "k must be at least 1"),
        ({"domain": 1}, "leaves nothing"),
        ({"skew": 0.01}, "between 1/50 and 1"),
        ({"rho1": 1.0}, "below 1"),
        ({"rho2": 0.1}, "between rho1"),
        ({"growth": 0.0}, "between 0 and 1"),
    ],
)
def test_bad_parameters_are_refused(parameters: dict[str, float], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        vl.privacy_budget(**{"domain": 50, **parameters})  # type: ignore[arg-type]


def test_the_budget_is_saved_as_svg_only(tmp_path: Path) -> None:
    budget = vl.privacy_budget(k=[2, 6], domain=50)
    for what in ("rho2", "growth"):
        assert budget.save(tmp_path / f"{what}.svg", what).read_text(encoding="utf-8").startswith("<svg")
    with pytest.raises(SpecError, match="is not"):
        budget.save(tmp_path / "budget.png")
