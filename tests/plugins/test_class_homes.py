"""A model is one file: dropped into the folder, it is in `vl`, at the command line and in a spec."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from voile.plugins.class_homes import class_homes
from voile.testing import sample

MODEL = '''
"""No majority: no sensitive value covers more than a share of a group."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from voile.extend import Adversary, Knowledge, Model, knob


@dataclass(frozen=True)
class NoMajority(Model):
    """No value covers more than `share` of a group."""

    name: ClassVar[str] = "no-majority"

    share: float = knob(0.5, above=0, high=1)

    def holds(self, counts):
        return counts.largest() <= self.share * counts.sizes

    def bound(self):
        return Fraction(str(self.share))

    def adversary(self):
        return Adversary.who("neighbour", Knowledge.MEMBERSHIP, Knowledge.QUASI)

    def promise(self, column):
        return f"Nobody can be linked to a value of {column!r} with probability above {self.share:g}."
'''
# the folder of models is one folder more; nothing else is told about the file in it
PREPARE = "import sys, voile.models; voile.models.__path__.append({folder!r})\n"
NAMES = """
import voile as vl
assert "NoMajority" in vl.__all__ and "NoMajority" in dir(vl)
assert not {"polars", "numba"} & set(sys.modules), "listing the names must not import the models"
print(vl.NoMajority(share=0.25).bound(), vl.NoMajority.__module__)
"""
COMMAND = """
from voile.cli import main
sys.argv = ["voile", *{arguments!r}]
main()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "models"
    place.mkdir()
    (place / "no_majority.py").write_text(MODEL, encoding="utf-8")
    sample(40, 1)[0].write_csv(tmp_path / "people.csv")
    return place


def run(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    program = PREPARE.format(folder=str(folder)) + code
    command = [sys.executable, "-c", program]
    where = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300, cwd=folder.parent, env=where
    )


def test_the_class_is_public_without_an_entry_anywhere(folder: Path) -> None:
    done = run(folder, NAMES)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1/4", "voile.models.no_majority"]


def test_the_command_line_and_the_spec_know_it(folder: Path) -> None:
    roles = ["--quasi", "age,city,visit", "--sensitive", "disease"]
    asked = ["publish", "people.csv", "--out", "out", *roles, "--model", "no-majority:share=0.25", "--json"]
    published = run(folder, COMMAND.format(arguments=asked))
    assert published.returncode == 0, published.stderr
    assert json.loads(published.stdout)["verdict"]["holds"] is True
    claim = json.loads((folder.parent / "out" / "certificate.json").read_text())["claims"][0]
    assert (claim["model"], claim["bound"]) == ("no-majority", "1/4")
    spec = '[schema]\nquasi = ["age", "city", "visit"]\nsensitive = ["disease"]\n\n'
    spec += '[[policy]]\nmodel = "no-majority"\nshare = 0.25\n'
    (folder.parent / "spec.toml").write_text(spec, encoding="utf-8")
    asked = ["publish", "people.csv", "--out", "again", "--spec", "spec.toml", "--json"]
    again = run(folder, COMMAND.format(arguments=asked))
    assert again.returncode == 0, again.stderr
    claims = [json.loads((folder.parent / out / "certificate.json").read_text())["claims"] for out in ("out", "again")]
    assert claims[0] == claims[1]


def test_only_classes_with_a_name_are_listed() -> None:
    homes = class_homes("models")
    assert homes["KAnonymity"] == "voile.models.k_anonymity"
    assert homes["MInvariance"] == "voile.models.m_invariance.m_invariance"
    assert not {"Model", "SizeModel", "ProtectsValues", "Verification"} & homes.keys()
