"""Reports as PDF: printed by an installed Chromium, with a clear error otherwise."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from voile.errors import DataError, EngineError, SpecError
from voile.flow.report import pdf_printing
from voile.flow.report.pdf_printing import BROWSERS, print_page
from voile.flow.report.report import Report

CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_a_page_is_printed_whole(tmp_path: Path) -> None:
    page = "<!DOCTYPE html><title>t</title><details><summary>a</summary><p>folded</p></details>"
    path = print_page(page, tmp_path / "page.pdf")
    assert path.read_bytes()[:5] == b"%PDF-"
    assert [file.name for file in tmp_path.iterdir()] == ["page.pdf"]
    with pytest.raises(DataError, match="cannot be written"):
        print_page(page, tmp_path / "absent" / "page.pdf")


def test_without_a_browser_the_error_says_what_to_do(
    full: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(EngineError, match=r"neither is installed here.*print it"):
        full.save_pdf(tmp_path / "report.pdf")
    with pytest.raises(SpecError, match=r"does not end in \.pdf"):
        full.save_pdf(tmp_path / "report.html")
    assert not list(tmp_path.iterdir())


def test_a_browser_that_prints_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_printing, "BROWSERS", ("true",))
    with pytest.raises(EngineError, match="true printed no PDF"):
        print_page("<p>", tmp_path / "page.pdf")
    assert not list(tmp_path.iterdir())
