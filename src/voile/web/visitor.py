"""What one visitor has clicked so far, kept on the server: a reload, or a second tab, finds everything as it was."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voile.tables.schema import ROLES
from voile.web.jobs import Job, Worker

MOST_DESKS = 16
PARTS = ("schema", "policy", "method", "release", "read")


@dataclass
class Desk:
    """The state of one visitor. `spec` has the parts of a spec.toml; there is no other form of the request."""

    folder: Path
    worker: Worker
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    key: str = field(default_factory=lambda: secrets.token_hex(32))  # of trials, which are never published
    source: dict[str, Any] = field(default_factory=dict)  # path, name, how it came: path, upload or demo
    spec: dict[str, Any] = field(default_factory=dict)
    seen: dict[str, Any] | None = None  # the table as it is
    marked: dict[str, Any] | None = None  # under its roles
    foreseen: dict[str, Any] | None = None  # what the chosen promise means here
    typed: dict[str, str] = field(default_factory=dict)  # a form that could not be understood, as it was typed
    compared: dict[str, Any] | None = None
    looked: dict[str, Any] | None = None
    published: dict[str, Any] | None = None
    received: dict[str, Any] | None = None
    counted: list[dict[str, Any]] = field(default_factory=list)
    problems: list[Mapping[str, Any]] = field(default_factory=list)
    where: str = ""  # the step that shows the problems
    collected: int = 0  # the last job whose outcome was taken over

    def roles(self) -> dict[str, str]:
        """The role of each column: as marked, else as suggested."""
        columns = (self.seen or {}).get("columns", [])
        schema = self.spec.get("schema")
        if not schema:
            return {column["name"]: column["role"] for column in columns}
        marked = {name: role for role in ROLES for name in schema.get(role, ())}
        return {column["name"]: marked.get(column["name"], "") for column in columns}

    def forget(self, *later: str) -> None:
        """What was found under an earlier choice holds no longer."""
        for name in later:
            setattr(self, name, None)

    def complain(self, error: Mapping[str, Any]) -> None:
        """Show an error on the next page, each of its problems apart; other steps do not show it."""
        self.where = ""
        self.problems += list(error.get("problems") or [error])

    def told(self) -> dict[str, Any]:
        """The request, without empty parts."""
        told = {part: self.spec[part] for part in PARTS if self.spec.get(part)}
        if "schema" in told:
            told["schema"] = {key: value for key, value in told["schema"].items() if value}
        return told

    def payload(self, **more: Any) -> dict[str, Any]:
        return {"source": self.source.get("path"), "spec": self.told(), **more}

    def begin(self, task: str, title: str, payload: Mapping[str, Any]) -> Job:
        self.problems = []
        return self.worker.submit(task, title, payload)

    def collect(self) -> Job | None:
        """Take over what the last job found, once."""
        job = self.worker.job
        if job is None or job.running or job.number == self.collected:
            return job
        self.collected = job.number
        if job.state == "failed" and job.error is not None:
            self.complain(job.error)
        elif job.state == "cancelled":
            self.complain({"message": f"{job.title}: cancelled.", "hint": "Nothing was changed.", "code": "cancelled"})
        elif job.state == "done":
            self._take(job)
        return job

    def _take(self, job: Job) -> None:
        homes = {"inspect": "seen", "mark": "marked", "promise": "foreseen", "compare": "compared", "look": "looked"}
        homes |= {"publish": "published", "receive": "received"}
        if job.task in homes:
            setattr(self, homes[job.task], {**job.result, "asked": dict(job.payload)})
        elif job.task == "count":
            self.counted = [{**job.result, "query": job.payload["said"]}, *self.counted][:20]
        elif job.task == "tree":
            name = job.payload["column"]
            trees = {**self.spec["schema"].get("hierarchies", {})}
            trees |= {name: job.payload["hierarchy"]} if job.payload.get("save") else {}
            self.spec["schema"]["hierarchies"] = trees


class Desks:
    """The desks of all visitors, by the secret in their cookie."""

    def __init__(self, folder: Path, plugins: Sequence[str] = ()) -> None:
        self.folder, self.plugins = folder, tuple(plugins)
        self._desks: dict[str, Desk] = {}
        self._spare: Worker | None = None

    def warm(self) -> None:
        """A worker for the first visitor, started before they come."""
        self._spare = Worker(self.folder, self.plugins)
        self._spare.warm()

    def find(self, secret: str | None) -> Desk | None:
        return self._desks.get(secret) if secret else None

    def open(self) -> str:
        """A new desk; of too many the oldest is cleared."""
        while len(self._desks) >= MOST_DESKS:
            self._clear(next(iter(self._desks)))
        secret = secrets.token_urlsafe(32)
        place = self.folder / secrets.token_hex(8)
        place.mkdir(mode=0o700)
        worker, self._spare = self._spare or Worker(place, self.plugins), None
        self._desks[secret] = Desk(place, worker)
        return secret

    def _clear(self, secret: str) -> None:
        desk = self._desks.pop(secret)
        desk.worker.close()
        shutil.rmtree(desk.folder, ignore_errors=True)

    def close(self) -> None:
        if self._spare is not None:
            self._spare.close()
        for secret in list(self._desks):
            self._clear(secret)
