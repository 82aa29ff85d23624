"""`voile verify`: checks a folder, and other commands refuse a broken one."""

from __future__ import annotations

import shutil
from pathlib import Path

from calling import Voile

from voile.errors import BrokenPromise


def test_verify_accepts_a_release(voile: Voile, release: Path) -> None:
    answer = voile("verify", release)
    assert answer.code == 0
    assert "k-anonymity" in answer.out
    json_answer = voile("verify", release, "--json")
    assert json_answer.json["holds"] is True
    assert json_answer.err == ""
    assert voile("verify", voile.folder).code == 3


def test_a_changed_release_is_broken_and_refused_by_all_commands(voile: Voile, release: Path) -> None:
    shutil.copytree(release, "copy")
    (voile.folder / "copy" / "table.parquet").write_bytes(b"PAR1")
    answer = voile("verify", "copy", "--json")
    assert answer.code == BrokenPromise.exit_code == 5
    assert answer.json["holds"] is False
    for verb in (("audit", "copy"), ("report", "copy"), ("measure", "copy", "--data", "x.csv")):
        json_answer = voile(*verb, "--json")
        assert json_answer.code == 5
        assert json_answer.json["error"]["code"] == "broken.claim"
