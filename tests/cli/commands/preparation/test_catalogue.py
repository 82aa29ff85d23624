"""`voile models`, `methods`, `attacks`, `measures`, and completion of commands in a shell."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from calling import Voile

from voile.plugins.registry import registered_classes


@pytest.mark.parametrize("family", ["models", "methods", "attacks", "measures"])
def test_a_family_is_listed(voile: Voile, family: str) -> None:
    answer = voile(family)
    assert answer.code == 0, answer.err
    assert all(name in answer.out for name in registered_classes(family))
    listed = voile(family, "--json").json[family]
    assert [entry["name"] for entry in listed] == list(registered_classes(family))


def test_one_is_described(voile: Voile) -> None:
    answer = voile("models", "k-anonymity")
    for part in ("--model k-anonymity:k=5", "vl.KAnonymity(k=5)", "Against: ", "must be given", "at least 2"):
        assert part in answer.out
    assert voile("models", "k-anonymity", "--json").json["knobs"][0]["name"] == "k"


def test_a_wrong_name_is_corrected(voile: Voile) -> None:
    answer = voile("methods", "mondrain")
    assert answer.code == 2
    assert "Did you mean 'mondrian'?" in answer.err


def test_a_shell_completes_commands() -> None:
    completing = {"_VOILE_COMPLETE": "complete_bash", "COMP_WORDS": "voile ins", "COMP_CWORD": "1"}
    run = "import sys; sys.argv = ['voile']; from voile.cli import main; main()"
    answer = subprocess.run(
        [sys.executable, "-c", run], env={**os.environ, **completing}, capture_output=True, text=True, check=False
    )
    assert answer.stdout.split() == ["inspect"]
