"""A folder of finished trials, so that an interrupted comparison continues where it stopped.

A trial is found again by a keyed digest of everything that its numbers depend on: the request, the table,
the earlier releases with their ledger, the version.
The key is the user's own, or one that stays with the user and never enters the folder: a plain digest, or one with its
salt beside it, would let anyone test a guess about the table.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voile.errors import DataError
from voile.flow.compare.trial import Trial
from voile.flow.publish.earlier_releases import EarlierReleases
from voile.io import text_files
from voile.io.safe_writing.staging import sweep_folder
from voile.tables.microdata import PERSON, Microdata, require_people
from voile.tables.secret_key import BYTES, Key
from voile.version import __version__


@dataclass(frozen=True, eq=False)
class TrialStore:
    """A folder of finished trials. A file is either complete or absent."""

    folder: Path
    state: Any  # the keyed hash of everything that all trials share

    @staticmethod
    def open(
        folder: Path, tables: Sequence[Microdata], shared: Any, key: Key | None, history: EarlierReleases
    ) -> TrialStore:
        """Open or create a folder for the trials of one request; `shared` is the request except policy and method."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(
                f"The folder {folder.name!r} cannot be created ({error.strerror}).",
                code="data.write",
                hint="Name a folder that you may write to.",
            ) from None
        sweep_folder(folder)  # after a run that was killed while it wrote
        state = hashlib.blake2b(key=(key or user_key()).secret, person=b"voile compare", digest_size=16)
        state.update(json.dumps([__version__, shared], sort_keys=True, default=str).encode())
        for table in tables:
            _add_table(state, table)
        if history.releases or history.ledger is not None:
            _add_history(state, history, tables[0])
        return TrialStore(folder, state)

    def find(self, policy: Sequence[Mapping[str, Any]], method: Mapping[str, Any]) -> Trial | None:
        """The trial, if it was finished before."""
        try:
            return Trial.from_json(json.loads(self._path(policy, method).read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None  # absent, or not written by us: the trial is run again

    def save(self, trial: Trial) -> None:
        text = json.dumps(trial.as_json(), indent=1, ensure_ascii=False, allow_nan=False)
        text_files.write_texts({self._path(trial.policy, trial.method): text + "\n"}, "trial")

    def _path(self, policy: Sequence[Mapping[str, Any]], method: Mapping[str, Any]) -> Path:
        state = self.state.copy()
        state.update(json.dumps([list(policy), method], sort_keys=True, default=str).encode())
        return self.folder / f"trial-{state.hexdigest()}.json"


def _add_table(state: Any, data: Microdata) -> None:
    """Add everything about a table to a hash: its columns with their domains and hierarchies, its rows, and how many
    of them a person has and may have."""
    state.update(json.dumps(data.unit.as_json()).encode())
    if data.people is not None:
        state.update(data.people.people_by_rows.astype("<i8").tobytes())
    for column in data.columns:
        state.update(json.dumps([column.name, column.role, column.kind, list(column.domain.labels)]).encode())
        if column.hierarchy is not None:
            state.update(json.dumps(column.hierarchy.rows(), default=str).encode())
    table = data.rows.histogram([column.name for column in data.columns])
    state.update(table.codes.astype("<i8").tobytes())
    state.update(table.counts.astype("<i8").tobytes())


def _add_history(state: Any, history: EarlierReleases, data: Microdata) -> None:
    """Add the earlier releases, the ledger, and which row is whose: it decides where people sit."""
    state.update(json.dumps([release.digest for release in history.releases]).encode())
    if history.ledger is None:
        return
    state.update(history.ledger.write_state())
    people = require_people(data)
    state.update(people.list_hashes().astype("<u8").tobytes())
    linked = people.draw_linked(len(people.people_by_rows), Key(bytes(BYTES)))  # all rows, whatever the key
    table = linked.histogram([*(column.name for column in data.columns), PERSON])
    state.update(table.codes.astype("<i8").tobytes())


def user_key() -> Key:
    """The user's key for stores, drawn once and kept outside any folder that is passed on. If it cannot be kept, a
    fresh key is used, and no trial is found again."""
    home = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "voile"
    path = home / "compare.key"
    with suppress(OSError):
        if not path.exists():
            home.mkdir(parents=True, exist_ok=True, mode=0o700)
            with suppress(FileExistsError):
                handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                os.write(handle, os.urandom(BYTES))
                os.close(handle)
        secret = path.read_bytes()
        if len(secret) == BYTES:
            return Key(secret)
    return Key.fresh()
