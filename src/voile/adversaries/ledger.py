"""The ledger, which follows people from one release to the next.

Only the publisher knows who is who. A table that is read with a `person` column keeps it beside the rows, and no
release mentions it. From release to release the publisher must remember the list of values (the signature) that each
person was shown with. The ledger holds these lists under pseudonyms that are keyed by the ledger's salt. A ledger is as
secret as the table: anybody who can name a person learns from it a few values, one of which is that person's.

The file of a ledger changes together with the folder of a release. If a process is killed in between, the file holds
the state before and after the release, and reading it looks at which release is in place (io/release_folder/companion).
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from voile.errors import DataError, SpecError
from voile.io.release_folder import Companion, is_in_place, recover
from voile.io.safe_writing.file_replacement import replace_files

Signature = tuple[str, ...]
SALT_BYTES = 32
_FAULTS = (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, OverflowError)


class Ledger:
    """The values that each person was shown with, release after release. `publish` reads the ledger and adds to it; no
    release contains any of it.

    >>> Ledger()
    Ledger(0 people in 0 releases)
    """

    def __init__(self) -> None:
        self.salt = secrets.token_bytes(SALT_BYTES)
        self.releases: list[str] = []  # digests
        self.signatures: dict[str, Signature] = {}  # by pseudonym
        self.path: Path | None = None  # where it is kept
        self._stored: bytes | None = None  # the file as it was read or written
        self._before: dict[str, Any] | None = None  # the state that was read from it
        self._after: dict[str, Any] | None = None  # the state after a release that is not in its place

    def __repr__(self) -> str:
        return f"Ledger({len(self.signatures)} people in {len(self.releases)} releases)"

    def pseudonym(self, person: str) -> str:
        """Return the name under which the ledger lists a person."""
        return hashlib.blake2b(person.encode(), key=self.salt, digest_size=16).hexdigest()

    def signature(self, person: str) -> Signature | None:
        """Return the values that a person was shown with, or None for a new person."""
        return self.signatures.get(self.pseudonym(person))

    def record(self, release: str, signatures: Iterable[tuple[str, Signature]]) -> None:
        """Record a new release, named by its digest, and the values that it showed each person with."""
        self.releases.append(release)
        self.signatures.update((self.pseudonym(person), signature) for person, signature in signatures)

    def check(self, earlier: Sequence[str]) -> None:
        """Raise DataError unless this ledger belongs to exactly these releases, named by their digests."""
        if self._after is not None and list(earlier) == self._after["releases"]:
            self._restore(self._after)  # the release was moved elsewhere after a process was killed
        if self.releases != list(earlier):
            raise DataError(
                f"The ledger belongs to {len(self.releases)} releases, not to the {len(earlier)} that are named.",
                code="data.ledger",
                hint="Name all earlier releases, oldest first, together with the ledger that was kept with them.",
            )

    def save(self, path: str | Path) -> Path:
        """Write the ledger completely or not at all, readable by its owner only. To write it together with a release,
        give it to `Release.save`."""
        target = Path(path)
        try:
            replace_files({target: self._write()}, private=True)
        except OSError as error:
            raise DataError(
                f"The ledger cannot be written to {target.name!r} ({error.strerror}).",
                code="data.ledger",
                hint="Check the free space and the permissions there.",
            ) from None
        self.path = target
        self.note_saved()
        return target

    def companion(self) -> Companion:
        """The ledger's file, to be written together with a release folder."""
        if self.path is None:
            raise SpecError(
                "The ledger has no file.", code="spec.ledger", hint="Open it from a file, which may be a new one."
            )
        path = Path(os.path.abspath(self.path))
        return Companion("ledger", path, self._stored, self._write(), partial(_write_both, self._before, self._body()))

    def note_saved(self) -> None:
        """Note that the file now holds this ledger."""
        self._before, self._stored, self._after = self._body(), self._write(), None

    @staticmethod
    def open(path: str | Path) -> Ledger:
        """Read a ledger, or start a fresh one if the file does not exist yet."""
        if os.path.lexists(path):
            return Ledger.read(path)
        ledger = Ledger()
        ledger.path = Path(path)
        return ledger

    @staticmethod
    def read(path: str | Path) -> Ledger:
        """Read a ledger from its file."""
        ledger = Ledger()
        try:
            content = Path(path).read_bytes()
            body = json.loads(content.decode("utf-8"))
            if "after" in body:
                ledger._resolve(body)
            else:
                ledger._restore(body)
        except _FAULTS:
            raise DataError(
                f"The ledger {Path(path).name!r} cannot be read.",
                code="data.ledger",
                hint="Name the file that an earlier publication wrote.",
            ) from None
        ledger.path, ledger._stored = Path(path), content
        return ledger

    def _body(self) -> dict[str, Any]:
        lists = sorted(set(self.signatures.values()))
        positions = {signature: position for position, signature in enumerate(lists)}
        people = {name: positions[self.signatures[name]] for name in sorted(self.signatures)}
        salt, releases = self.salt.hex(), list(self.releases)
        return {"format": 1, "salt": salt, "releases": releases, "signatures": lists, "people": people}

    def _write(self) -> bytes:
        return json.dumps(self._body()).encode()

    def _restore(self, body: dict[str, Any]) -> None:
        """Take over a state that was read from a file."""
        lists = [tuple(map(str, signature)) for signature in body["signatures"]]
        self.salt, self.releases = bytes.fromhex(body["salt"]), list(map(str, body["releases"]))
        self.signatures = {str(name): lists[index] for name, index in body["people"].items()}
        if len(self.salt) != SALT_BYTES:
            raise ValueError("a ledger's salt has 32 bytes")
        self._before, self._after = body, None

    def _resolve(self, body: dict[str, Any]) -> None:
        """Take over one of two states: the one after the release if the release is in place, else the one before it."""
        folder = Path(body["release"]["folder"])
        recover(folder)
        if is_in_place(folder, body["release"]["certificate"]):
            self._restore(body["after"])
            return
        later = Ledger()
        later._restore(body["after"])
        if body["before"] is not None:
            self._restore(body["before"])
        self._after = later._body()


def _write_both(before: dict[str, Any] | None, after: dict[str, Any], folder: Path, certificate: str) -> bytes:
    """Write the state before and after a release, and which release decides between them."""
    release = {"folder": str(folder), "certificate": certificate}
    return json.dumps({"format": 2, "release": release, "before": before, "after": after}).encode()
