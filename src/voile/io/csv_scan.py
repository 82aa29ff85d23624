"""A first look at the bytes of a CSV, for what a parser hides: lines with too few fields, blank lines, and numbers with
leading zeros, however deep in the file."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

BLOCK = 1 << 16  # small enough to stay in the cache
_LINE, _RETURN, _QUOTE = 10, 13, 34


@dataclass
class Scan:
    """What the bytes of a CSV show. `ragged` may cry wolf where quotes are used oddly; who reads on looks closer."""

    width: int
    zeros: set[int]  # columns in which some field begins with 0 and another digit
    ragged: bool = False
    blanks: bool = False
    inside: bool = False  # within quotes at the end of the last block
    open: int = 0  # separators of the unfinished line


def scan(source: Path | bytes, sign: str, width: int) -> Scan:
    """Walk over the bytes in blocks: O(n), about 0.3 s for 100 MB."""
    seen = Scan(width, set())
    before = np.full(3, _LINE, dtype=np.uint8)
    for block in _blocks(source):
        data = np.concatenate([before, block])
        _walk(seen, data, ord(sign))
        before = data[-3:]
    if before[-1] != _LINE:
        _walk(seen, np.append(before, np.uint8(_LINE)), ord(sign))
    seen.ragged = seen.ragged or seen.inside or seen.open > 0
    if seen.ragged:
        seen.zeros = set(range(width))
    return seen


def _blocks(source: Path | bytes) -> Iterator[np.ndarray]:
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as handle:
        while block := handle.read(BLOCK):
            yield np.frombuffer(block, dtype=np.uint8)


def _walk(seen: Scan, data: np.ndarray, sign: int) -> None:
    """One block, behind the last three bytes before it.

    Every line must have `width` fields: among the separators outside quotes, each width-th is a line end.
    """
    block = data[3:]
    ends = block == _LINE
    parts = ends | (block == sign) if seen.width > 1 else ends
    quotes = block == _QUOTE
    if seen.inside or quotes.any():
        inside = (np.cumsum(quotes, dtype=np.uint8) + np.uint8(seen.inside)) & 1 == 1
        seen.inside = bool(inside[-1])
        parts, ends = parts & ~inside, ends & ~inside
    blank = _blank(data, ends)
    if blank.any() and seen.width > 1:
        seen.blanks = True
        parts, ends = parts & ~blank, ends & ~blank
    where = np.flatnonzero(parts)
    last = where[seen.width - 1 - seen.open :: seen.width]
    if not ends[last].all() or np.count_nonzero(ends) != len(last):
        seen.ragged = True
    zeros = np.flatnonzero(_zeros(data, sign)) - 2
    if len(zeros):
        seen.zeros.update(np.unique((np.searchsorted(where, zeros) + seen.open) % seen.width).tolist())
    seen.open = (seen.open + len(where)) % seen.width


def _zeros(data: np.ndarray, sign: int) -> np.ndarray:
    """Where a field begins with 0 and another digit; the last byte of a block is looked at with the next one."""
    starts = (data == sign) | (data == _LINE) | (data == _QUOTE) | (data == 32)
    starts[1:] |= starts[:-1] & ((data[1:] == 43) | (data[1:] == 45))
    digit = data - 48 < 10  # unsigned, so that signs below 0 are large
    return np.asarray(starts[:-2] & (data[1:-1] == 48) & digit[2:])


def _blank(data: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Line ends of lines without a sign: `\\n\\n` or `\\n\\r\\n`. Three bytes come before the first line end."""
    last, prior = data[2:-1], data[1:-2]
    return np.asarray(ends & ((last == _LINE) | ((last == _RETURN) & (prior == _LINE))))


def content_of(source: Path | bytes) -> bytes:
    return source if isinstance(source, bytes) else source.read_bytes()


def without_blank_lines(content: bytes) -> bytes:
    """A blank line says nothing about anybody; polars would make it a row of missing cells."""
    block = np.frombuffer(content, dtype=np.uint8)
    outside = np.cumsum(block == _QUOTE, dtype=np.uint8) & 1 == 0
    blank = _blank(np.append(np.full(3, _LINE, dtype=np.uint8), block), (block == _LINE) & outside)
    blank[:-1] |= blank[1:] & (block[:-1] == _RETURN)
    return bytes(block[~blank])
