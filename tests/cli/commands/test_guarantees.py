"""`voile guarantees`: the budget as a table, as JSON and as a plot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from calling import Voile


@pytest.mark.parametrize(
    ("flag", "text", "message"),
    [
        ("--p", "1.2", "p must be a probability"),
        ("--p", "much", "not a list of numbers"),
        ("--skew", "0.01", "between 1/50 and 1"),
    ],
)
def test_bad_parameters_are_refused(voile: Voile, flag: str, text: str, message: str) -> None:
    answer = voile("guarantees", "--domain", "50", flag, text)
    assert answer.code == 2
    assert message in answer.err


def test_guarantees_writes_a_plot_and_json(voile: Voile) -> None:
    code, out, _ = voile("guarantees", "--domain", "50", "--rho2", "0.5", "--out", "plot.svg", "--json")
    assert code == 0
    assert json.loads(out)["largest_p"][0]["p"] == 0.368452407
    assert Path("plot.svg").read_text(encoding="utf-8").startswith("<svg")
