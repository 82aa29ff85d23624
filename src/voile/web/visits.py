"""The state of each visitor, kept on the server, so that a reload or a second tab shows everything as it was."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voile.flow.project.project import Project
from voile.tables.schema import ROLES
from voile.web.jobs import Job, Worker
from voile.web.private_storage import QUOTA, SCRATCH, PrivateStorage
from voile.web.tree_history import TreeHistory

MOST_VISITS = 16
IDLE = 1800.0  # seconds without a request after which a visit may end to make room for another
REMEMBERED = 64  # ended visits whose visitors are told why
PARTS = ("schema", "prepare", "policy", "method", "release", "read")
# the attribute of a visit that holds the result of each task
MOST_COUNTS = 50  # that a page lists
RESULTS = {
    "inspect": "inspection",
    "open_earlier": "earlier",
    "keep_earlier": "earlier",
    "mark": "marking",
    "people": "row_limits",
    "promise": "forecast",
    "compare": "comparison",
    "look": "closer_look",
    "preview": "preview",
    "publish": "publication",
    "receive": "reception",
    "cross": "cross_table",
    "complete": "completion",
}


@dataclass
class Visit:
    """The state of one visitor. `spec` has the parts of a spec.toml; there is no other form of the request."""

    storage: PrivateStorage
    worker: Worker
    last_request: float = field(default_factory=time.monotonic)
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    key: str = field(default_factory=lambda: secrets.token_hex(32))  # the key of trials, which are never published
    source: dict[str, Any] = field(default_factory=dict)  # path, name, and how: path, upload or demo
    spec: dict[str, Any] = field(default_factory=dict)
    project: Project | None = None  # as this visit knows it; another process may have changed it since
    unsaved: Mapping[str, Any] | None = None  # why the last change is not in the project
    returning: bool = False  # a project is being opened: the page leads on to where its table was left
    exported: dict[str, Any] | None = None  # the project that was exported last, and what was left out
    has_found: bool = False  # the spec has changed by what was found in the file, not by a decision
    inspection: dict[str, Any] | None = None  # the table as it is
    earlier: dict[str, Any] | None = None  # the releases after which the table is published, and their ledger
    marking: dict[str, Any] | None = None  # the table under its roles
    row_limits: dict[str, Any] | None = None  # the cost of each number of rows per person
    forecast: dict[str, Any] | None = None  # the chosen promise in plain words, and whether this table can keep it
    draft: dict[str, str] = field(default_factory=dict)  # the text of a form that could not be read
    trees: dict[str, TreeHistory] = field(default_factory=dict)  # the edits of each column's tree
    comparison: dict[str, Any] | None = None
    closer_look: dict[str, Any] | None = None
    preview: dict[str, Any] | None = None  # rows before and after, for the publisher's eyes
    publication: dict[str, Any] | None = None
    reception: dict[str, Any] | None = None
    cross_table: dict[str, Any] | None = None
    completion: dict[str, Any] | None = None  # plain tables that were drawn from the received release
    counts: list[dict[str, Any]] = field(default_factory=list)
    problems: list[Mapping[str, Any]] = field(default_factory=list)
    problem_step: str = ""  # the step that shows the problems
    collected_job: int = 0  # the last job whose result was stored

    @property
    def last_use(self) -> float:
        """When somebody last came, or work that somebody waits for last ended."""
        return max(self.last_request, (self.worker.job.ended or 0.0) if self.worker.job else 0.0)

    def roles(self) -> dict[str, str]:
        """Return the role of each column: the marked one, or else the suggested one."""
        columns = (self.inspection or {}).get("columns", [])
        schema = self.spec.get("schema")
        if not schema:
            return {column["name"]: column["role"] for column in columns}
        by_name = {name: role for role in ROLES for name in schema.get(role, ())}
        return {column["name"]: by_name.get(column["name"], "") for column in columns}

    def person(self) -> str | None:
        """Return the column that tells people apart: the marked one, or else the suggested one."""
        schema = self.spec.get("schema") or {"person": (self.inspection or {}).get("suggested_person")}
        name: str | None = schema.get("person")
        return name

    def forget(self, *results: str) -> None:
        """Drop results that depend on an earlier choice."""
        for name in results:
            setattr(self, name, None)

    def state(self) -> str:
        """Return the state of the project that a page is made from: its revision, its name and the table. The forms of
        the page send it back."""
        return f"{self.project.revision}:{self.project.name}/{self.project.current}" if self.project else ""

    def show_problem(self, error: Mapping[str, Any]) -> None:
        """Show an error on the next page, one line per problem; other steps do not show it."""
        self.problem_step = ""
        self.problems += list(error.get("problems") or [error])

    def request(self) -> dict[str, Any]:
        """Return the request so far, without empty parts."""
        parts = {part: self.spec[part] for part in PARTS if self.spec.get(part)}
        if "schema" in parts:
            parts["schema"] = {key: value for key, value in parts["schema"].items() if value not in ([], {})}
            parts |= {"read": self._request_reading()} if "read" in parts else {}
        return {part: content for part, content in parts.items() if content}

    def _request_reading(self) -> dict[str, Any]:
        """Return how the table is read, without columns that have no role."""
        roles, read = self.roles(), dict(self.spec["read"])
        births = self.spec.get("prepare", {}).get("ages", {})
        read["convert"] = {
            name: how for name, how in read.get("convert", {}).items() if roles.get(name) or name in births
        }
        read["merge"] = [name for name in read.get("merge", ()) if roles.get(name) not in ("", "identifier", None)]
        return {key: value for key, value in read.items() if value}

    def payload(self, **more: Any) -> dict[str, Any]:
        """Return the input of a task that works on the table of this visit. Offsets of dates are drawn with the key of
        the visit, so that every task sees the same dates."""
        offsets = {"offset_key": self.key} if self.spec.get("prepare", {}).get("shift_dates") else {}
        source = {"source": self.source.get("path"), "spec": self.request()}
        return {**source, **offsets, **self.list_earlier(), **self.name_project(), **more}

    def name_project(self) -> dict[str, Any]:
        """Return where a task finds the open project, its current table, and how many releases that has."""
        if self.project is None or not self.project.tables:
            return {}
        table = self.project.find_table()
        place = {"home": str(self.project.folder.parent), "name": self.project.name, "table": table.name}
        return {"project": {**place, "earlier": len(table.releases)}}

    def list_earlier(self) -> dict[str, Any]:
        """Return the folders of the earlier releases, oldest first, and the file of the ledger, where there are any."""
        if self.earlier is None:
            return {}
        after = [release["place"] for release in self.earlier["releases"]]
        return {"after": after} | ({"ledger": self.earlier["ledger"]["path"]} if self.earlier["ledger"] else {})

    def start_job(self, task: str, title: str, payload: Mapping[str, Any]) -> Job:
        """Start a job, and clear the problems of earlier ones."""
        self.problems = []
        return self.worker.submit(task, title, payload)

    def collect_result(self) -> Job | None:
        """Store the result of the last job, once; return the job."""
        job = self.worker.job
        if job is None or job.running or job.number == self.collected_job:
            return job
        self.collected_job = job.number
        if job.state == "failed" and job.error is not None:
            self.show_problem(job.error)
        elif job.state == "cancelled":
            # the worker may have been ended just after the folder was in place
            hint = "The folder is as before, or the new one." if job.task == "publish" else "Nothing was changed."
            self.show_problem({"message": f"{job.title}: cancelled.", "hint": hint, "code": "cancelled"})
        elif job.state == "done":
            self._store_result(job)
        return job

    def _store_result(self, job: Job) -> None:
        if job.task in RESULTS:
            setattr(self, RESULTS[job.task], {**job.result, "asked": dict(job.payload)})
            if job.task == "inspect":
                self._take_reading(job.result)
            if job.task == "open_earlier":
                self.forget("comparison", "closer_look", "preview", "publication")
            if job.result.get("recorded"):
                self._take_recorded(job.result["recorded"])
        elif job.task == "reopen":
            for name in ("inspection", "earlier", "marking", "forecast"):
                setattr(self, name, job.result.get(name))
            if self.inspection:
                self._take_reading(self.inspection)
            if job.result.get("problem"):
                self.show_problem(job.result["problem"])
        elif job.task == "count":
            self.counts = [*job.result["counts"], *self.counts][:MOST_COUNTS]
        elif job.task == "tree":
            name = job.payload["column"]
            trees = {**self.spec["schema"].get("hierarchies", {})}
            trees |= {name: job.payload["hierarchy"]} if job.payload.get("save") else {}
            self.spec["schema"]["hierarchies"] = trees

    def _take_reading(self, inspection: Mapping[str, Any]) -> None:
        """Put what was found in the file into the spec, so that it is read the same again."""
        found, before = inspection["reading"]["spec"], self.spec.get("read", {})
        read = {**found, **before}
        if "convert" in found:
            read["convert"] = {**found["convert"], **before.get("convert", {})}
        self.spec["read"], self.has_found = read, self.has_found or read != before

    def _take_recorded(self, recorded: Mapping[str, Any]) -> None:
        """Take up the state of the project in which a release was recorded, unless others have changed it meanwhile:
        then the next form is told."""
        self.earlier = recorded["history"]
        self.forget("comparison", "closer_look", "preview")
        if self.project is not None and recorded["before"] == self.project.revision:
            self.project = Project.open(self.project.name, self.project.folder.parent)


class TooManyVisits(Exception):  # noqa: N818 - it says what happened
    """No visit can be opened now. `minutes` says when one may be."""

    def __init__(self, limit: int, minutes: int) -> None:
        super().__init__(limit, minutes)
        self.limit, self.minutes = limit, minutes


class Visits:
    """All visits, by the secret in the visitor's cookie."""

    def __init__(self, folder: Path, plugins: Sequence[str] = (), limit: int = MOST_VISITS, quota: int = QUOTA) -> None:
        self.folder, self.plugins, self.limit, self.quota = folder, tuple(plugins), limit, quota
        self._visits: dict[str, Visit] = {}
        self._ended: dict[str, None] = {}  # the secrets of visits that made room for others
        self._spare: Visit | None = None

    def warm(self) -> None:
        """Start a worker for the first visitor in advance."""
        self._spare = self._make_visit()
        self._spare.worker.warm()

    def find(self, secret: str | None) -> Visit | None:
        """Find the visit that a cookie belongs to."""
        visit = self._visits.get(secret) if secret else None
        if visit is not None:
            visit.last_request = time.monotonic()
        return visit

    def has_ended(self, secret: str | None) -> bool:
        """Whether a cookie belongs to a visit that ended to make room for another."""
        return secret in self._ended

    def open(self) -> str:
        """Open a new visit and return its secret. If there are too many, one that is idle ends; if none is, the new one
        is refused, since ending a visit loses work."""
        if len(self._visits) >= self.limit:
            self._end_idle_visit()
        secret = secrets.token_urlsafe(32)
        self._visits[secret], self._spare = self._spare or self._make_visit(), None
        self._visits[secret].last_request = time.monotonic()
        return secret

    def _end_idle_visit(self) -> None:
        """End the visit that has been idle for longest, if that is long enough."""
        waiting = {secret: visit for secret, visit in self._visits.items() if not visit.worker.busy}
        secret = min(waiting, key=lambda secret: waiting[secret].last_use, default=None)
        remaining = IDLE - (time.monotonic() - waiting[secret].last_use) if secret else IDLE
        if secret is None or remaining > 0:
            raise TooManyVisits(self.limit, max(math.ceil(remaining / 60), 1))
        self._ended = dict.fromkeys([*self._ended, secret][-REMEMBERED:])
        self._end(self._visits.pop(secret))

    def _make_visit(self) -> Visit:
        storage = PrivateStorage(self.folder / secrets.token_hex(8), self.quota)
        storage.folder.mkdir(mode=0o700)
        return Visit(storage, Worker(storage.find_place(SCRATCH), self.plugins))

    @staticmethod
    def _end(visit: Visit) -> None:
        visit.worker.close()
        visit.storage.delete()

    def close(self) -> None:
        """End all visits."""
        for visit in [*self._visits.values(), *([self._spare] if self._spare else [])]:
            self._end(visit)
        self._visits, self._spare = {}, None
