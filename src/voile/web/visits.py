"""The state of each visitor, kept on the server, so that a reload or a second tab shows everything as it was."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voile.tables.schema import ROLES
from voile.web.jobs import Job, Worker

MOST_VISITS = 16
PARTS = ("schema", "policy", "method", "release", "read")
# the attribute of a visit that holds the result of each task
RESULTS = {
    "inspect": "inspection",
    "mark": "marking",
    "people": "row_limits",
    "promise": "forecast",
    "compare": "comparison",
    "look": "closer_look",
    "publish": "publication",
    "receive": "reception",
}


@dataclass
class Visit:
    """The state of one visitor. `spec` has the parts of a spec.toml; there is no other form of the request."""

    folder: Path
    worker: Worker
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    key: str = field(default_factory=lambda: secrets.token_hex(32))  # the key of trials, which are never published
    source: dict[str, Any] = field(default_factory=dict)  # path, name, and how: path, upload or demo
    spec: dict[str, Any] = field(default_factory=dict)
    inspection: dict[str, Any] | None = None  # the table as it is
    marking: dict[str, Any] | None = None  # the table under its roles
    row_limits: dict[str, Any] | None = None  # the cost of each number of rows per person
    forecast: dict[str, Any] | None = None  # the chosen promise in plain words, and whether this table can keep it
    draft: dict[str, str] = field(default_factory=dict)  # the text of a form that could not be read
    comparison: dict[str, Any] | None = None
    closer_look: dict[str, Any] | None = None
    publication: dict[str, Any] | None = None
    reception: dict[str, Any] | None = None
    counts: list[dict[str, Any]] = field(default_factory=list)
    problems: list[Mapping[str, Any]] = field(default_factory=list)
    problem_step: str = ""  # the step that shows the problems
    collected_job: int = 0  # the last job whose result was stored

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

    def show_problem(self, error: Mapping[str, Any]) -> None:
        """Show an error on the next page, one line per problem; other steps do not show it."""
        self.problem_step = ""
        self.problems += list(error.get("problems") or [error])

    def request(self) -> dict[str, Any]:
        """Return the request so far, without empty parts."""
        parts = {part: self.spec[part] for part in PARTS if self.spec.get(part)}
        if "schema" in parts:
            parts["schema"] = {key: value for key, value in parts["schema"].items() if value not in ([], {})}
        return parts

    def payload(self, **more: Any) -> dict[str, Any]:
        """Return the input of a task that works on the table of this visit."""
        return {"source": self.source.get("path"), "spec": self.request(), **more}

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
            problem = {"message": f"{job.title}: cancelled.", "hint": "Nothing was changed.", "code": "cancelled"}
            self.show_problem(problem)
        elif job.state == "done":
            self._store_result(job)
        return job

    def _store_result(self, job: Job) -> None:
        if job.task in RESULTS:
            setattr(self, RESULTS[job.task], {**job.result, "asked": dict(job.payload)})
        elif job.task == "count":
            self.counts = [{**job.result, "query": job.payload["said"]}, *self.counts][:20]
        elif job.task == "tree":
            name = job.payload["column"]
            trees = {**self.spec["schema"].get("hierarchies", {})}
            trees |= {name: job.payload["hierarchy"]} if job.payload.get("save") else {}
            self.spec["schema"]["hierarchies"] = trees


class Visits:
    """All visits, by the secret in the visitor's cookie."""

    def __init__(self, folder: Path, plugins: Sequence[str] = ()) -> None:
        self.folder, self.plugins = folder, tuple(plugins)
        self._visits: dict[str, Visit] = {}
        self._spare: Worker | None = None

    def warm(self) -> None:
        """Start a worker for the first visitor in advance."""
        self._spare = Worker(self.folder, self.plugins)
        self._spare.warm()

    def find(self, secret: str | None) -> Visit | None:
        """Find the visit that a cookie belongs to."""
        return self._visits.get(secret) if secret else None

    def open(self) -> str:
        """Open a new visit and return its secret; if there are too many, end the oldest."""
        while len(self._visits) >= MOST_VISITS:
            self._end(next(iter(self._visits)))
        secret = secrets.token_urlsafe(32)
        folder = self.folder / secrets.token_hex(8)
        folder.mkdir(mode=0o700)
        worker, self._spare = self._spare or Worker(folder, self.plugins), None
        self._visits[secret] = Visit(folder, worker)
        return secret

    def _end(self, secret: str) -> None:
        visit = self._visits.pop(secret)
        visit.worker.close()
        shutil.rmtree(visit.folder, ignore_errors=True)

    def close(self) -> None:
        """End all visits."""
        if self._spare is not None:
            self._spare.close()
        for secret in list(self._visits):
            self._end(secret)
