"""A real browser, the workbench as a process of its own, and pictures of every step.

The pictures go to the folder that VOILE_SCREENSHOTS names, else to a temporary one.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl

OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
OPTIONS += ["--disable-sync", "--no-first-run", "--disable-dev-shm-usage"]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playing:
        browser = playing.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    named = os.environ.get("VOILE_SCREENSHOTS")
    place = Path(named) if named else tmp_path_factory.mktemp("screenshots")
    place.mkdir(parents=True, exist_ok=True)
    return place


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tables")
    vl.datasets.hospital().write_csv(place / "patients.csv")
    make_visits().write_csv(place / "visits.csv")
    return place


def make_visits() -> pl.DataFrame:
    """903 visits of 300 people, up to eight each; birth, sex and postcode stay, the disease changes."""
    people = [person for person in range(300) for _ in range(1 + person % 3 + 5 * (person % 50 == 7))]
    people += [person % 300 for person in range(903 - len(people))]
    chance = random.Random(7)
    traits = [
        (chance.randrange(1930, 2005), chance.choice(("Female", "Male")), f"80{chance.randrange(10, 40)}")
        for _ in range(300)
    ]
    return pl.DataFrame(
        {
            "patient_id": [f"P{1000 + person}" for person in people],
            "birth": [traits[person][0] for person in people],
            "sex": [traits[person][1] for person in people],
            "zip": [traits[person][2] for person in people],
            "disease": [chance.choice(("flu", "asthma", "cold", "angina", "diabetes")) for _ in people],
        }
    )


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("projects")


@pytest.fixture(scope="module")
def address(chromium: Any, folder: Path, projects: Path) -> Iterator[str]:
    with open_workbench(folder, projects) as printed:
        yield printed


@contextmanager
def open_workbench(folder: Path, projects: Path) -> Iterator[str]:
    """Start a workbench, and end it; the address is the one that it printed."""
    command = [sys.executable, "-m", "voile", "serve", "--no-browser", "--folder", str(folder)]
    command += ["--projects", str(projects)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    assert process.stdout
    try:
        yield next(line.strip() for line in process.stdout if "http://" in line)
    finally:
        process.terminate()
        process.communicate(timeout=30)


class Seen:
    """A page under watch: every request stays on this server, and the console says nothing."""

    def __init__(self, page: Any, address: str, pictures: Path, name: str) -> None:
        self.page, self.pictures, self.name, self.count = page, pictures, name, 0
        self.complaints: list[str] = []
        base = address.split("/?")[0]
        page.on("request", lambda asked: asked.url.startswith((base, "data:")) or self.complaints.append(asked.url))
        page.on("console", lambda said: self.complaints.append(said.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def shot(self, step: str) -> None:
        """A picture; nothing may stick out of the page."""
        self.count += 1
        path = self.pictures / f"{self.name}-{self.count:02}-{step}.png"
        self.page.screenshot(path=path, full_page=True)
        width = self.page.evaluate("document.documentElement.scrollWidth")
        assert width <= self.page.viewport_size["width"], f"{step} is {width} pixels wide"

    def done(self) -> None:
        assert self.complaints == []


@pytest.fixture(scope="module")
def workbench(folder: Path, projects: Path) -> Callable[[], AbstractContextManager[str]]:
    """Start a workbench of its own, for a test that ends it."""
    return lambda: open_workbench(folder, projects)


@pytest.fixture
def look(chromium: Any, address: str, pictures: Path) -> Iterator[Any]:
    """Open the workbench in a fresh browser: `look(name, width, dark)`."""
    opened = []

    def begin(name: str, width: int = 1280, dark: bool = False, address: str = address) -> Seen:
        scheme = "dark" if dark else "light"
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        opened.append(context)
        context.set_default_timeout(60_000)
        seen = Seen(context.new_page(), address, pictures, name)
        seen.page.goto(address)
        seen.page.wait_for_selector("h1")  # the token has left the address
        seen.page.wait_for_load_state()
        return seen

    yield begin
    for context in opened:
        context.close()
