"""The ledger, which follows people from one release to the next.

Only the publisher knows who is who. A table that is read with a `person` column keeps it beside the rows, and no
release mentions it. From release to release the publisher must remember in which group each person sat. The ledger
holds these seats under pseudonyms that are keyed by its salt. What a group shows is in the release itself. A ledger is
as secret as the table: anybody who can name a person learns from it the value that the person was shown with.

The file of a ledger changes together with the folder of a release. If a process is killed in between, the file holds
the state before and after the release, and reading it looks at which release is in place (io/release_folder/companion).
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from voile.adversaries.seating import Seating, pack_array, read_seating, require_once, unpack_array
from voile.errors import DataError, SpecError
from voile.io.release_folder import Companion, is_in_place, recover
from voile.io.safe_writing.file_replacement import replace_files
from voile.plugins.counted_nouns import count_noun
from voile.tables.group_counts import Counts

SALT_BYTES = 32
FORMAT, BOTH_FORMAT = 3, 4  # of one state, and of the states before and after a release
OLD_FORMATS = (1, 2)  # which did not say who sat in which group
_FAULTS = (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, OverflowError)


class Ledger:
    """The group in which each person sat, release after release. `publish` reads the ledger and adds to it; no release
    contains any of it.

    >>> Ledger()
    Ledger(0 people in 0 releases)
    """

    def __init__(self) -> None:
        self.salt = secrets.token_bytes(SALT_BYTES)
        self.people = np.zeros(0, dtype=np.uint64)  # pseudonyms of everybody, in the order of their first release
        self.releases: list[str] = []  # digests
        self.path: Path | None = None  # where it is kept
        self._seatings: list[Seating] = []  # of the people who were known by then
        self._stored: bytes | None = None  # the file as it was read or written
        self._before: dict[str, Any] | None = None  # the state that was read from it
        self._after: dict[str, Any] | None = None  # the state after a release that is not in its place

    def __repr__(self) -> str:
        return f"Ledger({len(self.people)} people in {len(self.releases)} releases)"

    # people and their seats --------------------------------------------------------------------------------------
    def make_pseudonyms(self, hashes: np.ndarray) -> np.ndarray:
        """Return the pseudonyms under which the ledger lists people, who are given by their hashes."""
        texts = np.ascontiguousarray(hashes, dtype="<u8").tobytes()
        digests = (
            hashlib.blake2b(texts[start : start + 8], key=self.salt, digest_size=8).digest()
            for start in range(0, len(texts), 8)
        )
        return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)

    def find_people(self, pseudonyms: np.ndarray) -> np.ndarray:
        """Return the position of each person in `people`, -1 for new people."""
        order = np.argsort(self.people)
        place = np.minimum(np.searchsorted(self.people, pseudonyms, sorter=order), max(len(order) - 1, 0))
        if not len(order):
            return np.full(len(pseudonyms), -1, dtype=np.int64)
        position = order[place]
        return np.where(self.people[position] == pseudonyms, position, -1)

    def seating(self, number: int) -> Seating:
        """Return the seats of a release, counted from 0: entry i is that of `people[i]`."""
        own = self._seatings[number]
        return own.align(np.arange(len(own.people)), self.people)

    def last_seats(self, releases: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return for everybody in `people` the last release (of the first `releases`) in which they have a seat, and
        the group there; -1 and -1 where they never had one."""
        release, group = np.full((2, len(self.people)), -1, dtype=np.int64)
        for number, own in enumerate(self._seatings[:releases]):
            seated = np.flatnonzero(own.group >= 0)
            release[seated], group[seated] = number, own.group[seated]
        return release, group

    def record(self, release: str, seating: Seating) -> None:
        """Record a new release, named by its digest, and who sits where in it."""
        require_once(seating.people)
        is_new = self.find_people(seating.people) < 0
        self.people = np.concatenate([self.people, np.sort(seating.people[is_new])])
        self._seatings.append(seating.align(self.find_people(seating.people), self.people))
        self.releases.append(release)

    def copy(self) -> Ledger:
        """Return a ledger that can be added to without changing this one. It has no file."""
        other = copy.copy(self)
        other.releases, other._seatings, other.path = list(self.releases), list(self._seatings), None
        return other

    # what it belongs to ------------------------------------------------------------------------------------------
    def check(self, earlier: Sequence[str]) -> None:
        """Raise DataError unless this ledger belongs to exactly these releases, named by their digests."""
        self._settle(earlier)
        if self.releases != list(earlier):
            raise _other_releases(len(self.releases), len(earlier), set(self.releases) == set(earlier))

    def check_beginning(self, releases: Sequence[str]) -> None:
        """Raise DataError unless these are the first releases of this ledger, in order."""
        self._settle(releases)
        if self.releases[: len(releases)] != list(releases):
            raise _other_releases(len(self.releases), len(releases), set(releases) <= set(self.releases))

    def check_values(self, number: int, tallies: Mapping[str, Counts]) -> None:
        """Raise DataError unless the seats of a release show values that its groups have."""
        own = self._seatings[number]
        for name, counts in tallies.items():
            if name not in own.values or not _fits(own, name, counts):
                raise DataError(
                    f"The ledger shows people with values of {name!r} that release {number + 1} does not have.",
                    code="data.ledger",
                    hint="Name the ledger that was kept with these releases.",
                )

    # its file ----------------------------------------------------------------------------------------------------
    def save(self, path: str | Path) -> Path:
        """Write the ledger completely or not at all, readable by its owner only. To write it together with a release,
        give it to `Release.save`."""
        target = Path(path)
        try:
            replace_files({target: self.write_state()}, private=True)
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
        return Companion(
            "ledger", path, self._stored, self.write_state(), partial(_write_both, self._before, self._body())
        )

    def note_saved(self) -> None:
        """Note that the file now holds this ledger."""
        self._before, self._stored, self._after = self._body(), self.write_state(), None

    @staticmethod
    def open(path: str | Path) -> Ledger:
        """Read a ledger, or start a fresh one if the file does not exist yet."""
        if os.path.lexists(path):
            return Ledger.read(path)
        ledger = Ledger()
        ledger.path = Path(path)
        return ledger

    @staticmethod
    def read(path: str | Path, *, sent: bool = False) -> Ledger:
        """Read a ledger from its file. Of one that was `sent`, no folder that it names is opened: if it holds the
        states before and after a release, the releases that it is used with decide between them."""
        ledger = Ledger()
        try:
            content = Path(path).read_bytes()
            body = json.loads(content.decode("utf-8"))
            _refuse_old_format(body)
            if "after" in body:
                ledger._resolve(body, sent)
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
        releases = [
            {"digest": digest, **seating.document}
            for digest, seating in zip(self.releases, self._seatings, strict=True)
        ]
        people = pack_array(self.people, np.uint64)
        return {"format": FORMAT, "salt": self.salt.hex(), "people": people, "releases": releases}

    def write_state(self) -> bytes:
        """Return the content of its file."""
        return json.dumps(self._body()).encode()

    def _restore(self, body: dict[str, Any]) -> None:
        """Take over a state that was read from a file."""
        if body["format"] != FORMAT:
            raise ValueError("not a state of a ledger")
        people = unpack_array(body["people"], np.uint64)
        if len(np.unique(people)) < len(people):
            raise ValueError("a ledger lists everybody once")
        self.salt, self.people = bytes.fromhex(body["salt"]), people
        self.releases = [str(entry["digest"]) for entry in body["releases"]]
        self._seatings = [read_seating(entry, people) for entry in body["releases"]]
        if len(self.salt) != SALT_BYTES:
            raise ValueError("a ledger's salt has 32 bytes")
        self._before, self._after = body, None

    def _settle(self, releases: Sequence[str]) -> None:
        """Take over the later of two states if the named releases reach that far: the release was moved elsewhere after
        a process was killed."""
        if self._after is not None and list(releases) == [entry["digest"] for entry in self._after["releases"]]:
            self._restore(self._after)

    def _resolve(self, body: dict[str, Any], sent: bool) -> None:
        """Take over one of two states: the one after the release if the release is in place, else the one before it."""
        if not sent:
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


