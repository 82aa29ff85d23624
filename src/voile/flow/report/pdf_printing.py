"""A page as a PDF, printed by an installed Chromium. The page loads nothing, so nothing goes to the network."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from voile.errors import DataError, EngineError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
OPTIONS = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-pdf-header-footer",
)
PATIENCE = 120  # seconds


def print_page(html: str, path: Path) -> Path:
    """Print a page to a PDF file: whole or not at all."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise EngineError(
            "A PDF is printed by Chromium or Chrome, and neither is installed here.",
            code="engine.chromium",
            hint="Install one, or open the HTML page in any browser and print it: it unfolds by itself.",
        )
    with tempfile.TemporaryDirectory(prefix="voile-print-") as folder:
        page, printed = Path(folder) / "page.html", Path(folder) / "page.pdf"
        page.write_text(html, encoding="utf-8")
        _run_browser(browser, page, printed, Path(folder) / "profile")
        try:
            partial = path.with_name(f".{path.name}.partial")
            shutil.copyfile(printed, partial)
            partial.replace(path)
        except OSError as error:
            raise DataError(
                f"{path.name!r} cannot be written ({error.strerror}).", code="data.write", hint="Name another place."
            ) from None
    return path


def _run_browser(browser: str, page: Path, printed: Path, profile: Path) -> None:
    as_root = ("--no-sandbox",) if hasattr(os, "geteuid") and os.geteuid() == 0 else ()  # else Chromium refuses
    command = [browser, *OPTIONS, *as_root, f"--user-data-dir={profile}", f"--print-to-pdf={printed}", page.as_uri()]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):  # there is no file then
        subprocess.run(command, check=False, timeout=PATIENCE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not printed.is_file() or not printed.stat().st_size:
        raise EngineError(
            f"{Path(browser).name} printed no PDF.",
            code="engine.chromium",
            hint="Open the HTML page in a browser and print it: it unfolds by itself.",
        )
