"""`voile report`: a page, and the same content as JSON."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from calling import Voile


def test_report_writes_a_page_and_json(voile: Voile, release: Path, table: Path) -> None:
    answer = voile("report", release, "--data", table, "--out", "page.html", "--json")
    assert answer.code == 0
    assert (voile.folder / "page.html").stat().st_size > 1000
    assert answer.json["report"].endswith("page.html")
    assert "Report:" in voile("report", release, "--out", "page.html", "--force").out


def test_the_report_lies_beside_the_folder_by_default(voile: Voile, release: Path) -> None:
    """The folder goes to recipients; the report is the publisher's."""
    shutil.copytree(release, voile.folder / "out")
    before = sorted((voile.folder / "out").iterdir())
    answer = voile("report", "out", "--json")
    assert answer.code == 0
    assert Path(answer.json["report"]) == voile.folder / "out-report.html"
    assert sorted((voile.folder / "out").iterdir()) == before
    assert sorted(entry.name for entry in voile.folder.iterdir()) == ["out", "out-report.html", "out-report.json"]


@pytest.mark.parametrize("page", ["out/report.html", "out/sub/report.html", "link/report.html"])
def test_a_report_inside_a_release_folder_is_refused(voile: Voile, release: Path, page: str) -> None:
    shutil.copytree(release, voile.folder / "out")
    (voile.folder / "link").symlink_to("out")
    before = sorted((voile.folder / "out").iterdir())
    answer = voile("report", release, "--out", page, "--json")
    assert answer.code == 2
    assert answer.json["error"]["code"] == "spec.out"
    assert sorted((voile.folder / "out").iterdir()) == before


def test_who_decided_stands_in_the_report(voile: Voile, release: Path) -> None:
    given = (
        "--decided-by",
        "A. Schmidt",
        "--decided-on",
        "2026-03-31",
        "--reason",
        "For a partner.",
        "--reason",
        "k=5",
    )
    answer = voile("report", release, "--out", "page.html", *given, "--json")
    assert answer.json["decision"] == {"by": "A. Schmidt", "on": "2026-03-31", "reasons": ["For a partner.", "k=5"]}
    refused = voile("report", release, "--out", "other.html", "--decided-on", "31.3.2026")
    assert refused.code == 2
    assert "--decided-on 2026-03-31" in refused.err
    assert not (voile.folder / "other.html").exists()


def test_a_pdf_needs_a_browser(voile: Voile, release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    answer = voile("report", release, "--out", "page.html", "--pdf")
    assert answer.code == 6
    assert "open the HTML page in any browser and print it" in answer.err
    assert (voile.folder / "page.html").exists()
