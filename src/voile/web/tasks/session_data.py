"""What a task is told, what it tells, and what the worker remembers from one task to the next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from voile.flow.publish.publish import publish as publishing
from voile.flow.read.read import read
from voile.flow.request.request import Request, read_request
from voile.io.spec_files import make_spec
from voile.releases.release import Release
from voile.results import Audit
from voile.tables.microdata import Microdata
from voile.tables.schema import Schema

Payload = Mapping[str, Any]


class Tell(Protocol):
    """How a task says how far it is, and what it has found so far."""

    def __call__(self, done: int, total: int, what: str) -> None: ...

    def found(self, what: Any) -> None: ...


@dataclass
class Memory:
    """What was read or made last; the next task often needs it again."""

    asked: str = ""
    data: Microdata | None = None
    made: str = ""
    release: Release | None = None
    audit: Audit | None = None


memory = Memory()


def request_of(payload: Payload) -> Request:
    return read_request(make_spec(payload["spec"]))


def _state(payload: Payload) -> list[Any]:
    """The file, as it is now: who changes it is not shown what was."""
    try:
        found = Path(payload["source"]).stat()
    except OSError:
        return [payload["source"]]  # reading it will say what is wrong
    return [payload["source"], found.st_mtime_ns, found.st_size]


def data_of(payload: Payload) -> Microdata:
    """The table under its schema, as it was read last or read anew."""
    told = [_state(payload), payload["spec"]["schema"], payload["spec"].get("read")]
    asked = json.dumps(told, sort_keys=True)
    if memory.asked != asked or memory.data is None:
        schema = Schema(**make_spec({"schema": payload["spec"]["schema"]}).schema)
        memory.data = read(payload["source"], schema, **payload["spec"].get("read", {}))
        memory.asked = asked
    return memory.data


def release_of(payload: Payload, tell: Tell) -> Release:
    """The release of a request; the one that was looked at is the one that is published."""
    told = {part: value for part, value in payload["spec"].items() if part != "release"}
    made = json.dumps([_state(payload), told], sort_keys=True)
    if memory.made != made or memory.release is None:
        asked, data = request_of(payload), data_of(payload)
        tell(1, 5, "Making the release")
        memory.release = publishing(data, asked.policy, asked.method)
        memory.made, memory.audit = made, None
    return memory.release
