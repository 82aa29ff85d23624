"""The line structure of a CSV, decided by its bytes alone (RFC 4180 with any separator of one byte).

A file passes only if every parser must see the same cells in it:

- every record has as many fields as the header, and ends with a line feed or with carriage return and line feed;
- a carriage return stands only before a line feed, inside quotes too;
- a quote opens a field at its first byte, is doubled within it, and closes it at its last byte;
- there are no zero bytes, no byte order mark after the first byte, and the text is UTF-8;
- blank lines lie between records of several fields, where they cannot be a record with an empty field.

The scan also counts the records, so that the number of rows that a parser returns can be compared, and finds the
columns that hold numbers with leading zeros or telephone numbers, however deep in the file, and whether cells may have
spaces around them.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

BLOCK = 1 << 16  # small enough to stay in the cache
HEAD = 1_001  # records that show what the others may be, the header among them
RANGE = 1 << 25  # bytes of records that are read at once where a file is read in ranges
MARK = codecs.BOM_UTF8
PHONE_DIGITS = 10  # digits from which a number with a plus is one of a telephone
_LINE_FEED, _RETURN, _QUOTE, _SPACE, _PLUS, _MINUS, _ZERO, _TAB, _E = b'\n\r" +-0\te'


@dataclass
class ByteScan:
    """What the bytes of a CSV show up to the first fault, which ends the scan."""

    width: int
    delimiter: int
    records: int = 0  # the header among them
    # with some field that begins with 0 and another digit, or with + and as many digits as a telephone number has
    code_columns: set[int] = field(default_factory=set)
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
    """Walk over the lines in blocks, up to the first block with a fault. O(n), about 0.2 s per 100 MB."""
    scan = ByteScan(width, ord(delimiter))
    position = 0
    for content in _read_blocks(source):
        lines = content
        if position == 0 and content.startswith(MARK):
            lines, position = content[len(MARK) :], len(MARK)
        if not _is_clean(lines):
            scan.is_faulty = True
            return scan
        if lines:
            _scan_lines(scan, lines if lines.endswith(b"\n") else lines + b"\n", position)
        if scan.is_faulty:
            return scan
        position += len(lines)
    scan.is_faulty = scan.in_quotes or scan.open_fields > 0
    return scan


def _read_blocks(source: Path | bytes) -> Iterator[bytes]:
    """Read blocks that end with a line feed, but perhaps for the last one."""
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as handle:
        while block := handle.read(BLOCK):
            yield block + handle.readline()


def _is_clean(lines: bytes) -> bool:
    """Whether lines are UTF-8 without zero bytes, byte order marks, and carriage returns that no line feed follows."""
    if not lines.isascii():
        if MARK in lines:
            return False
        try:
            lines.decode()
        except UnicodeDecodeError:
            return False
    if b"\r" in lines and lines.count(b"\r") > lines.count(b"\r\n"):
        return False
    return b"\0" not in lines


def _scan_lines(scan: ByteScan, lines: bytes, position: int) -> None:
    """Scan whole lines, which lie at `position` of the file. Quotes may be open before them.

    Every record must have `width` fields: among the separators outside quotes, every width-th is a line end.
    """
    data = np.frombuffer(b"\n\n" + lines, dtype=np.uint8)  # as if a line and a blank one came before
    separators = (data == _LINE_FEED) | (data == scan.delimiter)
    has_quotes = scan.in_quotes or b'"' in lines
    if has_quotes:
        scan.has_quotes = True
        quotes = data == _QUOTE
        if _has_stray_quotes(scan, data, quotes):
            scan.is_faulty = True
            return
        inside = (np.cumsum(quotes, dtype=np.uint8) + np.uint8(scan.in_quotes)) & 1 == 1
        scan.in_quotes = bool(inside[-1])
        separators &= ~inside
    separators[:2] = False, True
    edges = np.flatnonzero(separators)
    starts, stops = edges[:-1], edges[1:]  # each field follows the byte at its start, and ends before that at its stop
    ends_record = data.take(stops) == _LINE_FEED
    blank = _find_blank_lines(data, stops[ends_record])
    if len(blank):
        scan.has_blank_lines = True
        scan.is_faulty = scan.width == 1
        ends_field = ~np.isin(stops, blank)
        starts, stops, ends_record = starts[ends_field], stops[ends_field], ends_record[ends_field]
    last_fields = slice(scan.width - 1 - scan.open_fields, None, scan.width)
    record_stops = stops[last_fields]
    if not ends_record[last_fields].all() or np.count_nonzero(ends_record) != len(record_stops):
        scan.is_faulty = True
    if scan.is_faulty:
        return
    if not scan.has_padding and (b" " in lines or b"\t" in lines):
        scan.has_padding = _has_blank_beside_edge(scan, data) if has_quotes else _has_padded_field(data, starts, stops)
    codes = _find_codes(data, starts)
    if len(codes):
        scan.code_columns.update(np.unique((codes + scan.open_fields) % scan.width).tolist())
    scan.open_fields = (scan.open_fields + len(stops)) % scan.width
    scan.records += len(record_stops)
    if len(record_stops):
        scan.record_start = position + int(record_stops[-1]) - 1
        if not scan.head_stop and scan.records >= HEAD:
            scan.head_stop = scan.record_start
        if not scan.cuts:
            scan.cuts.append(position + int(record_stops[0]) - 1)
        elif scan.record_start - scan.cuts[-1] >= RANGE:
            scan.cuts.append(scan.record_start)


def _has_stray_quotes(scan: ByteScan, data: np.ndarray, quotes: np.ndarray) -> bool:
    """Whether a quote opens a field in its middle, or text follows one that closes a field."""
    places = np.flatnonzero(quotes)
    opening, closing = places[scan.in_quotes :: 2], places[not scan.in_quotes :: 2]
    before, after = data[opening - 1], data[closing + 1]
    starts = (before == scan.delimiter) | (before == _LINE_FEED) | (before == _QUOTE)
    stops = (after == scan.delimiter) | (after == _LINE_FEED) | (after == _RETURN) | (after == _QUOTE)
    return not (starts.all() and stops.all())


def _is_blank(data: np.ndarray) -> np.ndarray:
    return np.asarray((data == _SPACE) | (data == _TAB))


def _has_padded_field(data: np.ndarray, starts: np.ndarray, stops: np.ndarray) -> bool:
    """Whether a field without quotes begins or ends with a space or a tab."""
    first, last = data[1:].take(starts), data.take(stops - 1)
    if (last == _RETURN).any():
        last = np.where(last == _RETURN, data.take(stops - 2), last)
    return bool(_is_blank(first).any() or _is_blank(last).any())


def _has_blank_beside_edge(scan: ByteScan, data: np.ndarray) -> bool:
    """Whether a space or a tab stands where a cell may begin or end, within quotes or without."""
    blanks = np.flatnonzero(_is_blank(data))
    is_edge = np.zeros(256, dtype=bool)
    is_edge[[scan.delimiter, _LINE_FEED, _RETURN, _QUOTE]] = True
    return bool((is_edge[data[blanks - 1]] | is_edge[data[blanks + 1]]).any())


def _find_codes(data: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return which fields begin with 0 and another digit, perhaps after a quote, spaces and a sign, or with + and as
    many digits as a telephone number has."""
    first = data[1:].take(starts)
    may_lead = (first == _ZERO) | (first == _PLUS) | (first == _MINUS) | (first == _QUOTE) | _is_blank(first)
    fields = np.flatnonzero(may_lead)
    places = starts[fields] + 1
    places += data[places] == _QUOTE
    if _is_blank(data[places]).any():
        others = np.flatnonzero(~_is_blank(data))
        places = others[np.searchsorted(others, places)]
    has_plus = data[places] == _PLUS
    places += has_plus | (data[places] == _MINUS)
    last = len(data) - 1  # a line feed
    is_code = (data[places] == _ZERO) & _is_digit(data[np.minimum(places + 1, last)])
    if has_plus.any():
        numbers = places[has_plus][:, None] + np.arange(PHONE_DIGITS)
        is_code[has_plus] |= _is_digit(data[np.minimum(numbers, last)]).all(axis=1)
    return np.asarray(fields[is_code])


