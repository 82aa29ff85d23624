"""Trials in a folder, so that a comparison goes on where it stopped; and word of progress while one runs.

A trial is found again by a keyed digest of all that its numbers depend on: the request, the table, the version. The key
is the user's own, or one that stays with the user and never enters the folder: a plain digest, or one with its salt
beside it, would let anyone test a guess about the table.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from voile.errors import DataError
from voile.flow.compare.trial import Trial
from voile.io import text_files
from voile.tables.microdata import Microdata
from voile.tables.secret_key import BYTES, Key
from voile.version import __version__

TICK = 0.5  # seconds between two words of progress
STALE = 60  # seconds after which nobody is still writing a file
Result = TypeVar("Result")
Say = Callable[[str], None]
Work = Callable[[Say], Result]


@dataclass(frozen=True, eq=False)
class Store:
    """A folder of finished trials. A file is there whole or not at all."""

    folder: Path
    state: Any  # the keyed hash of what all trials share

    @staticmethod
    def at(folder: Path, tables: Sequence[Microdata], shared: Any, key: Key | None) -> Store:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(
                f"The folder {folder.name!r} cannot be made ({error.strerror}).",
                code="data.write",
                hint="Name a folder that you may write to.",
            ) from None
        for left in folder.glob(".trial-*.partial"):  # of a run that was killed while it wrote
            with suppress(OSError):
                if time.time() - left.stat().st_mtime > STALE:
                    left.unlink()
        secret = (key or own_key()).secret
        state = hashlib.blake2b(key=secret, person=b"voile compare", digest_size=16)
        state.update(json.dumps([__version__, shared], sort_keys=True, default=str).encode())
        for table in tables:
            _add(state, table)
        return Store(folder, state)

    def find(self, policy: Sequence[Mapping[str, Any]], method: Mapping[str, Any]) -> Trial | None:
        """The trial, if it was finished before."""
        try:
            return Trial.from_json(json.loads(self._place(policy, method).read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None  # not there, or not ours: it is done again

    def keep(self, trial: Trial) -> None:
        text = json.dumps(trial.as_json(), indent=1, ensure_ascii=False, allow_nan=False)
        text_files.write_texts({self._place(trial.policy, trial.method): text + "\n"}, "trial")

    def _place(self, policy: Sequence[Mapping[str, Any]], method: Mapping[str, Any]) -> Path:
        state = self.state.copy()
        state.update(json.dumps([list(policy), method], sort_keys=True, default=str).encode())
        return self.folder / f"trial-{state.hexdigest()}.json"


def _add(state: Any, data: Microdata) -> None:
    """Everything that a table says: its columns with their domains and hierarchies, and its people."""
    for column in data.columns:
        state.update(json.dumps([column.name, column.role, column.kind, list(column.domain.labels)]).encode())
        if column.hierarchy is not None:
            state.update(json.dumps(column.hierarchy.rows(), default=str).encode())
    table = data.rows.histogram([column.name for column in data.columns])
    state.update(table.codes.astype("<i8").tobytes())
    state.update(table.counts.astype("<i8").tobytes())


def own_key() -> Key:
    """The user's key for stores, drawn once and kept outside of every folder that is passed on. Where it cannot be
    kept, a fresh one serves, and nothing is found again."""
    home = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "voile"
    place = home / "compare.key"
    with suppress(OSError):
        if not place.exists():
            home.mkdir(parents=True, exist_ok=True, mode=0o700)
            with suppress(FileExistsError):
                handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                os.write(handle, os.urandom(BYTES))
                os.close(handle)
        secret = place.read_bytes()
        if len(secret) == BYTES:
            return Key(secret)
    return Key.fresh()


def watched(tell: Callable[[int, int, str], None], done: int, total: int, title: str, work: Work[Result]) -> Result:
    """Run `work(say)` and tell of it, also while it is at one thing for long.

    The work runs in a thread of its own and `tell` in the caller's, so an interrupt ends the wait at once.
    """
    now, results, faults = [title], [], []

    def say(what: str) -> None:
        now[0] = f"{title}: {what}"

    def run() -> None:
        try:
            results.append(work(say))
        except BaseException as error:
            faults.append(error)

    thread = threading.Thread(target=run, daemon=True)
    tell(done, total, title)
    thread.start()
    thread.join(TICK)
    while thread.is_alive():
        tell(done, total, now[0])
        thread.join(TICK)
    if faults:
        raise faults[0]
    tell(done + 1, total, title)
    return results[0]
