"""`voile demo`: writes a release that holds, and a report."""

from __future__ import annotations

from calling import Voile

import voile as vl


def test_demo_writes_a_release_and_a_report(voile: Voile) -> None:
    answer = voile("demo", "--out", "demo")
    assert answer.code == 0
    assert vl.verify(voile.folder / "demo" / "release").holds
    assert (voile.folder / "demo" / "report.html").exists()
    assert voile("demo", "--out", "demo", "--json").json["verdict"]["holds"]
