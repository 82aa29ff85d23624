"""The footer of a Parquet file, as voile's writer writes it: the columns, where their pages lie, and nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from voile.io.parquet.thrift import Fields, ThriftReader
from voile.io.size_limits import find_size_fault

MAGIC = b"PAR1"
ZSTD = 6
PLAIN, RLE, OLD_DICTIONARY, DICTIONARY = 0, 3, 2, 8  # encodings
BOOLEAN, INT32, INT64, FLOAT, DOUBLE, TEXT = 0, 1, 2, 4, 5, 6  # physical types
_REQUIRED, _OPTIONAL = 0, 1
_WRITER = re.compile(rb"parquet-cpp-arrow version [0-9]{1,4}(\.[0-9]{1,4}){1,3}(-SNAPSHOT)?")

_EMPTY: Fields = {}
_UNIT: Fields = {1: ("ms", _EMPTY), 2: ("us", _EMPTY), 3: ("ns", _EMPTY)}
_MOMENT: Fields = {1: ("utc", "bool"), 2: ("unit", _UNIT)}
_LOGICAL: Fields = {
    1: ("text", _EMPTY),
    6: ("date", _EMPTY),
    7: ("time", _MOMENT),
    8: ("moment", _MOMENT),
    10: ("integer", {1: ("bits", "byte"), 2: ("signed", "bool")}),
}
_ELEMENT: Fields = {
    1: ("type", "i32"),
    3: ("repetition", "i32"),
    4: ("name", "binary"),
    5: ("children", "i32"),
    6: ("converted", "i32"),
    10: ("logical", _LOGICAL),
}
_PAGE_COUNT: Fields = {1: ("page", "i32"), 2: ("encoding", "i32"), 3: ("count", "i32")}
_SIZES: Fields = {1: ("bytes", "i64"), 2: ("repetitions", ["i64"]), 3: ("definitions", ["i64"])}
_CHUNK: Fields = {
    1: ("type", "i32"),
    2: ("encodings", ["i32"]),
    3: ("path", ["binary"]),
    4: ("codec", "i32"),
    5: ("values", "i64"),
    6: ("uncompressed", "i64"),
    7: ("compressed", "i64"),
    9: ("data_offset", "i64"),
    11: ("dictionary_offset", "i64"),
    13: ("page_counts", [_PAGE_COUNT]),
    16: ("sizes", _SIZES),
}
_COLUMN: Fields = {2: ("offset", "i64"), 3: ("chunk", _CHUNK)}
_ROW_GROUP: Fields = {
    1: ("columns", [_COLUMN]),
    2: ("bytes", "i64"),
    3: ("rows", "i64"),
    5: ("offset", "i64"),
    6: ("compressed", "i64"),
    7: ("ordinal", "i16"),
}
_FOOTER: Fields = {
    1: ("version", "i32"),
    2: ("schema", [_ELEMENT]),
    3: ("rows", "i64"),
    4: ("row_groups", [_ROW_GROUP]),
    6: ("writer", "binary"),
    7: ("orders", [{1: ("usual", _EMPTY)}]),
}

# Of each column type: the physical type, the note of old readers and the one of new readers
_INTEGERS = {
    (bits, signed): (INT32 if bits < 64 else INT64, (15 if signed else 11) + place)
    for signed in (True, False)
    for place, bits in enumerate((8, 16, 32, 64))
}
_OLD_MOMENTS = {"ms": 9, "us": 10}
_PER_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}


@dataclass(frozen=True)
class ParquetColumn:
    """A column of a file: its name, how its values are stored, whether cells may be missing, and the least and the
    greatest value if what is stored has room for others, which libraries cut off."""

    name: str
    physical: int
    optional: bool
    ends: tuple[int, int] | None = None


@dataclass(frozen=True)
class ParquetFooter:
    """The columns of a file, and its row groups, each with the places of its columns."""

    columns: tuple[ParquetColumn, ...]
    row_groups: tuple[dict[str, Any], ...]
    start: int  # where the footer begins


def read_footer(content: bytes | memoryview) -> ParquetFooter:
    """Read the footer of a file; raise ValueError if it says anything that voile's writer does not write."""
    if len(content) < 12 or bytes(content[:4]) != MAGIC or bytes(content[-4:]) != MAGIC:
        raise ValueError("it is no Parquet file")
    length = int.from_bytes(content[-8:-4], "little")
    start = len(content) - 8 - length
    if start < 4:
        raise ValueError("its footer is longer than the file")
    reader = ThriftReader(content[start : start + length])
    footer = reader.read_struct(_FOOTER)
    if reader.position != length:
        raise ValueError("bytes follow its footer")
    if not _WRITER.fullmatch(footer.get("writer", b"")) or footer.get("version") not in (1, 2):
        raise ValueError("another program wrote it")
    columns = _read_columns(footer["schema"])
    if any(order != {"usual": {}} for order in footer.get("orders", ())) or (
        "orders" in footer and len(footer["orders"]) != len(columns)
    ):
        raise ValueError("its values have an unusual order")
    for ordinal, group in enumerate(footer["row_groups"]):
        _check_row_group(group, ordinal, columns)
    sizes = [group["rows"] for group in footer["row_groups"]]
    if footer["rows"] != sum(sizes):
        raise ValueError("it has another number of rows than it says")
    fault = find_size_fault(footer["rows"], len(content)) if min(sizes, default=0) >= 0 else "a row group has no size"
    if fault:
        raise ValueError(fault)
    return ParquetFooter(columns, tuple(footer["row_groups"]), start)


