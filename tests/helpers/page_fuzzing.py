"""Random requests to the workbench, most of them wrong in one place or two, and what must be true of every answer.

The workbench runs in this process, without a server, and so does the work of its visitors: an error of a task is found
where it happens. `bench/fuzz_page.py` runs many of these requests, tests/web/test_fuzz.py some.
"""

from __future__ import annotations

import asyncio
import html
import io
import json
import logging
import random
import re
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
from asgi import Answer, run_apart, send_request
from page_requests import CANARY, PORT, Request, RequestMaker

import voile as vl
from voile.web import worker as worker_file
from voile.web.access_control import LOG, Settings
from voile.web.app import make_app
from voile.web.jobs import Job, Worker
from voile.web.private_storage import SCRATCH
from voile.web.visits import Visit, Visits

STATUSES = {200, 206, 303, 304, 307, 400, 403, 404, 405, 409, 410, 413, 415, 416, 421, 431, 503}
SECONDS = 30.0  # of computing for any answer, of which much may go into compiling a kernel for the first time
# these pages show values of the table, or of a release, because somebody asked for them
SHOW_VALUES = re.compile(r"/tree|/receive|/compare|/publish/(release|spec)|.*rows=show")
ROUND = 400  # requests until the visitors are led through all steps again


class InlineWorker(Worker):
    """Does the work at once, in this process; what is asked and answered passes through JSON as it does otherwise."""

    def warm(self) -> None:
        """There is nothing to start."""

    def submit(self, task: str, title: str, payload: Mapping[str, Any]) -> Job:
        self.job = Job(task, title, json.loads(json.dumps(payload)))
        out = io.BytesIO()
        worker_file._answer(out, {"job": self.job.number, "task": task, "payload": self.job.payload})
        for line in out.getvalue().splitlines():
            self._update_job(json.loads(line))
        return self.job


class InlineVisits(Visits):
    """Visits whose work is done in this process."""

    def _make_visit(self) -> Visit:
        visit = super()._make_visit()
        return Visit(visit.storage, InlineWorker(visit.storage.find_place(SCRATCH)))


@dataclass
class Findings:
    """What the requests brought to light."""

    statuses: Counter[int] = field(default_factory=Counter)
    escapes: list[str] = field(default_factory=list)
    slowest: float = 0.0


