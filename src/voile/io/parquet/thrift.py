"""Read Thrift's compact protocol strictly: every field is expected, has its type, and is written in the one short way.

The footer and the page headers of a Parquet file are written in it. A library passes over fields that it does not know;
here they are an error, because nobody would see what they hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TRUE, _FALSE, _I16, _I32, _I64, _BINARY, _LIST, _STRUCT = 1, 2, 4, 5, 6, 8, 9, 12
_BYTE = 3
_WIRE = {"byte": _BYTE, "i16": _I16, "i32": _I32, "i64": _I64, "binary": _BINARY}
_BITS = {"byte": 8, "i16": 16, "i32": 32, "i64": 64}
_DEEPEST = 16

# The fields of a struct by number: a name, and a kind of number, "bool", "binary", a struct, or [the kind of a list]
Fields = Mapping[int, tuple[str, Any]]


class ThriftReader:
    """Reads values from bytes, from a position on; raises ValueError at whatever is unexpected."""

    def __init__(self, content: bytes | memoryview, position: int = 0) -> None:
        self.content = content
        self.position = position

    def read_struct(self, fields: Fields, depth: int = 0) -> dict[str, Any]:
        """Return the fields of a struct by name; a field that is absent is not in the result."""
        if depth > _DEEPEST:
            raise ValueError("a struct is nested too deeply")
        values: dict[str, Any] = {}
        number = 0
        while True:
            header = self._take(1)[0]
            if header == 0:
                return values
            if not header >> 4:
                raise ValueError("a field is written in the long way")
            number += header >> 4
            if number not in fields:
                raise ValueError("a field is not known")
            name, kind = fields[number]
            values[name] = self._read_field(kind, header & 15, depth)

    def _read_field(self, kind: Any, wire: int, depth: int) -> Any:
        if kind == "bool":
            if wire not in (_TRUE, _FALSE):
                raise ValueError("a field has another type")
            return wire == _TRUE
        return self._read_value(kind, wire, depth)

    def _read_value(self, kind: Any, wire: int, depth: int) -> Any:
        if wire != _wire_type(kind):
            raise ValueError("a field has another type")
        if kind == "byte":
            return int.from_bytes(self._take(1), signed=True)
        if kind == "binary":
            return bytes(self._take(self._read_varint(32)))
        if isinstance(kind, str):
            number = self._read_varint(_BITS[kind])
            return (number >> 1) ^ -(number & 1)
        return self._read_list(kind[0], depth) if isinstance(kind, list) else self.read_struct(kind, depth + 1)

    def _read_list(self, kind: Any, depth: int) -> list[Any]:
        header = self._take(1)[0]
        length = header >> 4
        if length == 15:
            length = self._read_varint(32)
            if length < 15:
                raise ValueError("a list is written in the long way")
        if length > len(self.content) - self.position:
            raise ValueError("a list is longer than the file")
        if header & 15 != _wire_type(kind):
            raise ValueError("a list has another type")
        return [self._read_value(kind, header & 15, depth) for _ in range(length)]

    def _read_varint(self, bits: int) -> int:
        value = shift = 0
        while True:
            byte = self._take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
            if shift >= bits:
                raise ValueError("a number is too long")
        if value >> bits or (byte == 0 and shift > 7):
            raise ValueError("a number is not written in the short way")
        return value

    def _take(self, length: int) -> bytes | memoryview:
        start, self.position = self.position, self.position + length
        if self.position > len(self.content):
            raise ValueError("it ends in the middle of a value")
        return self.content[start : self.position]


def _wire_type(kind: Any) -> int:
    return _WIRE[kind] if isinstance(kind, str) else _LIST if isinstance(kind, list) else _STRUCT