def _read_columns(schema: list[dict[str, Any]]) -> tuple[ParquetColumn, ...]:
    """Return the columns of a flat table; the first element stands for the table."""
    root, elements = schema[0], schema[1:]
    if root != {"repetition": _REQUIRED, "name": b"schema", "children": len(elements)}:
        raise ValueError("it does not hold one flat table")
    columns = []
    for element in elements:
        if "children" in element or element["repetition"] not in (_REQUIRED, _OPTIONAL) or not _is_known(element):
            raise ValueError("a column has a type that is not known")
        optional, ends = element["repetition"] == _OPTIONAL, _find_ends(element.get("logical", {}))
        columns.append(ParquetColumn(element["name"].decode(), element["type"], optional, ends))
    return tuple(columns)


def _find_ends(logical: dict[str, Any]) -> tuple[int, int] | None:
    """Return the ends of short whole numbers and of the times of a day."""
    if "time" in logical:
        return 0, 86_400 * _PER_SECOND[next(iter(logical["time"]["unit"]))] - 1
    if "integer" in logical and logical["integer"]["bits"] < 32:
        bits, signed = logical["integer"]["bits"], logical["integer"]["signed"]
        return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return None


def _is_known(element: dict[str, Any]) -> bool:
    """Whether old and new readers take the values of a column for the same."""
    physical, converted, logical = element["type"], element.get("converted"), element.get("logical")
    if logical is None:
        return converted is None and physical in (BOOLEAN, INT32, INT64, FLOAT, DOUBLE)
    if len(logical) != 1:
        return False
    (kind, details), *_ = logical.items()
    if kind in ("time", "moment"):
        (unit, _), *others = details["unit"].items()
        usual = physical == (INT32 if kind == "time" and unit == "ms" else INT64) and not others
        return usual and converted in (None, _OLD_MOMENTS.get(unit) if kind == "moment" else None)
    if kind == "integer":
        expected = _INTEGERS.get((details["bits"], details["signed"]))
        return expected is not None and physical == expected[0] and converted in (None, expected[1])
    return (physical, converted) in (((TEXT, 0), (TEXT, None)) if kind == "text" else ((INT32, 6), (INT32, None)))


def _check_row_group(group: dict[str, Any], ordinal: int, columns: tuple[ParquetColumn, ...]) -> None:
    """Raise ValueError unless a row group holds each column once, and all its numbers follow from one another."""
    chunks = [column["chunk"] for column in group["columns"]]
    stated = [(chunk["path"], chunk["type"]) for chunk in chunks]
    if stated != [([column.name.encode()], column.physical) for column in columns]:
        raise ValueError("a row group does not hold every column once")
    if any(chunk["values"] != group["rows"] or chunk["codec"] != ZSTD for chunk in chunks):
        raise ValueError("a row group holds columns of several lengths, or in an unusual compression")
    compressed = sum(chunk["compressed"] for chunk in chunks)
    begins = (0, *(first_page(chunk) for chunk in chunks[:1]))
    if (
        group["bytes"] != sum(chunk["uncompressed"] for chunk in chunks)
        or group.get("compressed", compressed) != compressed
        or group.get("offset", 0) not in begins
        or group.get("ordinal", ordinal) != ordinal
    ):
        raise ValueError("the sizes of a row group are not those of its columns")


def first_page(chunk: dict[str, Any]) -> int:
    """Return where the pages of a column begin in the file."""
    return int(chunk.get("dictionary_offset", chunk["data_offset"]))
