"""Random forgeries: whatever the judge complains of, verify notices; the long form is bench/forging.py."""

from __future__ import annotations

from pathlib import Path

import voile as vl
from forging.random_forgeries import load_honest, run

FOLDERS = 400


def test_no_random_forgery_escapes(honest_folders: dict[str, Path], tmp_path: Path) -> None:
    outcomes = run(load_honest(honest_folders), range(FOLDERS), tmp_path, seed=1, engine=vl.Disk())
    escapes = [f"{outcome.number} {outcome.changes}: {outcome.answer}" for outcome in outcomes if outcome.escaped]
    assert escapes == []