class PageFuzzer:
    """Sends requests as several visitors and a stranger, and judges the answers."""

    def __init__(self, folder: Path, seed: int) -> None:
        (folder / "mine").mkdir(parents=True)
        (folder / "private").mkdir()
        table = vl.datasets.hospital()
        names = [f"{CANARY}-{number}" for number in range(table.height)]
        table = table.with_columns(pl.Series("name", names))
        table.write_csv(folder / "mine" / "patients.csv")
        mine, private, projects = folder / "mine", folder / "private", folder / "projects"
        self.settings = Settings("t" * 32, mine, private, port=PORT, limit=3_000_000, visits=3, projects=projects)
        self.visits = InlineVisits(self.settings.private, limit=3, quota=20_000_000)
        self.app = make_app(self.settings, visits=self.visits)
        self.findings = Findings()
        self.maker = RequestMaker(random.Random(seed), self.settings, table)
        self.cookies: list[str] = []
        self._last = ""
        handler = logging.Handler()
        handler.emit = lambda record: self.findings.escapes.append(f"logged {record.getMessage()}: {self._last}")  # type: ignore[method-assign]
        LOG.handlers = [handler]

    async def run(self, requests: int) -> Findings:
        """Send some requests; afterwards nothing may be left of the visits."""
        for number in range(requests):
            if number % ROUND == 0:
                await self._begin_round()
            cookie = self.cookies[number % len(self.cookies)]
            await self._repair(cookie)
            await self._send(self.maker.make(cookie))
        self.visits.close()
        left = [path.name for path in self.settings.private.rglob("*")]
        if left:
            self.findings.escapes.append(f"left behind: {left[:5]}")
        return self.findings

    async def _begin_round(self) -> None:
        """Open visits and lead them through the steps, each one step further than the last."""
        self.visits.close()
        self.cookies = []
        for steps in (2, 5, 99):
            answer = await send_request(self.app, "GET", f"/?token={self.settings.token}", self.maker.headers())
            cookie = answer.headers["set-cookie"].split(";")[0]
            self.cookies.append(cookie)
            visit = self._find_visit(cookie)
            self.maker.secrets[cookie] = visit.csrf
            for request in self.maker.path_through_all_steps(cookie)[:steps]:
                answer = await self._send(request)
                assert answer.status == 303, (request.path, answer.status)
        visit = self._find_visit(self.cookies[-1])
        assert visit.reception is not None
        assert not visit.reception["broken"]
        self.maker.release = Path(visit.publication["asked"]["zip"]).read_bytes() if visit.publication else b""

    def _find_visit(self, cookie: str) -> Visit:
        visit = self.visits.find(cookie.partition("=")[2])
        assert visit is not None
        return visit

    async def _repair(self, cookie: str) -> None:
        """Lead a visitor whose table was lost through the first steps again, so that later steps are reached."""
        visit = self._find_visit(cookie)
        steps = self.maker.path_through_all_steps(cookie)
        if cookie != self.cookies[0] and not (visit.marking and visit.spec.get("policy")):
            for request in steps[:4]:
                await self._send(request)
        if cookie == self.cookies[-1] and (visit.reception is None or visit.reception["broken"]):
            await self._send(self.maker.receive_release(cookie))

    async def _send(self, request: Request) -> Answer:
        answer = await self._judge(request)
        target = answer.headers.get("location", "")
        if answer.status == 303 and target.startswith("/"):
            await self._judge(Request("GET", target.partition("#")[0], self.maker.headers(request.cookie)))
        return answer

    async def _judge(self, request: Request) -> Answer:
        """Send one request, and note everything about its answer that may not be."""
        start, self._last = time.process_time(), f"{request.method} {request.path[:100]} {request.what}"
        try:
            sending = send_request(self.app, request.method, request.path, request.headers, request.body, request.cut)
            answer = await asyncio.wait_for(sending, 60)
        except Exception as error:
            self._note(request, f"raised {type(error).__name__}: {error}")
            return Answer(0, {}, b"")
        seconds = time.process_time() - start
        self.findings.slowest = max(self.findings.slowest, seconds)
        self.findings.statuses[answer.status] += 1
        if answer.status not in STATUSES and not (request.cut and answer.status == 0):
            self._note(request, f"status {answer.status}: {_alert(answer)}")
        elif answer.status == 503 and "retry-after" not in answer.headers:
            self._note(request, "503 without a time to come again")
        elif answer.status >= 400 and answer.status != 416 and not _alert(answer) and request.method != "HEAD":
            self._note(request, f"status {answer.status} without a reason")
        if "bug in voile" in answer.text or "Traceback" in answer.text:
            self._note(request, _alert(answer))
        if CANARY in answer.text and not SHOW_VALUES.match(request.path):
            self._note(request, "shows a cell")
        if seconds > SECONDS:
            self._note(request, f"took {seconds:.0f} s")
        return answer

    def _note(self, request: Request, what: str) -> None:
        body = b"".join(request.body)
        shown = body if len(body) < 400 else body[:300] + b"..."
        self.findings.escapes.append(f"{request.method} {request.path[:120]} {what}\n    {request.what} {shown!r}")


def _alert(answer: Answer) -> str:
    found = re.search(r'<section class="problem".*?</section>', answer.text, re.DOTALL)
    plain = answer.headers.get("content-type", "").startswith("text/plain")
    text = re.sub(r"<[^>]+>", " ", found[0]) if found else answer.text if plain else ""
    return " ".join(html.unescape(text).split())


def fuzz_page(folder: Path, requests: int, seed: int) -> Findings:
    """Send random requests to a workbench in an empty folder."""
    return run_apart(PageFuzzer(folder, seed).run(requests))
