"""The workbench against its bars: the first page, Adult with its risk, five methods compared, 500 MB by path.

Needs Adult at ../shared/data. With a number, the large table has that many megabytes (500 by default).
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
from clock import show
from tables import ADULT, QUASI


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    command = [sys.executable, "-u", "-m", "voile", "serve", "--no-browser", "--folder", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    try:
        yield next(line.strip() for line in process.stdout if "http://" in line)
    finally:
        process.terminate()
        process.wait()


class Visit:
    """A visitor who knows the forms."""

    def __init__(self, address: str) -> None:
        self.client = httpx.Client(base_url=address.split("/?")[0], follow_redirects=True, timeout=600)
        start = time.perf_counter()
        self.client.get(f"/?{address.split('?')[1]}")
        page = self.client.get("/").text
        self.client.get("/static/voile.css"), self.client.get("/static/voile.js")
        self.first = time.perf_counter() - start
        self.csrf = re.search(r'name="csrf" value="([^"]+)"', page)[1]  # type: ignore[index]

    def post(self, path: str, /, **form: str) -> None:
        self.client.post(path, data={"csrf": self.csrf, **form}).raise_for_status()

    def watch(self) -> tuple[float, float, float]:
        """Wait for the work: how long it took, the longest silence of its progress, the slowest page meanwhile."""
        start = last = time.perf_counter()
        heard, silence, slowest = -1, 0.0, 0.0
        while True:
            asked = time.perf_counter()
            job = self.client.get("/job").json()
            self.client.get("/receive")
            now = time.perf_counter()
            slowest = max(slowest, now - asked)
            if job["heard"] != heard:
                heard, silence, last = job["heard"], max(silence, now - last), now
            if job["state"] != "running":
                return now - start, max(silence, now - last), slowest
            time.sleep(0.1)

    def timed(self, path: str, /, **form: str) -> tuple[float, float]:
        """From the click to the page that shows what was found."""
        start = time.perf_counter()
        self.post(path, **form)
        _, _, slowest = self.watch()
        self.client.get("/")
        return time.perf_counter() - start, slowest


def main(megabytes: int) -> None:
    with served(ADULT.parent) as address:
        visit = Visit(address)
        show("first page, with style and script", visit.first, 1.0, 1)
        visit.timed("/", how="path", path="adult.csv")  # once, to compile
        took, _ = visit.timed("/", how="path", path="adult.csv")
        show("Adult loaded and its risk shown", took, 3.0, 1)
        compared(visit)
    with tempfile.TemporaryDirectory() as place:
        large = Path(place) / "large.csv"
        head, *rows = ADULT.read_bytes().splitlines(keepends=True)
        block = b"".join(rows)
        with large.open("wb") as out:
            out.write(head)
            for _ in range(megabytes * 1_000_000 // len(block) + 1):
                out.write(block)
        with served(Path(place)) as address:
            visit = Visit(address)
            took, slowest = visit.timed("/", how="path", path="large.csv")
            print(f"{large.stat().st_size / 1e6:.0f} MB by path: looked at in {took:.1f} s")
            show("slowest two answers meanwhile", slowest, 1.0, 1)


def compared(visit: Visit) -> None:
    """Every method that fits l-diversity of the occupation (more than five trials), every attack and measure."""
    page = visit.client.get("/mark").text
    roles = {name: "quasi" for name in QUASI if name != "occupation"} | {"occupation": "sensitive"}
    found = re.findall(r'<th scope="row" id="c(\d+)">([^<]*)</th>', page)
    visit.post("/mark", **{f"role.{number}": roles.get(name, "") for number, name in found})
    visit.watch()
    visit.post("/promise", **{"models.l-diversity.on": "on", "models.l-diversity.l": "3"})
    visit.watch()
    for run in ("first", "once compiled"):
        start = time.perf_counter()
        visit.post("/compare")
        _, silence, _ = visit.watch()
        show(f"methods compared, {run}", time.perf_counter() - start, 60.0, 1)
        show("longest silence", silence, 1.0, 1)
    rows = re.findall(r'<tr[^>]*><td class="n">\d+</td><th scope="row">([^<\s]+)', visit.client.get("/compare").text)
    print(f"{len(rows)} trials: {', '.join(rows)}")


if ADULT.exists():
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
else:
    print("the Adult table is not at ../shared/data: nothing is measured")
