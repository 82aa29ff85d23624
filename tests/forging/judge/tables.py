"""Tables as a careful reader sees them: every cell as text, read by its column's entry in the dictionary."""

from __future__ import annotations

import csv
import datetime
import io
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import polars as pl
import pyarrow.parquet as pq

from forging.parquet_bytes import from_bytes

Rows = dict[str, list[Any]]  # the cells of each column; None where a cell is missing
WHOLE = re.compile(r"-?(0|[1-9]\d*)", re.ASCII)
COUNT = re.compile(r"0|[1-9]\d{0,18}", re.ASCII)
MISSING = "(missing)"


class TableError(Exception):
    """A table that cannot be read in one way only."""


def read_csv(content: bytes) -> Rows:
    """Read a CSV; every line must have the cells that the header names."""
    try:
        text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError:
        raise TableError("is not UTF-8") from None
    text = text.replace("\r\n", "\n")
    if "\r" in text or "\x00" in text:
        raise TableError("has control characters")
    try:
        lines = [line for line in csv.reader(io.StringIO(text, newline=""), strict=True) if line]
    except csv.Error:
        raise TableError("has unbalanced quotes") from None
    if not lines or len(set(lines[0])) < len(lines[0]) or any(len(line) != len(lines[0]) for line in lines):
        raise TableError("has lines of different lengths")
    return {name: [line[place] or None for line in lines[1:]] for place, name in enumerate(lines[0])}


def read_parquet(content: bytes, entries: dict[str, Any], own_types: dict[str, set[str]]) -> Rows:
    """Read a Parquet file whose columns have the types that the dictionary states."""
    try:
        metadata = pq.ParquetFile(io.BytesIO(content))
        table = from_bytes(content)
    except BaseException as error:  # a panic of a library is not an Exception
        raise TableError(f"cannot be read ({type(error).__name__})") from None
    if metadata.metadata.metadata or metadata.schema_arrow.metadata:
        raise TableError("carries metadata")
    if not _WRITERS.fullmatch(str(metadata.metadata.created_by)):
        raise TableError("names no writer")
    if any(_lies(metadata, group) for group in range(metadata.num_row_groups)):
        raise TableError("has statistics that lie")
    if _covered_bytes(metadata.metadata) != len(content):
        raise TableError("has bytes that belong to no column")
    found: Rows = {}
    for name in table.columns:
        column, entry = table[name], entries.get(name)
        if metadata.schema_arrow.field(name).metadata:
            raise TableError(f"{name} carries metadata")
        kind = "String" if isinstance(column.dtype, (pl.Enum, pl.Categorical)) else str(column.dtype)
        if entry is None:
            if kind not in own_types.get(name, set()):
                raise TableError(f"{name} has type {kind}")
        elif kind != (entry["type"] if entry["shown"] in ("exact", "perturbed") else "String"):
            raise TableError(f"{name} has type {kind}")
        if isinstance(column.dtype, pl.Enum) and set(column.dtype.categories) - set(column.cast(pl.String)):
            raise TableError(f"{name} has categories that no row has")
        found[name] = [None if value is None else write_value(value) for value in column.to_list()]
    return found


def _lies(file: pq.ParquetFile, group: int) -> bool:
    """Whether the statistics of a row group are not those of its rows: readers who filter would skip rows."""
    rows, described = file.read_row_group(group), file.metadata.row_group(group)
    for place in range(described.num_columns):
        column, noted = rows.column(place), described.column(place).statistics
        if noted is None or not noted.has_min_max:
            continue
        values = {value for value in column.to_pylist() if value is not None}
        if values and not isinstance(min(values), float) and (noted.min, noted.max) != (min(values), max(values)):
            return True
    return False


def _covered_bytes(described: pq.FileMetaData) -> int:
    """How many bytes a file should have: its columns, its footer, and what marks its ends."""
    groups = [described.row_group(group) for group in range(described.num_row_groups)]
    columns = [group.column(place) for group in groups for place in range(described.num_columns)]
    return 4 + sum(column.total_compressed_size for column in columns) + int(described.serialized_size) + 8


_WRITERS = re.compile(r"parquet-cpp-arrow version [0-9.]+", re.ASCII)


