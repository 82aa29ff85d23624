"""Kill `voile publish` at random moments, and look at what is left: python bench/kills.py [KILLS] [SEED].

Two kinds of runs replace a release with --force, in turn: one in memory with a ledger, one on disk in parts. Every
fourth process gets SIGTERM, the others SIGKILL: half of them at any moment, half of them while they write. After each
kill the folder must be the old release or a new one that verify accepts, the ledger must belong to it, and after the
next run there must be no other file.
"""

from __future__ import annotations

import collections
import contextlib
import io
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

import voile as vl
from voile.cli import main

RUN = """
import sys
from voile.cli import main
from voile.cli.signals import interrupt_on_sigterm
with interrupt_on_sigterm():
    try:
        if "disk" in sys.argv:
            from voile.engines import base
            from voile.tables import partition_tree
            partition_tree.LARGEST_PART, base.CHUNK_ROWS = 6_000, 5_000
    except KeyboardInterrupt:
        sys.exit(143)
    main()
"""
ROLES = ("--quasi", "age,zip", "--sensitive", "disease", "--format", "csv")
FOLLOWED = ("--model", "m-invariance:m=2", "--person", "patient", "--ledger", "private/ledger", "--after", "one")
DIVERSE = ("--model", "l-diversity:l=2")
COMMANDS = {
    "memory": ("publish", "few.csv", "--out", "two", "--force", *ROLES, *FOLLOWED),
    "disk": (
        "publish",
        "many.csv",
        "--out",
        "two",
        "--force",
        *ROLES,
        "--model",
        "l-diversity:l=2",
        "--engine",
        "disk",
    ),
}


def make_table(rows: int, path: Path) -> None:
    rng = np.random.default_rng(rows)
    diseases = ["flu", "HIV", "cold", "gout", "asthma", "ulcer"]
    columns = {"patient": [f"p{number}" for number in range(rows)], "age": rng.integers(18, 90, rows)}
    columns["zip"] = [f"{code:05}" for code in rng.integers(1000, 1400, rows)]
    pl.DataFrame({**columns, "disease": rng.choice(diseases, rows)}).write_csv(path)


def make_template(place: Path) -> None:
    """Write the tables, a release `two` that is replaced, and a release `one` that the ledger belongs to."""
    place.mkdir()
    make_table(3_000, place / "few.csv")
    make_table(24_000, place / "many.csv")
    schema = vl.Schema(quasi=["age", "zip"], sensitive=["disease"], person="patient")
    few = vl.read(place / "few.csv", schema)
    vl.publish(few, vl.KAnonymity(k=5)).save(place / "two")
    book = vl.Ledger.open(place / "private" / "ledger")
    vl.publish(few, vl.MInvariance(m=2), ledger=book).save(place / "one", ledger=book)


def list_files(place: Path) -> list[str]:
    return sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.parent.name not in ("one", "two"))


def run_here(arguments: tuple[str, ...]) -> None:
    """Run voile in this process, which has loaded it already; it must succeed."""
    sys.argv = ["voile", *arguments]
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            main()
    except SystemExit as end:
        if end.code:
            raise AssertionError(f"exit {end.code}: {said.getvalue()}") from None


def send_signal(
    process: subprocess.Popen[str], room: Path, number: signal.Signals, while_writing: bool, longest: float
) -> None:
    """Wait for a random moment, in the whole run or from the first file it writes, and send the signal."""
    if while_writing:
        until = time.monotonic() + 60
        while process.poll() is None and not list(room.glob(".two.*")) and time.monotonic() < until:
            time.sleep(0.0005)
        time.sleep(random.uniform(0, 0.12))
    else:
        time.sleep(random.uniform(0, longest))
    process.send_signal(number)


def check(room: Path, engine: str, before: dict[str, bytes], digest: str) -> str:
    """Return which release is in place, the old or the new one; fail if it is neither, or if the ledger differs."""
    is_old = {entry.name: entry.read_bytes() for entry in (room / "two").iterdir()} == before
    verdict = vl.verify(room / "two")
    assert not verdict.broken, str(verdict)
    expected = [digest] if is_old or engine == "disk" else [digest, vl.load(room / "two").digest]
    assert vl.Ledger.read(room / "private" / "ledger").releases == expected, "the ledger is of another release"
    return "old" if is_old else "new"


def run_once(template: Path, room: Path, engine: str, kill_number: int, longest: float) -> tuple[str, ...]:
    shutil.rmtree(room, ignore_errors=True)
    shutil.copytree(template, room)
    before = {entry.name: entry.read_bytes() for entry in (room / "two").iterdir()}
    digest = vl.Ledger.read(room / "private" / "ledger").releases[0]
    expected = list_files(room)
    number = signal.SIGTERM if kill_number % 4 == 3 else signal.SIGKILL
    while_writing = kill_number % 8 < 4
    command = [sys.executable, "-c", RUN, *COMMANDS[engine], "--json"]
    with subprocess.Popen(
        command, cwd=room, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=-1
    ) as process:
        send_signal(process, room, number, while_writing, longest)
        out, trouble = process.communicate()
    assert process.returncode in (0, -number, 128 + number), f"exit {process.returncode}: {trouble[-2000:]}"
    residue = "residue" if list_files(room) != expected else "clean"
    state = check(room, engine, before, digest)
    if number == signal.SIGTERM and process.returncode == 128 + number:
        assert residue == "clean", "SIGTERM left files behind"
        said = json.loads(out)["error"]["message"] if out else "nothing was changed"  # while voile is loaded
        assert ("nothing was changed" in said) == (state == "old"), said
    ending = "finished" if process.returncode == 0 else f"exit {process.returncode}"
    with contextlib.chdir(room):
        followed = state == "new" and engine == "memory"
        if followed:  # the ledger goes on from the new release
            third = [word.replace("two", "three") for word in COMMANDS[engine]]
            run_here((*third, "--after", "two"))
            shutil.rmtree("three")
        run_here(COMMANDS["disk"] if followed else COMMANDS[engine])
    assert list_files(room) == expected, f"after the next run: {list_files(room)}"
    return engine, ending, state, residue


def run(kills: int, seed: int) -> None:
    random.seed(seed)
    found: collections.Counter[tuple[str, ...]] = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="voile-kills-") as place:
        template, room = Path(place) / "template", Path(place) / "room"
        make_template(template)
        longest = {}
        for engine, command in COMMANDS.items():
            shutil.rmtree(room, ignore_errors=True)
            shutil.copytree(template, room)
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", RUN, *command], cwd=room, check=True, capture_output=True)
            longest[engine] = 1.1 * (time.perf_counter() - start)
        hits = number = 0
        while hits < kills:  # a run that finished before its signal is no kill
            engine = ("memory", "disk")[number % 2]
            outcome = run_once(template, room, engine, number // 2, longest[engine])
            found[outcome] += 1
            hits, number = hits + ("finished" not in outcome), number + 1
            if number % 20 == 0:
                print(f"{number} runs, {hits} kills: no escape", flush=True)
    for outcome, count in sorted(found.items()):
        print(f"{count:5}  " + ", ".join(outcome))
    print(f"{kills} kills: every release old or new, every ledger its own, no residue after the next run")


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else 200, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
