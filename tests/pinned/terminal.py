"""The command line, called in this process and in a folder of its own, and the flags that cases share."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pinned import tables
from pinned.observe import Fields, tables_of
from pinned.prose import folded, numbers_of, opened, stripped

import voile as vl
from voile import cli

ROLES = ("--identifier", "name", "--quasi", "birth,sex,zip", "--sensitive", "disease")
K5, L3 = ("--model", "k-anonymity:k=5"), ("--model", "l-diversity:l=3")
KEY = ("--key-file", "key.hex")
FAST = ("--measure", "query-error:queries=50,repetitions=1", "--measure", "certainty", *KEY)
MADE = ("publish", "people.csv", "--out", "out", *ROLES, *KEY)
BASE = (*MADE, *K5, "--model", "l-diversity:l=2", "--format", "csv")
SPEC = """
[schema]
identifier = ["name"]
quasi = ["birth", "sex", "zip"]
sensitive = ["disease"]
hierarchies = { zip = "prefixes:5,3,1", birth = "dates" }
[[policy]]
model = "k-anonymity"
k = 4
[[policy]]
model = "l-diversity"
l = 2
[method]
name = "full-domain"
suppression = 0.1
[release]
format = "csv"
[compare]
methods = ["mondrian", "full-domain:suppression=0.05"]
attacks = ["linking"]
measures = ["certainty"]
by = "certainty"
vary = { k = [3, 6] }
"""


@contextlib.contextmanager
def room() -> Iterator[Path]:
    """A folder to work in, with a table and a key."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        try:
            tables.hospital_frame().write_csv("people.csv")
            Path("key.hex").write_text(bytes(range(32)).hex())
            Path("spec.toml").write_text(SPEC)
            yield Path(name)
        finally:
            os.chdir(before)


def called(*arguments: str) -> tuple[int, Any]:
    """The exit code of a command and what it says as JSON."""
    before, out = sys.argv, io.StringIO()
    sys.argv = ["voile", *arguments, "--json"]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            cli.main()
    except SystemExit as left:
        return int(left.code or 0), json.loads(out.getvalue()) if out.getvalue().strip() else None
    finally:
        sys.argv = before
    raise AssertionError("a command ends by leaving")


def answer(arguments: tuple[str, ...]) -> Fields:
    """What is pinned of one call."""
    code, told = called(*arguments)
    if isinstance(told, dict) and "error" in told:
        error = told["error"]
        return {"exit": code, "error": error["code"], "problems": [part["code"] for part in error.get("problems", ())]}
    if isinstance(told, dict) and "items" in told:  # tables of a paper
        return {"exit": code, **{name: folded(numbers_of(rows)) for name, rows in told["items"].items()}}
    return {"exit": code, **opened(stripped(told))} if isinstance(told, dict) else {"exit": code}


def case(*calls: tuple[str, ...], shown: bool = False) -> Callable[[], Fields]:
    """A case: some calls one after the other in a fresh folder; the last is pinned, and of the others their exit."""

    def work() -> Fields:
        with room():
            before = [called(*arguments)[0] for arguments in calls[:-1]]
            fields = {"before": before, **answer(calls[-1])}
            return fields | (tables_of(vl.load("out")) if shown else {})

    return work
