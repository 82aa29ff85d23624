"""Whatever the input is: a documented exit code, no cell in an output, no half release, no long wait. The long form is
bench/fuzzing.py."""

from __future__ import annotations

import pytest
from fuzz.calls import try_input
from fuzz.odd_inputs import CANARY, KINDS, Input, draw_input

SEEDS = 12  # inputs per kind


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_odd_inputs_end_in_order(kind: str) -> None:
    for seed in range(SEEDS):
        fault = try_input(draw_input(seed, (kind,)))
        assert not fault, f"{kind}, seed {seed}: {fault}"


def test_the_judge_notices_an_undocumented_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    assert try_input(Input("csv", ["publish", "{}/t.csv"])) == ""  # --out is missing: exit code 2
    monkeypatch.setattr("voile.cli.main", lambda: 1 // 0)
    assert "exit code -1" in try_input(Input("csv", ["publish"]))
    monkeypatch.setattr("voile.cli.main", lambda: print(CANARY))
    assert try_input(Input("csv", ["publish"])) == "a cell in the output"


def test_the_judge_notices_a_long_computation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.calls.PATIENCE", 0.05)
    monkeypatch.setattr("voile.cli.main", lambda: sum(range(10_000_000)))
    assert "by the clock" in try_input(Input("csv", ["publish"]))
    monkeypatch.setattr("fuzz.calls.PATIENCE", 10.0)
    assert try_input(Input("csv", ["publish"])) == ""