def write_value(value: Any) -> str:
    """Write a value as the CSV of a release does."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    return str(value)


def plain(value: str) -> str:
    """A value as a reader sees it: without invisible characters, and in one spelling of each character."""
    text = unicodedata.normalize("NFKC", value)
    text = text.replace("\u2800", " ")
    seen = "".join(sign for sign in text if unicodedata.category(sign) not in ("Cf", "Cc", "Mn", "Cn", "Co"))
    return " ".join(unicodedata.normalize("NFKC", seen).split())


def order_of(text: str, kind: str) -> Any:
    """The place of a number or date among others; raises ValueError if the text is not written as voile writes."""
    if kind.startswith(("Int", "UInt")):
        bits, signed = int(kind.lstrip("UInt")), kind.startswith("Int")
        least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        if not WHOLE.fullmatch(text) or text == "-0" or not least <= int(text) <= most:
            raise ValueError
        return int(text)
    if kind.startswith("Float"):
        if text.lower().lstrip("+-") in ("nan", "inf", "infinity") or not re.fullmatch(
            r"-?\d[\d.e+-]*", text, re.ASCII
        ):
            raise ValueError
        return float(text)
    if kind == "Date":
        if len(text) != 10:
            raise ValueError
        return datetime.date.fromisoformat(text)
    if kind.startswith("Datetime"):
        return datetime.datetime.fromisoformat(text)
    return text


def cell_faults(entry: dict[str, Any], cells: list[Any]) -> Iterator[str]:
    """Yield what is wrong with the cells of a described column."""
    domain, kind = entry["domain"], str(entry["type"])
    if entry["shown"] == "suppressed" and set(cells) - {"*"}:
        yield "a suppressed column shows something"
    labels = ["other values", "protected values", "not shown"]
    if entry.get("indicator") and domain.get("values") not in (labels[:2], labels):
        yield "an indicator has values of its own"
    if entry["shown"] in ("generalized", "suppressed"):
        if (
            domain["missing"]
            and not any(cell == "*" or MISSING in (cell or "") for cell in cells)
            and not _names_gap(entry)
        ):
            yield "nothing is missing"
        for label in set(cells):
            if label is None:
                yield "a cell is empty"
            elif not _explained(label, entry):
                yield f"the cell {label!r} is not explained"
        sets = [frozenset(label[1:-1].split("|")) for label in set(cells) if label and label.startswith("{")]
        if len(set(sets)) < len(sets):
            yield "two cells list the same values in another order"
        return
    values = [cell for cell in set(cells) if cell is not None]
    if None in cells and not domain["missing"]:
        yield "a cell is missing"
    if domain["missing"] and None not in cells:
        yield "nothing is missing"
    listed = {write_value(value) for value in domain["values"]} if "values" in domain else None
    for value in values:
        try:
            place = order_of(value, kind)
            low, high = (order_of(write_value(domain[end]), kind) if end in domain else place for end in ("min", "max"))
            if (listed is not None and value not in listed) or not low <= place <= high:
                yield f"{value!r} is outside the domain"
        except (ValueError, TypeError):
            yield f"{value!r} is no {kind}"
    if kind == "Boolean" and not set(values) <= {"true", "false"}:
        yield "a truth value is neither true nor false"


def _names_gap(entry: dict[str, Any]) -> bool:
    """Whether a name stands for a missing value among others."""
    return any(MISSING in listed for listed in entry.get("names", {}).values())


def _explained(label: str, entry: dict[str, Any]) -> bool:
    """Whether a label is one of those that the dictionary explains, in the only way to write it."""
    domain, names, kind = entry["domain"], entry.get("names", {}), str(entry["type"])
    if label == "*" or label in names:
        return True
    if entry.get("prefixes") and label.endswith("*") and not label.startswith(("{", "\\")):
        return True
    if label.startswith("{") and label.endswith("|" + MISSING + "}"):
        if not domain["missing"]:
            return False
        if "values" not in domain:
            return _explained(label[1 : -len(MISSING) - 2], entry)
    if label == MISSING:
        return bool(domain["missing"])
    if entry["kind"] in ("numeric", "date"):
        ends = re.fullmatch(r"\[(.+?), (.+)\]", label)
        try:
            if ends:
                return bool(order_of(ends[1], kind) < order_of(ends[2], kind))
            order_of(label, kind)
        except (ValueError, TypeError):
            return False
        return True
    listed = [write_value(value) for value in domain["values"]] + [MISSING] * bool(domain["missing"])
    if label.startswith("{") and label.endswith("}"):
        parts = label[1:-1].split("|")
        return len(parts) > 1 and len(set(parts)) == len(parts) and set(parts) <= set(listed)
    return label in listed
