"""Take a Parquet file apart into its pages, and put it together again: for files that no library writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from voile.io.parquet import footer as footers
from voile.io.parquet import pages
from voile.io.parquet.thrift import Fields, ThriftReader

_WIRE = {"byte": 3, "i16": 4, "i32": 5, "i64": 6, "binary": 8}


def compress(page: bytes) -> bytes:
    return bytes(pa.compress(page, codec="zstd", asbytes=True))


@dataclass
class Page:
    """A page as it is before compression, its header, and how it is compressed."""

    header: dict[str, Any]
    content: bytes
    compress: Callable[[bytes], bytes] = field(default=compress)


@dataclass
class Column:
    """A column of one row group."""

    name: str
    pages: list[Page]


def rebuild(
    content: bytes, change: Callable[[list[Column]], None], schema: Callable[[Any], None] | None = None
) -> bytes:
    """Change the columns of all row groups, and the schema; every size and place in the file follows."""
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    document = ThriftReader(content[start:-8]).read_struct(footers._FOOTER)
    chunks = [entry for group in document["row_groups"] for entry in group["columns"]]
    columns = [Column(entry["chunk"]["path"][0].decode(), _read_pages(content, entry["chunk"])) for entry in chunks]
    change(columns)
    if schema is not None:
        schema(document["schema"][1:])
    written = bytearray(footers.MAGIC)
    for entry, column in zip(chunks, columns, strict=True):
        _write_column(written, entry["chunk"], column)
    for group in document["row_groups"]:
        group["bytes"] = sum(entry["chunk"]["uncompressed"] for entry in group["columns"])
        group["compressed"] = sum(entry["chunk"]["compressed"] for entry in group["columns"])
        group["offset"] = footers.first_page(group["columns"][0]["chunk"])
    end = _write_struct(document, footers._FOOTER)
    return bytes(written) + end + len(end).to_bytes(4, "little") + footers.MAGIC


def _read_pages(content: bytes, chunk: dict[str, Any]) -> list[Page]:
    place, found = footers.first_page(chunk), []
    end = place + chunk["compressed"]
    while place < end:
        reader = ThriftReader(content, place)
        header = reader.read_struct(pages._HEADER)
        place = reader.position + header["compressed"]
        page = pages.decompress(content[reader.position : place], header["uncompressed"])
        found.append(Page(header, page.tobytes()))
    return found


def _write_column(written: bytearray, chunk: dict[str, Any], column: Column) -> None:
    start, uncompressed = len(written), 0
    for page in column.pages:
        packed = page.compress(page.content)
        header = {**page.header, "uncompressed": len(page.content), "compressed": len(packed)}
        chunk["data_offset" if "data" in header else "dictionary_offset"] = len(written)
        head = _write_struct(header, pages._HEADER)
        written += head + packed
        uncompressed += len(head) + len(page.content)
    chunk["uncompressed"], chunk["compressed"] = uncompressed, len(written) - start
    chunk.pop("sizes", None)


def _write_struct(values: dict[str, Any], fields: Fields) -> bytes:
    written, last = bytearray(), 0
    for number, (name, kind) in sorted(fields.items()):
        if name in values:
            is_bool = kind == "bool"
            written.append((number - last) << 4 | ((1 if values[name] else 2) if is_bool else _wire(kind)))
            written += b"" if is_bool else _write_value(values[name], kind)
            last = number
    return bytes(written) + b"\0"


def _write_value(value: Any, kind: Any) -> bytes:
    if kind == "byte":
        return int(value).to_bytes(1, signed=True)
    if kind == "binary":
        return write_varint(len(value)) + value
    if isinstance(kind, str):
        return write_varint(value << 1 if value >= 0 else (-value << 1) - 1)
    if isinstance(kind, list):
        size = bytes([len(value) << 4 | _wire(kind[0])]) if len(value) < 15 else bytes([0xF0 | _wire(kind[0])])
        size += write_varint(len(value)) if len(value) >= 15 else b""
        return size + b"".join(_write_value(each, kind[0]) for each in value)
    return _write_struct(value, kind)


def write_varint(number: int) -> bytes:
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    return bytes(written) + bytes([number])


def _wire(kind: Any) -> int:
    return _WIRE[kind] if isinstance(kind, str) else 9 if isinstance(kind, list) else 12
