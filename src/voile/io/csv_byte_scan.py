"""The line structure of a CSV, decided by its bytes alone (RFC 4180 with any separator of one byte).

A file passes only if every parser must see the same cells in it:

- every record has as many fields as the header, and ends with a line feed or with carriage return and line feed;
- a carriage return stands only before a line feed, inside quotes too;
- a quote opens a field at its first byte, is doubled within it, and closes it at its last byte;
- there are no zero bytes, no byte order mark after the first byte, and the text is UTF-8;
- blank lines lie between records of several fields, where they cannot be a record with an empty field.

The scan also counts the records, so that the number of rows that a parser returns can be compared, and finds the
columns that hold numbers with leading zeros, however deep in the file, and whether cells may have spaces around them.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

BLOCK = 1 << 16  # small enough to stay in the cache
HEAD = 1_001  # records that show what the others may be, the header among them
RANGE = 1 << 25  # bytes of records that are read at once where a file is read in ranges
MARK = codecs.BOM_UTF8
_LINE_FEED, _RETURN, _QUOTE, _SPACE, _PLUS, _MINUS, _ZERO, _TAB = b'\n\r" +-0\t'
_CONTEXT = 3  # bytes before a block that decide how it begins


@dataclass
class ByteScan:
    """What the bytes of a CSV show up to the first fault, which ends the scan."""

    width: int
    delimiter: int
    records: int = 0  # the header among them
    zero_columns: set[int] = field(default_factory=set)  # with some field that begins with 0 and another digit
    has_blank_lines: bool = False
    has_quotes: bool = False
    has_padding: bool = False  # spaces or tabs around some cells, perhaps
    is_faulty: bool = False
    head_stop: int = 0  # where some records end that are enough to suggest the types; 0 if there are not as many
    record_start: int = 0  # where the record begins that was not complete before the last block
    cuts: list[int] = field(default_factory=list)  # where ranges of records begin, the first one after the header
    in_quotes: bool = False  # at the end of the last block
    open_fields: int = 0  # separators of the unfinished record


def scan_bytes(source: Path | bytes, delimiter: str, width: int) -> ByteScan:
    """Walk over the bytes in blocks, up to the first block with a fault. O(n), about 0.3 s for 100 MB."""
    scan = ByteScan(width, ord(delimiter))
    decoder = codecs.getincrementaldecoder("utf-8")()
    context = np.full(_CONTEXT, _LINE_FEED, dtype=np.uint8)
    position = 0
    for block in _read_blocks(source):
        content = block.removeprefix(MARK) if position == 0 else block
        position += len(block) - len(content)
        data = np.concatenate([context, np.frombuffer(content, dtype=np.uint8)])
        if not _is_text(content, decoder) or _has_stray_marks(content, data):
            scan.is_faulty = True
            return scan
        _scan_block(scan, data, position)
        if scan.is_faulty:
            return scan
        position += len(content)
        context = data[-_CONTEXT:]
    if context[-1] not in (_LINE_FEED, _RETURN):
        _scan_block(scan, np.append(context, np.uint8(_LINE_FEED)), position)
    unfinished = scan.in_quotes or scan.open_fields > 0 or context[-1] == _RETURN
    scan.is_faulty = scan.is_faulty or unfinished or not _is_text(b"", decoder, final=True)
    return scan


def _read_blocks(source: Path | bytes) -> Iterator[bytes]:
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as handle:
        while block := handle.read(BLOCK):
            yield block


def _is_text(content: bytes, decoder: Any, final: bool = False) -> bool:
    """Whether a block continues the text before it as UTF-8, without zero bytes."""
    if content.isascii() and not decoder.getstate()[0]:
        return b"\0" not in content
    try:
        decoder.decode(content, final)
    except UnicodeDecodeError:
        return False
    return b"\0" not in content


def _has_stray_marks(content: bytes, data: np.ndarray) -> bool:
    """Whether there is a byte order mark, or a carriage return without a line feed after it. What the last byte of a
    block begins is seen with the next block."""
    if not content.isascii() and MARK in data.tobytes():
        return True
    if b"\r" not in content and data[_CONTEXT - 1] != _RETURN:
        return False
    return bool(((data[_CONTEXT - 1 : -1] == _RETURN) & (data[_CONTEXT:] != _LINE_FEED)).any())


def _scan_block(scan: ByteScan, data: np.ndarray, position: int) -> None:
    """Scan one block, which follows the last three bytes before it and lies at `position` of the file.

    Every record must have `width` fields: among the separators outside quotes, every width-th is a line end.
    """
    block = data[_CONTEXT:]
    separators = (block == _LINE_FEED) | (block == scan.delimiter)
    quotes = data == _QUOTE
    if scan.in_quotes or quotes[_CONTEXT - 1 :].any():
        scan.has_quotes = True
        if _has_stray_quotes(scan, data, quotes):
            scan.is_faulty = True
            return
        inside = (np.cumsum(quotes[_CONTEXT:], dtype=np.uint8) + np.uint8(scan.in_quotes)) & 1 == 1
        scan.in_quotes = bool(inside[-1]) if len(inside) else scan.in_quotes
        separators &= ~inside
    positions = np.flatnonzero(separators)
    is_end = block.take(positions) == _LINE_FEED
    blank = _find_blank_lines(data, positions[is_end])
    if len(blank):
        scan.has_blank_lines = True
        scan.is_faulty = scan.width == 1
        is_cell = ~np.isin(positions, blank)
        positions, is_end = positions[is_cell], is_end[is_cell]
    last_fields = positions[scan.width - 1 - scan.open_fields :: scan.width]
    is_last = is_end[scan.width - 1 - scan.open_fields :: scan.width]
    if not is_last.all() or np.count_nonzero(is_end) != len(last_fields):
        scan.is_faulty = True
    if scan.is_faulty:
        return
    scan.has_padding = scan.has_padding or _has_padding(data, scan.delimiter)
    zeros = _leading_zeros(data, scan.delimiter)
    if len(zeros):
        columns = (np.searchsorted(positions, zeros) + scan.open_fields) % scan.width
        scan.zero_columns.update(np.unique(columns).tolist())
    scan.open_fields = (scan.open_fields + len(positions)) % scan.width
    scan.records += len(last_fields)
    if len(last_fields):
        scan.record_start = position + int(last_fields[-1]) + 1
        if not scan.head_stop and scan.records >= HEAD:
            scan.head_stop = scan.record_start
        if not scan.cuts:
            scan.cuts.append(position + int(last_fields[0]) + 1)
        elif scan.record_start - scan.cuts[-1] >= RANGE:
            scan.cuts.append(scan.record_start)


def _has_stray_quotes(scan: ByteScan, data: np.ndarray, quotes: np.ndarray) -> bool:
    """Whether a quote opens a field in its middle, or text follows one that closes a field. The last byte before the
    block is looked at with it, the last byte of the block with the next one."""
    places = np.flatnonzero(quotes[_CONTEXT - 1 : -1]) + _CONTEXT - 1
    last_opens = bool(quotes[_CONTEXT - 1]) and scan.in_quotes
    first_is_opening = last_opens or not (bool(quotes[_CONTEXT - 1]) or scan.in_quotes)
    opening, closing = places[not first_is_opening :: 2], places[first_is_opening::2]
    before, after = data[opening - 1], data[closing + 1]
    starts = (before == scan.delimiter) | (before == _LINE_FEED) | (before == _QUOTE)
    stops = (after == scan.delimiter) | (after == _LINE_FEED) | (after == _RETURN) | (after == _QUOTE)
    return not (starts.all() and stops.all())


def _leading_zeros(data: np.ndarray, delimiter: int) -> np.ndarray:
    """Return where in the block a field begins with 0 and another digit, perhaps after a quote, a space or a sign; the
    last byte of a block is looked at with the next one."""
    zeros = np.flatnonzero(data[1:-1] == _ZERO) + 1
    zeros = zeros[data.take(zeros + 1) - _ZERO < 10]  # unsigned, so that characters below 0 become large
    before = data[zeros - 1]
    signed = (before == _PLUS) | (before == _MINUS)
    before = np.where(signed, data[np.maximum(zeros - 2, 0)], before)
    starts = (before == delimiter) | (before == _LINE_FEED) | (before == _QUOTE) | (before == _SPACE) | (before == _TAB)
    return np.asarray(zeros[starts] - _CONTEXT)


def _has_padding(data: np.ndarray, delimiter: int) -> bool:
    """Whether a space or a tab stands where a cell may begin or end; the last byte of a block is looked at with the
    next one."""
    blanks = np.flatnonzero((data[_CONTEXT - 1 : -1] == _SPACE) | (data[_CONTEXT - 1 : -1] == _TAB)) + _CONTEXT - 1
    is_edge = np.zeros(256, dtype=bool)
    is_edge[[delimiter, _LINE_FEED, _RETURN, _QUOTE]] = True
    return bool((is_edge[data[blanks - 1]] | is_edge[data[blanks + 1]]).any())


def _find_blank_lines(data: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return which of the line ends of a block end empty lines, `\\n\\n` or `\\n\\r\\n`. Three bytes come before the
    block."""
    last, prior = data[ends + _CONTEXT - 1], data[ends + _CONTEXT - 2]
    return np.asarray(ends[(last == _LINE_FEED) | ((last == _RETURN) & (prior == _LINE_FEED))])


def drop_blank_lines(source: Path | bytes) -> bytes:
    """Return the content without its blank lines, each of which polars would read as a row of missing cells."""
    content = source if isinstance(source, bytes) else source.read_bytes()
    block = np.frombuffer(content, dtype=np.uint8)
    outside = np.cumsum(block == _QUOTE, dtype=np.uint8) & 1 == 0
    context = np.full(_CONTEXT, _LINE_FEED, dtype=np.uint8)
    ends = _find_blank_lines(np.append(context, block), np.flatnonzero((block == _LINE_FEED) & outside))
    is_kept = np.ones(len(block), dtype=bool)
    is_kept[ends] = False
    is_kept[ends[ends > 0] - 1] &= block[ends[ends > 0] - 1] != _RETURN
    return bytes(block[is_kept])