@dataclass(frozen=True, eq=False)
class SeatHistory:
    """What a method that keeps seats is told: the ledger of the earlier releases, and for each number in the column
    PERSON of the rows the position of that person in `ledger.people`, -1 for a new person."""

    ledger: Ledger
    position: np.ndarray


def _fits(seating: Seating, name: str, counts: Counts) -> bool:
    """Return whether no group has a value less often than its seats do."""
    assert counts.column is not None
    code_of = {text: code for code, text in enumerate(counts.column.domain.labels)}
    seats = seating.values[name]
    codes = np.array([code_of.get(label, -1) for label in seats.labels], dtype=np.int64)
    seated = np.flatnonzero(seating.group >= 0)
    group, code = seating.group[seated].astype(np.int64), codes[seats.codes[seated]]
    if (code < 0).any() or (group >= counts.groups).any():
        return False
    pairs, numbers = np.unique(group * counts.column.size + code, return_counts=True)
    listed = counts.owner * counts.column.size + counts.values
    place = np.minimum(np.searchsorted(listed, pairs), max(len(listed) - 1, 0))
    return not len(pairs) or bool(((listed[place] == pairs) & (counts.counts[place] >= numbers)).all())


def _other_releases(own: int, named: int, same: bool) -> DataError:
    reason = f"It records {count_noun(own, 'release')}, and {named} {'is' if named == 1 else 'are'} named."
    if own == named:
        reason = "It records the same ones in another order." if same else "It records others."
    return DataError(
        f"The ledger does not belong to the releases that are named. {reason}",
        code="data.ledger",
        hint="Name all earlier releases, oldest first, together with the ledger that was kept with them.",
    )


def _refuse_old_format(body: Any) -> None:
    if isinstance(body, dict) and body.get("format") in OLD_FORMATS and "salt" in body | (body.get("after") or {}):
        raise DataError(
            "The ledger was written by an earlier version, which did not record who sat in which group.",
            code="data.ledger",
            hint="Start a new ledger with the next release, or publish again from the first release on.",
        )


def _write_both(before: dict[str, Any] | None, after: dict[str, Any], folder: Path, certificate: str) -> bytes:
    """Write the state before and after a release, and which release decides between them."""
    release = {"folder": str(folder), "certificate": certificate}
    return json.dumps({"format": BOTH_FORMAT, "release": release, "before": before, "after": after}).encode()
