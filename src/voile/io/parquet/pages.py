"""The pages of a Parquet file: every byte belongs to a cell, to a stored value that a cell refers to, or to a header
that says no more than that."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np

from voile.io.parquet.footer import (
    BOOLEAN,
    DICTIONARY,
    DOUBLE,
    FLOAT,
    INT32,
    INT64,
    OLD_DICTIONARY,
    PLAIN,
    RLE,
    TEXT,
    ParquetColumn,
    ParquetFooter,
    first_page,
    read_footer,
)
from voile.io.parquet.thrift import Fields, ThriftReader
from voile.kernels import lazy_module

_KERNEL = lazy_module("voile.io.parquet.kernel")
_DATA_PAGE, _DICTIONARY_PAGE = 0, 2
_WIDTHS = {INT32: 4, INT64: 8, FLOAT: 4, DOUBLE: 8}
_LARGEST_PAGE = 1 << 30
_DATA_KEYS, _DICTIONARY_KEYS = ({"type", "uncompressed", "compressed", kind} for kind in ("data", "dictionary"))
_DATA: Fields = {
    1: ("values", "i32"),
    2: ("encoding", "i32"),
    3: ("definitions", "i32"),
    4: ("repetitions", "i32"),
    5: ("statistics", {}),  # without any
}
_HEADER: Fields = {
    1: ("type", "i32"),
    2: ("uncompressed", "i32"),
    3: ("compressed", "i32"),
    5: ("data", _DATA),
    7: ("dictionary", {1: ("values", "i32"), 2: ("encoding", "i32"), 3: ("sorted", "bool")}),
}


def check_bytes(content: bytes | memoryview) -> ParquetFooter:
    """Read a whole file, and return its footer; raise ValueError if one of its bytes tells more than its cells."""
    footer = read_footer(content)
    place = 4
    for group in footer.row_groups:
        for column, entry in zip(footer.columns, group["columns"], strict=True):
            chunk = entry["chunk"]
            begin = first_page(chunk) if chunk["compressed"] else place  # an empty column may have no page
            if begin != place or chunk["compressed"] < 0:
                raise ValueError("bytes between its columns belong to none")
            end = place + chunk["compressed"]
            if end > footer.start or entry["offset"] not in (0, place, end):
                raise ValueError("a column is not where its footer says")
            _ColumnPages(content[place:end], column, chunk, place).check()
            place = end
    if place != footer.start:
        raise ValueError("bytes before its footer belong to no column")
    return footer


class _ColumnPages:
    """The pages of one column in one row group, walked from the first byte to the last."""

    def __init__(self, content: bytes | memoryview, column: ParquetColumn, chunk: dict[str, Any], offset: int) -> None:
        self.content, self.column, self.chunk, self.offset = content, column, chunk, offset
        self.pages: Counter[tuple[int, int]] = Counter()  # by type and encoding
        self.lengths: np.ndarray | None = None  # of the texts that the dictionary stores
        self.uses = np.zeros(0, dtype=np.int64)  # of each stored value
        self.missing = self.text_bytes = 0

    def check(self) -> None:
        place = values = uncompressed = 0
        while place < len(self.content):
            reader = ThriftReader(self.content, place)
            header = reader.read_struct(_HEADER)
            start, size = reader.position, header["uncompressed"]
            uncompressed += start - place + size
            is_first_data = not values and "data" in header
            if is_first_data and self.offset + place != self.chunk["data_offset"]:
                raise ValueError("a column is not where its footer says")
            place = start + header["compressed"]
            if not (0 <= size <= _LARGEST_PAGE and start <= place <= len(self.content)):
                raise ValueError("a page does not lie in its column")
            page = decompress(self.content[start:place], size)
            if header.keys() == _DATA_KEYS and header["type"] == _DATA_PAGE:
                values += self._check_data(page, header["data"])
            elif header.keys() == _DICTIONARY_KEYS and header["type"] == _DICTIONARY_PAGE and not self.pages:
                self._check_dictionary(page, header["dictionary"])
            else:
                raise ValueError("it has pages of a kind that is not known")
        if values != self.chunk["values"] or uncompressed != self.chunk["uncompressed"]:
            raise ValueError("a column has another size than its footer says")
        if not self.uses.all():
            raise ValueError("it stores values that no row has")
        self._check_description(values)

    def _check_dictionary(self, page: np.ndarray, details: dict[str, Any]) -> None:
        many, is_known = details["values"], details["encoding"] in (PLAIN, OLD_DICTIONARY)
        _require(is_known and not details.get("sorted", False) and 0 <= many <= len(page))
        _require("dictionary_offset" in self.chunk)
        self.pages[_DICTIONARY_PAGE, details["encoding"]] += 1
        self.lengths, self.uses = self._check_plain(page, many), np.zeros(many, dtype=np.int64)
        if self._count_distinct(page, many) < many:
            raise ValueError("it stores a value twice")  # which of the two a cell refers to, nobody would see

    def _count_distinct(self, page: np.ndarray, many: int) -> int:
        if self.lengths is None:
            return many if self.column.physical == BOOLEAN else len(np.unique(self._view_numbers(page)))
        content, ends = page.tobytes(), np.cumsum(self.lengths + 4).tolist()
        return len({content[begin:end] for begin, end in pairwise([0, *ends])})

    def _check_data(self, page: np.ndarray, details: dict[str, Any]) -> int:
        """Check that a page holds its cells and nothing else; return how many."""
        many, encoding = details["values"], details["encoding"]
        _require((details["definitions"], details["repetitions"]) == (RLE, RLE) and many >= 0)
        self.pages[_DATA_PAGE, encoding] += 1
        present = many
        if self.column.optional:
            page, counts = self._check_runs(page, many)
            present = int(counts[1])
        self.missing += many - present
        if encoding == PLAIN:
            lengths = self._check_plain(page, present)
            self.text_bytes += int(lengths.sum()) if lengths is not None else 0
        elif encoding == RLE and self.column.physical == BOOLEAN:
            page, _ = self._check_runs(page, present)
            _require(len(page) == 0)
        elif encoding in (DICTIONARY, OLD_DICTIONARY):
            _require(len(page) > 0 and page[0] <= 32)
            _require(_KERNEL.count_runs(page, 1, len(page), int(page[0]), present, self.uses) == 0)
        else:
            raise ValueError("its values are encoded in an unusual way")
        return int(many)

    def _check_runs(self, page: np.ndarray, many: int) -> tuple[np.ndarray, np.ndarray]:
        """Check single bits that follow their length in bytes; return what follows them, and how many are 0 and 1."""
        _require(len(page) >= 4)
        end, counts = 4 + int.from_bytes(page[:4].tobytes(), "little"), np.zeros(2, dtype=np.int64)
        _require(end <= len(page) and _KERNEL.count_runs(page, 4, end, 1, many, counts) == 0)
        return page[end:], counts

    def _check_plain(self, page: np.ndarray, many: int) -> np.ndarray | None:
        """Check that a page holds so many values one behind the other; return the lengths of texts."""
        if self.column.physical == TEXT:
            _require(4 * many <= len(page))
            lengths = np.zeros(many, dtype=np.int64)
            _require(_KERNEL.measure_texts(page, lengths) == 0)
            return lengths
        if self.column.physical == BOOLEAN:
            _require(len(page) == (many + 7) // 8 and not (many % 8 and page[-1] >> (many % 8)))
        else:
            _require(len(page) == many * _WIDTHS[self.column.physical])
            if self.column.ends is not None and many:
                numbers, (least, greatest) = self._view_numbers(page), self.column.ends
                _require(least <= int(numbers.min()) and int(numbers.max()) <= greatest)
        return None

    def _view_numbers(self, page: np.ndarray) -> np.ndarray:
        """Return numbers as they are stored; of real ones, their bits."""
        return page.view(f"<i{_WIDTHS[self.column.physical]}")

    def _check_description(self, values: int) -> None:
        """Check that what the footer says of the column follows from its pages."""
        chunk = self.chunk
        stated = {(count["page"], count["encoding"]): count["count"] for count in chunk.get("page_counts", ())}
        encodings = {encoding for _, encoding in self.pages} | {PLAIN, RLE}
        text_bytes = self.text_bytes + (int((self.lengths * self.uses).sum()) if self.lengths is not None else 0)
        definitions = [self.missing, values - self.missing] if self.column.optional else []
        sizes = {"bytes": text_bytes} if self.column.physical == TEXT else {}
        expected = [{}, {**sizes, "repetitions": [], "definitions": definitions}]
        if (
            ("page_counts" in chunk and (stated != self.pages or len(stated) != len(chunk["page_counts"])))
            or not set(chunk["encodings"]) <= encodings
            or len(set(chunk["encodings"])) != len(chunk["encodings"])
            or chunk.get("sizes", {}) not in expected
            or (not values and chunk["data_offset"] not in (0, self.offset))
            or ("dictionary_offset" in chunk) != any(kind == _DICTIONARY_PAGE for kind, _ in self.pages)
        ):
            raise ValueError("its footer does not describe its pages")


def _require(is_so: bool) -> None:
    if not is_so:
        raise ValueError("a page holds something else than its cells")


def decompress(content: bytes | memoryview, size: int) -> np.ndarray:
    """Decompress a page: one frame of Zstandard that fills it, without blocks that hold nothing."""
    import pyarrow as pa

    if not _is_one_frame(content):
        raise ValueError("a page is not compressed in the usual way")
    try:
        page = pa.decompress(content, decompressed_size=size, codec="zstd")
    except (pa.ArrowException, OSError):
        raise ValueError("a page cannot be decompressed") from None
    if len(page) != size:
        raise ValueError("a page has another size than its header says")
    return np.frombuffer(page, dtype=np.uint8)


def _is_one_frame(content: bytes | memoryview) -> bool:
    """Whether a frame of Zstandard with its blocks fills these bytes; libraries pass over frames that hold notes."""
    if len(content) < 6 or bytes(content[:4]) != b"\x28\xb5\x2f\xfd":
        return False
    flags = content[4]
    single, has_checksum, size_flag = flags >> 5 & 1, flags >> 2 & 1, flags >> 6
    if flags & 0b11011:  # reserved bits and dictionaries
        return False
    place = 5 + (0 if single else 1) + ((1 if single else 0) if size_flag == 0 else 1 << size_flag)
    blocks, is_last, is_empty = 0, False, False
    while not is_last and place + 3 <= len(content):
        header = int.from_bytes(content[place : place + 3], "little")
        is_last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
        if kind == 2 and _holds_nothing(content[place + 3 : place + 3 + min(size, 6)]):
            return False
        is_empty |= size == 0
        place += 3 + (1 if kind == 1 else size)
        blocks += 1
    return is_last and place + 4 * has_checksum == len(content) and not (is_empty and blocks > 1)


def _holds_nothing(block: bytes | memoryview) -> bool:
    """Whether a compressed block, of which these are the first bytes, has a literal that it repeats zero times, codes
    for no literals, or neither literals nor sequences (RFC 8878, 3.1.1.3)."""
    header = int.from_bytes(block[:5], "little")
    kind, form = header & 3, header >> 2 & 3
    if kind < 2:  # literals as they are, or one that is repeated
        length = (1, 2, 1, 3)[form]
        many = (header & (1 << 8 * length) - 1) >> (3 if length == 1 else 4)
        return not many and (kind == 1 or len(block) <= length or block[length] == 0)
    return not header >> 4 & (1 << (10, 10, 14, 18)[form]) - 1
