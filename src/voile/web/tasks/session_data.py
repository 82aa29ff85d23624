"""The input and the progress of tasks, and the data that the worker keeps from one task to the next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from voile.adversaries.ledger import Ledger
from voile.adversaries.prior import Prior
from voile.flow.prepare.prepare import prepare_as_asked
from voile.flow.publish.earlier_releases import EarlierReleases
from voile.flow.publish.publish import publish
from voile.flow.read.read import read
from voile.flow.request.request import Request, read_request
from voile.io.spec_files import make_spec
from voile.releases.release import Release
from voile.results import Audit
from voile.tables.microdata import Microdata
from voile.tables.schema import Schema
from voile.tables.secret_key import Key

Payload = Mapping[str, Any]


class Progress(Protocol):
    """How a task reports its progress, and shares partial results."""

    def __call__(self, done: int, total: int, what: str) -> None: ...

    def share(self, partial: Any) -> None: ...


@dataclass
class Memory:
    """The table and the earlier releases that were read last, and the release that was made last; the next task often
    needs them again. `table_request`, `history_request` and `release_request` are the requests that they were made
    from."""

    table_request: str = ""
    data: Microdata | None = None
    history_request: str = ""
    history: EarlierReleases | None = None
    release_request: str = ""
    key: Key | None = None
    release: Release | None = None
    audit: Audit | None = None
    ledger: Ledger | None = None  # with the release in it, if a ledger is kept


memory = Memory()


def read_task_request(payload: Payload) -> Request:
    """Read the request in the payload of a task."""
    return read_request(make_spec(payload["spec"]))


def _file_state(payload: Payload) -> list[Any]:
    """Return the path, time and size of the file: if one of them changes, the file must be read again."""
    try:
        status = Path(payload["source"]).stat()
    except OSError:
        return [payload["source"]]  # reading it raises the error
    return [payload["source"], status.st_mtime_ns, status.st_size]


def read_data(payload: Payload) -> Microdata:
    """Read the table under its schema, unless it is the table that was read last."""
    spec = payload["spec"]
    parts = [_file_state(payload), spec["schema"], spec.get("read"), spec.get("prepare"), payload.get("offset_key")]
    table_request = json.dumps(parts, sort_keys=True)
    if memory.table_request != table_request or memory.data is None:
        schema = Schema(**make_spec({"schema": payload["spec"]["schema"]}).schema)
        table, reading = prepare_table(payload, schema.person)
        memory.data = read(table, schema, **reading)
        memory.table_request = table_request
    return memory.data


def prepare_table(payload: Payload, person: str | None) -> tuple[Any, dict[str, Any]]:
    """Return the table, changed at the border as the request asks for, and the options to read it with."""
    spec = payload["spec"]
    key = Key(bytes.fromhex(payload["offset_key"])) if payload.get("offset_key") else None
    return prepare_as_asked(payload["source"], spec.get("prepare", {}), spec.get("read", {}), person=person, key=key)


def make_release(payload: Payload, progress: Progress) -> Release:
    """Make the release of a request, or return the last one if the request is the same: the release that a visitor has
    looked at is the one that is published."""
    spec = {part: value for part, value in payload["spec"].items() if part != "release"}
    parts = [_file_state(payload), spec, payload.get("after"), payload.get("ledger")]
    release_request = json.dumps(parts, sort_keys=True)
    if memory.release_request != release_request or memory.release is None:
        request, data = read_task_request(payload), read_data(payload)
        progress(1, 5, "Making the release")
        key, history = Key.fresh(), open_history(payload)
        ledger = history.ledger.copy() if history.ledger else None
        memory.release = publish(data, request.policy, request.method, key=key, after=history.releases, ledger=ledger)
        memory.release_request, memory.key, memory.audit, memory.ledger = release_request, key, None, ledger
    return memory.release


def open_history(payload: Payload) -> EarlierReleases:
    """Open and verify the earlier releases and their ledger, unless they are those that were opened last."""
    history_request = json.dumps([payload.get("after"), payload.get("ledger")])  # each file has a path of its own
    if memory.history_request != history_request or memory.history is None:
        memory.history = EarlierReleases.verified(payload.get("after", ()), read_ledger(payload))
        memory.history_request = history_request
    return memory.history


def read_ledger(payload: Payload) -> Ledger | None:
    """Read the ledger of the earlier releases, if there is one. Its file stays as it is."""
    return Ledger.read(payload["ledger"], sent=True) if payload.get("ledger") else None


def learn_priors(payload: Payload) -> tuple[Prior, ...]:
    """Learn the statistics that the release in memory was made with: from the same table, under the same key."""
    assert memory.key is not None
    data = read_data(payload)
    return read_task_request(payload).policy.learn(data.columns, data.draw(memory.key).with_key(memory.key)).priors()
