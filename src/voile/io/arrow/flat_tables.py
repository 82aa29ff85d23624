"""Read the tables of FlatBuffers, in which Arrow describes its batches: fields by number, each at a place that the
table's own list of places tells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


def read_number(content: memoryview, place: int, size: int, signed: bool = True) -> int:
    """Return a number of so many bytes; raise ValueError if it does not lie inside the content."""
    if not 0 <= place <= len(content) - size:
        raise ValueError("it ends in the middle of a number")
    return int.from_bytes(content[place : place + size], "little", signed=signed)


@dataclass(frozen=True)
class FlatTable:
    """A table that begins at a place of a buffer."""

    content: memoryview
    place: int

    def read_number(self, field: int, size: int) -> int:
        """Return a number, which is 0 if it is not written."""
        place = self._find(field)
        return read_number(self.content, place, size) if place else 0

    def read_table(self, field: int) -> FlatTable | None:
        """Return the table that a field refers to; None if there is none."""
        place = self._find(field)
        return FlatTable(self.content, self._follow(place)) if place else None

    def read_structs(self, field: int, size: int) -> Iterator[memoryview]:
        """Yield the entries of a list, each of so many bytes."""
        place = self._find(field)
        if not place:
            return
        start = self._follow(place)
        count = read_number(self.content, start, 4, signed=False)
        if start + 4 + count * size > len(self.content):
            raise ValueError("a list is longer than its message")
        for entry in range(count):
            begin = start + 4 + entry * size
            yield self.content[begin : begin + size]

    def _find(self, field: int) -> int:
        """Return the place of a field; 0 if it is not written."""
        places = self.place - read_number(self.content, self.place, 4)
        at = 4 + 2 * field
        if at + 2 > read_number(self.content, places, 2, signed=False):
            return 0
        offset = read_number(self.content, places + at, 2, signed=False)
        return self.place + offset if offset else 0

    def _follow(self, place: int) -> int:
        return place + read_number(self.content, place, 4, signed=False)


def read_root(content: memoryview) -> FlatTable:
    """Return the table that a buffer begins with."""
    return FlatTable(content, read_number(content, 0, 4, signed=False))
