"""Seats: who sat in which group of one release, and with which value, as arrays with one entry per person."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from voile.errors import DataError

NO_SEAT = -1
NO_KIND = -1
LARGEST_ARRAY = 1 << 30  # bytes of an array in a ledger: a small text may claim to hold any number


@dataclass(frozen=True, eq=False)
class SeatValues:
    """The values that one sensitive column showed for the seats: a code for each person, NO_SEAT where there is none,
    and the text of each code."""

    labels: tuple[str, ...]
    codes: np.ndarray

    def __repr__(self) -> str:
        return f"SeatValues({len(self.codes)} people)"

    def texts(self) -> np.ndarray:
        """Return the value of each person as text, None where there is no seat."""
        return np.asarray(np.array([*self.labels, None], dtype=object)[self.codes])


@dataclass(frozen=True, eq=False)
class Seating:
    """The seats of one release. `people` are pseudonyms, each once. `group` is the group of the release in which a
    person has a seat, NO_SEAT for people who wait or are withheld. People with equal `kind` show the same
    quasi-identifier, where the release shows it at all. Those who are not `present` have left the table, and their seat
    stays. `values` are what the release shows for each seat, by sensitive column."""

    people: np.ndarray
    group: np.ndarray
    kind: np.ndarray
    present: np.ndarray
    values: Mapping[str, SeatValues]

    def __repr__(self) -> str:
        return f"Seating({int((self.group >= 0).sum())} seats of {len(self.people)} people)"

    def align(self, positions: np.ndarray, people: np.ndarray) -> Seating:
        """Return the same seats in another order: entry i goes to `positions[i]` of `people`, and people who are not
        mentioned have none."""

        def move(entries: np.ndarray, missing: int) -> np.ndarray:
            moved = np.full(len(people), missing, dtype=np.int32)
            moved[positions] = entries
            return moved

        values = {name: SeatValues(own.labels, move(own.codes, NO_SEAT)) for name, own in self.values.items()}
        present = move(self.present, 0).astype(bool)
        return Seating(people, move(self.group, NO_SEAT), move(self.kind, NO_KIND), present, values)

    @cached_property
    def document(self) -> dict[str, Any]:
        """The seats as a document, without the people."""
        values = {
            name: {"labels": list(own.labels), "codes": pack_array(own.codes, np.int32)}
            for name, own in self.values.items()
        }
        group, kind = pack_array(self.group, np.int32), pack_array(self.kind, np.int32)
        return {"group": group, "kind": kind, "present": pack_array(self.present, np.uint8), "values": values}


def read_seating(document: Mapping[str, Any], everybody: np.ndarray) -> Seating:
    """Read the seats of a document, whose people are the first of `everybody`; ValueError where it holds no seats."""
    group = unpack_array(document["group"], np.int32)
    people = everybody[: len(group)]
    kind, present = unpack_array(document["kind"], np.int32), unpack_array(document["present"], np.uint8)
    values = {
        str(name): SeatValues(tuple(map(str, own["labels"])), unpack_array(own["codes"], np.int32))
        for name, own in document["values"].items()
    }
    if not len(people) == len(group) == len(kind) == len(present) or (present > 1).any():
        raise ValueError("the columns of seats have different lengths")
    if (group < NO_SEAT).any() or (kind < NO_KIND).any():
        raise ValueError("a group or a kind is below zero")
    for own in values.values():
        fits = len(own.codes) == len(group) and bool((own.codes < len(own.labels)).all())
        if not fits or not np.array_equal(own.codes >= 0, group >= 0) or (own.codes < NO_SEAT).any():
            raise ValueError("the values do not fit the seats")
    return Seating(people, group, kind, present.astype(bool), values)


def require_once(people: np.ndarray) -> None:
    """Raise DataError if anybody has two seats in one release."""
    twice = len(people) - len(np.unique(people))
    if twice:
        raise DataError(
            f"{twice} people would have more than one seat in the release.",
            code="data.person-twice",
            hint="Publish one row per person.",
        )


def pack_array(array: np.ndarray, dtype: Any) -> str:
    """Return an array as compressed text."""
    content = np.ascontiguousarray(array, dtype=np.dtype(dtype).newbyteorder("<")).tobytes()
    return base64.b64encode(zlib.compress(content, 1)).decode("ascii")


def unpack_array(text: object, dtype: Any) -> np.ndarray:
    """Return an array from compressed text; ValueError where it holds none."""
    if not isinstance(text, str):
        raise ValueError("an array is a text")
    try:
        unpacking = zlib.decompressobj()
        content = unpacking.decompress(base64.b64decode(text, validate=True), LARGEST_ARRAY)
    except zlib.error as error:
        raise ValueError("an array cannot be decompressed") from error
    if not unpacking.eof:
        raise ValueError("an array is cut off or too large")
    return np.frombuffer(content, dtype=np.dtype(dtype).newbyteorder("<")).astype(dtype)
