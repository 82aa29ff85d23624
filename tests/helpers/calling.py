"""The command line called in this process, and the flags that its tests share."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from voile import cli

ROLES = ("--identifier", "name", "--quasi", "birth,sex,zip", "--sensitive", "disease")
K5 = ("--model", "k-anonymity:k=5")

# a plug-in: an attack that always succeeds
SEER = """from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from voile.extend import Adversary, Attack, Belief, Guess, Knowledge
@dataclass(frozen=True)
class Seer(Attack):
    '''Knows.'''
    name: ClassVar[str] = 'seer'
    def guesses(self, target, external):
        who = Adversary.who('seer', Knowledge.QUASI)
        return [Guess('Seer', who, Belief('identity', np.array([1.0]), np.array([3]), 0.1))]
"""


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Voile:
    """Calls the command line in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
        self.monkeypatch, self.capsys, self.folder = monkeypatch, capsys, folder

    def __call__(self, *arguments: Any) -> Answer:
        self.monkeypatch.setattr(sys, "argv", ["voile", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        shown = self.capsys.readouterr()
        return Answer(int(left.value.code or 0), shown.out, shown.err)
