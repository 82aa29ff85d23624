"""`voile report`: a page, and the same content as JSON."""

from __future__ import annotations

from pathlib import Path

from calling import Voile


def test_report_writes_a_page_and_json(voile: Voile, release: Path, table: Path) -> None:
    answer = voile("report", release, "--data", table, "--out", "page.html", "--json")
    assert answer.code == 0
    assert (voile.folder / "page.html").stat().st_size > 1000
    assert answer.json["report"].endswith("page.html")
    assert "Report:" in voile("report", release, "--out", "page.html").out
