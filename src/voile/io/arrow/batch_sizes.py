"""The sizes that the batches of an Arrow file claim. A buffer that is compressed says at its beginning how long it will
be, so a file of a few kilobytes may claim gigabytes; nothing is decompressed here."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

from voile.io.arrow.flat_tables import FlatTable, read_number, read_root
from voile.io.size_limits import PieceSize

_FILE_MARK = b"ARROW1"
_CONTINUED = b"\xff\xff\xff\xff"
_DICTIONARY, _RECORDS = 2, 3  # kinds of messages
_FIXED_WIDTH = 16  # bytes per row of numbers, dates, references to texts, or the ends of texts, at most


def measure_batches(path: Path) -> list[PieceSize]:
    """Return the size of each batch of a file or stream, the values of dictionaries included.

    Raise ValueError if the file contradicts itself.
    """
    with path.open("rb") as file:  # the view is closed when nobody holds a piece of it any more
        content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    places = _list_blocks(content) if is_arrow_file(path) else _walk_stream(content)
    return [size for message, body in places for size in _measure_message(message, body)]


def is_arrow_file(path: Path) -> bool:
    """Whether a file has the format with a footer, not the one of streams."""
    with path.open("rb") as handle:
        return handle.read(len(_FILE_MARK)) == _FILE_MARK


def _list_blocks(content: memoryview) -> Iterator[tuple[FlatTable, memoryview]]:
    """Yield the messages that the footer lists, with their bodies."""
    end = len(content) - len(_FILE_MARK) - 4
    start = end - read_number(content, end, 4)
    if not len(_FILE_MARK) <= start < end or bytes(content[end + 4 :]) != _FILE_MARK:
        raise ValueError("it has no footer")
    footer = read_root(content[start:end])
    for field in (2, 3):  # dictionaries and batches
        for block in footer.read_structs(field, 24):
            place, length, body_length = (read_number(block, at, size) for at, size in ((0, 8), (8, 4), (16, 8)))
            message, body_start = _read_message(content, place)
            body = _take(content, body_start, message.read_number(3, 8))
            if body_start != place + length or len(body) != body_length:
                raise ValueError("its footer contradicts its batches")
            yield message, body


def _walk_stream(content: memoryview) -> Iterator[tuple[FlatTable, memoryview]]:
    """Yield the messages of a stream, one behind the other, with their bodies."""
    place = 0
    while place < len(content) and not _is_end(bytes(content[place : place + 8])):
        message, start = _read_message(content, place)
        body = _take(content, start, message.read_number(3, 8))
        yield message, body
        place = start + len(body)


def _is_end(mark: bytes) -> bool:
    """Whether a stream ends here: a length of 0, in the new or in the old way to write it."""
    return mark == _CONTINUED + bytes(4) or mark[:4] == bytes(4)


def _read_message(content: memoryview, place: int) -> tuple[FlatTable, int]:
    """Return what a message says, and where its body begins."""
    if bytes(_take(content, place, 4)) == _CONTINUED:
        place += 4
    start, length = place + 4, read_number(content, place, 4)
    return read_root(_take(content, start, length)), start + length


def _measure_message(message: FlatTable, body: memoryview) -> Iterator[PieceSize]:
    kind = message.read_number(1, 1)
    if kind not in (_DICTIONARY, _RECORDS):
        return
    header = message.read_table(2)
    batch = header.read_table(1) if header is not None and kind == _DICTIONARY else header
    if batch is None:
        raise ValueError("a batch has no description")
    is_compressed, rows = batch.read_table(3) is not None, batch.read_number(0, 8)
    if rows < 0:
        raise ValueError("a batch has no size")
    sizes = []
    for buffer in batch.read_structs(2, 16):
        stored = _take(body, read_number(buffer, 0, 8), read_number(buffer, 8, 8))
        sizes.append(_measure_compressed(stored) if is_compressed else len(stored))
    texts = sum(max(0, size - _FIXED_WIDTH * (rows + 1)) for size in sizes)
    yield PieceSize(rows if kind == _RECORDS else 0, sum(sizes), texts)


def _measure_compressed(buffer: memoryview) -> int:
    """Return how long a buffer says that it will be; -1 stands for one that is not compressed."""
    if not buffer:
        return 0
    length = read_number(buffer, 0, 8)
    if length < -1:
        raise ValueError("a buffer has no size")
    return length if length >= 0 else len(buffer) - 8


def _take(content: memoryview, start: int, length: int) -> memoryview:
    if not 0 <= start <= start + length <= len(content) or length < 0:
        raise ValueError("it ends in the middle of a batch")
    return content[start : start + length]
