"""The README's examples run as they are printed, in the order in which they stand."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl

import voile as vl
from voile.cli import app

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
NEED_OTHERS = ("voile serve", "--engine spark")  # a visitor and a cluster
SETUP = ("python3 -m venv", ".venv/bin/pip install", ".venv/bin/python -m pytest")  # what CI does and runs itself
MOVES = (". .venv/bin/activate", "mkdir ", "cd ")


def list_commands(body: str) -> list[str]:
    """Return the `voile` lines of a shell block, with continued lines joined; `.venv/bin/voile` at the end of a line is
    one too."""
    lines = body.replace("\\\n", " ").splitlines()
    return [line.split("&& .venv/bin/")[-1] for line in lines if re.search(r"^voile |&& \.venv/bin/voile ", line)]


def make_environment(folder: Path) -> None:
    """Put into `.venv` what the set-up of the README would: this voile and this Python, found once it is activated."""
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "activate").write_text(f"export PATH={shlex.quote(str(programs))}:$PATH\n", encoding="utf-8")
    python = shlex.quote(sys.executable)
    for name, call in {"voile": f"{python} -m voile", "python": f"{python} -W error"}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec {call} "$@"\n', encoding="utf-8")
        (programs / name).chmod(0o755)


def write_session() -> Iterator[str]:
    """Yield the README as one session of a shell: what cannot be run here is left out, the Python blocks go into one
    program that is run up to here, and a request goes into its file."""
    program = ""
    for number, (language, body) in enumerate(BLOCKS):
        if language == "python":
            program += body
            if number + 1 == len(BLOCKS) or BLOCKS[number + 1][0] != "python":
                yield f"cat > example.py <<'END_OF_FILE'\n{program}END_OF_FILE\npython example.py"
        elif language == "toml":
            yield f"cat > spec.toml <<'END_OF_FILE'\n{body}END_OF_FILE"
        else:
            for line in body.replace("\\\n", " ").splitlines():
                steps = [step for step in line.split(" && ") if not step.startswith(SETUP)]
                if not any(part in line for part in NEED_OTHERS):
                    yield " && ".join(steps)


def test_the_blocks_run_from_top_to_bottom(tmp_path: Path) -> None:
    """Type every block in one fresh shell, as a reader would: it finds nothing of voile until the environment is
    active."""
    make_environment(tmp_path)
    home = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    surroundings = {**os.environ, **home, "PATH": "/usr/bin:/bin"}
    typed = "\n".join(line for line in write_session() if line)
    assert typed.count("\nvoile ") > 12
    call = ["bash", "-e", "-u", "-v", "-c", typed]
    done = subprocess.run(call, cwd=tmp_path, env=surroundings, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-4_000:]
    assert "end at exact dates" not in done.stdout + done.stderr  # the README does what voile asks for


def test_every_line_of_a_shell_block_is_a_command_or_set_up() -> None:
    for language, body in BLOCKS:
        assert language in ("python", "toml", "sh")
        if language == "sh":
            lines = body.replace("\\\n", " ").splitlines()
            steps = [step for line in lines for step in line.split(" && ") if not step.startswith((*SETUP, *MOVES))]
            assert [step for step in steps if not re.match(r"(\.venv/bin/)?voile ", step)] == []


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
    steering = {"birth": vl.Steer(round="year")}
    data = vl.read(table, vl.Schema(**roles, hierarchies={"zip": vl.prefixes(5, 3, 1)}, steering=steering))
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
