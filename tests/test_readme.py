"""The README's examples run as they are printed, in the order in which they stand."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import voile as vl
from voile.cli import app

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
NEED_OTHERS = ("voile serve", "--engine spark")  # a visitor and a cluster
SETUP = ("python3 -m venv",)  # what CI does before it runs this


def list_commands(body: str) -> list[str]:
    """Return the `voile` lines of a shell block, with continued lines joined; `.venv/bin/voile` at the end of a line is
    one too."""
    lines = body.replace("\\\n", " ").splitlines()
    return [line.split("&& .venv/bin/")[-1] for line in lines if re.search(r"^voile |&& \.venv/bin/voile ", line)]


def test_the_blocks_run_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Type every block in an empty folder, as a reader would: the Python blocks go into one program that has run up to
    here."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    before, typed = "", 0
    for language, body in BLOCKS:
        if language == "python":
            before += body
            if language_after(body) != "python":
                call = [sys.executable, "-W", "error", "-c", before]
                done = subprocess.run(call, capture_output=True, text=True)
                assert done.returncode == 0, done.stdout + done.stderr
        elif language == "toml":
            Path("spec.toml").write_text(body, encoding="utf-8")
        else:
            for line in list_commands(body):
                if not any(part in line for part in NEED_OTHERS):
                    result = CliRunner().invoke(app, shlex.split(line, comments=True)[1:])
                    assert result.exit_code == 0, f"{line}\n{result.output}\n{result.exception}"
                    typed += 1
    assert before
    assert typed > 12


def language_after(body: str) -> str:
    """Return the language of the block that follows a block, or nothing at the end."""
    place = [found for _, found in BLOCKS].index(body) + 1
    return BLOCKS[place][0] if place < len(BLOCKS) else ""


def test_every_line_of_a_shell_block_is_typed_or_named() -> None:
    for language, body in BLOCKS:
        assert language in ("python", "toml", "sh")
        if language == "sh":
            lines = body.replace("\\\n", " ").splitlines()
            assert len(list_commands(body)) == len([line for line in lines if not is_setup(line)])


def is_setup(line: str) -> bool:
    """Whether a line only sets up the environment of this test."""
    return line.startswith(SETUP) and ".venv/bin/voile " not in line


def test_the_commands_exist() -> None:
    verbs = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    used = {line.split()[1] for language, body in BLOCKS if language == "sh" for line in list_commands(body)}
    assert used
    assert used <= verbs


def test_the_rows_before_and_after_are_real() -> None:
    """The table at the top shows people of the example and cells of its release."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in TEXT.replace("\\|", "/").splitlines()]
    before = [row[1:] for row in rows if row[0] == "before"]
    after = [[cell.replace("/", "|") for cell in row[2:]] for row in rows if row[0] == "after"]
    table = vl.datasets.hospital()
    roles = {"identifier": ["name"], "quasi": ["birth", "sex", "zip"], "sensitive": ["disease"]}
    data = vl.read(table, vl.Schema(**roles, hierarchies={"zip": vl.prefixes(5, 3, 1)}))
    release = vl.publish(data, vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=3)))
    names = ["birth", "sex", "zip", "disease"]
    people = table.select("name", *names).cast(pl.String).rows()
    shown = release.to_polars().select(names).cast(pl.String).rows()
    assert len(before) == len(after) == 2
    assert all(tuple(row) in people for row in before)
    assert all(tuple(row) in shown for row in after)


def test_links_to_files_lead_somewhere() -> None:
    targets = re.findall(r"\]\((?!https?://|#|mailto:)([^)#\s]+)", TEXT)
    assert targets
    assert [target for target in targets if not (README.parent / target).exists()] == []
