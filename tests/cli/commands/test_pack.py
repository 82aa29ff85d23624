"""`voile pack`: a zip that a recipient unpacks, reads and verifies."""

from __future__ import annotations

import zipfile
from pathlib import Path

from calling import Voile


def test_a_release_is_packed_with_a_guide(voile: Voile, release: Path, tmp_path: Path) -> None:
    out = tmp_path / "sent.zip"
    answer = voile("pack", release, "--out", out, "--json")
    assert answer.json == {"out": str(out), "guide": "READ_ME.html", "bytes": out.stat().st_size}
    with zipfile.ZipFile(out) as archive:
        archive.extractall(tmp_path / "received")
    shown = voile("verify", tmp_path / "received" / release.name)
    assert shown.code == 0
    assert "Not covered by the certificate" not in shown.out
    again = voile("pack", release, "--out", out)
    assert again.code == 2
    assert "--force" in again.err
    assert "a guide for its recipients" in voile("pack", release, "--out", out, "--force").out
