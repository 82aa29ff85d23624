"""`voile verify`: a stranger's recount, and what is refused after it."""

from __future__ import annotations

import shutil
from pathlib import Path

from calling import Voile

from voile.errors import BrokenPromise


def test_verify(voile: Voile, release: Path) -> None:
    answer = voile("verify", release)
    assert answer.code == 0
    assert "k-anonymity" in answer.out
    spoken = voile("verify", release, "--json")
    assert spoken.json["holds"] is True
    assert spoken.err == ""
    assert voile("verify", voile.folder).code == 3


def test_verify_of_a_changed_release(voile: Voile, release: Path) -> None:
    shutil.copytree(release, "copy")
    (voile.folder / "copy" / "table.parquet").write_bytes(b"PAR1")
    answer = voile("verify", "copy", "--json")
    assert answer.code == BrokenPromise.exit_code == 5
    assert answer.json["holds"] is False
    for verb in (("audit", "copy"), ("report", "copy"), ("measure", "copy", "--data", "x.csv")):
        spoken = voile(*verb, "--json")
        assert spoken.code == 5
        assert spoken.json["error"]["code"] == "broken.claim"
