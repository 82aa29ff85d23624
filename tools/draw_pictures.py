"""Take the pictures of the README and of the first pages with a headless Chromium: docs/pictures/*.png.

    python tools/draw_pictures.py [NAME ...]

They show the report and the workbench of the demo's table, which is invented. Chromium must be installed, as for
tests/browser.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import voile as vl

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
WIDTH = 1080
LIMIT = 200_000  # bytes of a picture


@contextmanager
def open_browser() -> Iterator[Any]:
    """Start a headless Chromium and open one page of moderate size in it."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        sys.exit("There is no Chromium on this machine. Install it (Debian: apt install chromium).")
    with sync_playwright() as playing:
        browser = playing.chromium.launch(executable_path=path, args=OPTIONS)
        page = browser.new_page(viewport={"width": WIDTH, "height": 720}, color_scheme="light")
        yield page
        browser.close()


def take_picture(page: Any, name: str, height: int) -> None:
    """Save the upper part of the page as docs/pictures/NAME.png."""
    path = PICTURES / f"{name}.png"
    page.screenshot(path=path, clip={"x": 0, "y": 0, "width": WIDTH, "height": height}, full_page=True)
    size = path.stat().st_size
    print(f"{path.name}: {size / 1000:.0f} kB")
    if size > LIMIT:
        sys.exit(f"{path.name} is larger than {LIMIT / 1000:.0f} kB. Show less of the page.")


def draw_report(page: Any, folder: Path) -> None:
    """Show the first screen of the report of a release of the hospital table."""
    schema = vl.Schema(
        identifier=["name"],
        quasi=["birth", "sex", "zip"],
        sensitive=["disease"],
        hierarchies={"zip": vl.prefixes(5, 3, 1)},
        steering={"birth": vl.Steer(round="year")},
    )
    data = vl.read(vl.datasets.hospital(), schema)
    release = vl.publish(data, vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=3)))
    vl.report(release, vl.audit(release, data), vl.measure(data, release)).save(folder / "report.html")
    page.goto((folder / "report.html").as_uri())
    take_picture(page, "report", height=906)


def draw_workbench(page: Any, folder: Path) -> None:
    """Show what the workbench says of the hospital table before anything is published."""
    tables = folder / "tables"  # the page shows this name
    tables.mkdir()
    vl.datasets.hospital().write_csv(tables / "patients.csv")
    command = [sys.executable, "-u", "-m", "voile", "serve", "--no-browser", "--folder", str(tables)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    try:
        page.goto(next(line.strip() for line in process.stdout if "http://" in line))
        page.wait_for_selector("h1")
        page.locator("#path").fill("patients.csv")
        page.get_by_role("button", name="Load the file", exact=True).click()
        page.wait_for_selector("#seen")
        take_picture(page, "workbench", height=1080)
    finally:
        process.terminate()
        process.communicate(timeout=30)


DRAWINGS = {"report": draw_report, "workbench": draw_workbench}


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, open_browser() as page:
        for name in sys.argv[1:] or DRAWINGS:
            DRAWINGS[name](page, Path(folder))


if __name__ == "__main__":
    main()