def _is_digit(data: np.ndarray) -> np.ndarray:
    return np.asarray(data - _ZERO < 10)  # unsigned, so that characters below 0 become large


def has_exponent_codes(source: Path | bytes, delimiter: str) -> bool:
    """Whether some cell is digits, an E and digits: a code such as 4E3, which parsers take for a number. O(n)."""
    is_edge = np.zeros(256, dtype=bool)
    is_edge[[ord(delimiter), _LINE_FEED, _RETURN, _QUOTE, _SPACE, _TAB]] = True
    for lines in _read_blocks(source):
        data = np.frombuffer(b"\n" + lines + b"\n", dtype=np.uint8)
        places = np.flatnonzero((data | 0x20) == _E)
        places = places[_is_digit(data[places - 1]) & _is_digit(data[places + 1])]
        for step in (-1, 1):
            ends = places + step
            while (inner := _is_digit(data[ends])).any():
                ends += step * inner
            places = places[is_edge[data[ends]]]
        if len(places):
            return True
    return False


def _find_blank_lines(data: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return which line ends are those of empty lines, `\\n\\n` or `\\n\\r\\n`. Two bytes come before the lines."""
    last, prior = data[ends - 1], data[ends - 2]
    return np.asarray(ends[(last == _LINE_FEED) | ((last == _RETURN) & (prior == _LINE_FEED))])


def drop_blank_lines(source: Path | bytes) -> bytes:
    """Return the content without its blank lines, each of which polars would read as a row of missing cells."""
    content = source if isinstance(source, bytes) else source.read_bytes()
    data = np.frombuffer(b"\n\n" + content, dtype=np.uint8)
    outside = np.cumsum(data == _QUOTE, dtype=np.uint8) & 1 == 0
    ends = np.flatnonzero((data == _LINE_FEED) & outside)
    blank = _find_blank_lines(data, ends[2:])
    is_kept = np.ones(len(data), dtype=bool)
    is_kept[:2] = is_kept[blank] = False
    is_kept[blank - 1] &= data[blank - 1] != _RETURN
    return bytes(data[is_kept])
