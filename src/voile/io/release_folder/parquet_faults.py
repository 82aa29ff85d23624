"""Content of a Parquet file that no cell shows: notes in its footer, false statistics, values that no row refers to.

A Parquet file can carry more than its table. A reader who trusts a certificate should not pass on what nobody checked.
"""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

_VERSION = r" version v?[0-9]+(\.[0-9]+){1,3}(-SNAPSHOT)?( \(build [0-9a-f]{0,40}\))?"
_WRITER = re.compile(rf"Polars( \([a-z]+\))?({_VERSION})?|(parquet-cpp-arrow|parquet-mr|parquet-rs|DuckDB){_VERSION}")
_SPARK_TYPE = re.compile("[a-z_0-9(),]{1,30}( collate UTF8_BINARY)?")
_SPARE_BYTES = 1024  # of each column in each row group: headers of pages and their index


def find_parquet_faults(sources: Sequence[Path | bytes]) -> list[str]:
    """Return what the files of one table hold besides their rows. Reads texts only, one row group at a time."""
    import pyarrow.parquet as pq

    faults: list[str] = []
    stored: dict[str, set[str]] = {}
    used: dict[str, set[str]] = {}
    for source in sources:
        size = source.stat().st_size if isinstance(source, Path) else len(source)
        metadata = pq.read_metadata(_open(source))
        texts = [
            column.name for column in map(metadata.schema.column, range(metadata.num_columns)) if _holds_text(column)
        ]
        with pq.ParquetFile(_open(source), read_dictionary=texts) as file:
            faults += [*_footer_faults(file), *_size_faults(metadata, size)]
            for group in range(metadata.num_row_groups):
                if not _has_true_statistics(file, group):
                    faults.append("its statistics are not those of its rows")
                if texts:
                    _collect_texts(file.read_row_group(group, columns=texts), stored, used)
    if any(stored[name] - used[name] for name in stored):
        faults.append("it stores texts that no row has")
    return list(dict.fromkeys(faults))


def _open(source: Path | bytes) -> Any:
    return source if isinstance(source, Path) else io.BytesIO(source)


def _holds_text(column: Any) -> bool:
    return bool(column.physical_type == "BYTE_ARRAY")


def _collect_texts(rows: Any, stored: dict[str, set[str]], used: dict[str, set[str]]) -> None:
    """Add the texts that a row group stores for each column, and those that its rows refer to."""
    import pyarrow.compute as pc

    for name in rows.column_names:
        for chunk in rows.column(name).chunks:
            stored.setdefault(name, set()).update(chunk.dictionary.to_pylist())
            referred = chunk.dictionary.take(pc.unique(chunk.indices.drop_null()))
            used.setdefault(name, set()).update(referred.to_pylist())


def _has_true_statistics(file: Any, group: int) -> bool:
    """Whether the least and the greatest value of each column are those of its rows, where they are stated."""
    import pyarrow.compute as pc

    for number in range(file.metadata.num_columns):
        chunk = file.metadata.row_group(group).column(number)
        if not chunk.is_stats_set or not chunk.statistics.has_min_max:
            continue
        values = file.read_row_group(group, columns=[chunk.path_in_schema]).column(0)
        values = values.cast("string") if _holds_text(file.metadata.schema.column(number)) else values
        ends = pc.min_max(values).as_py()
        stated = {"min": chunk.statistics.min, "max": chunk.statistics.max}
        if any(_is_other(stated[end], ends[end]) for end in ends):
            return False
    return True


def _is_other(stated: Any, value: Any) -> bool:
    stated = stated.decode("utf-8", "replace") if isinstance(stated, bytes) else stated
    comparable = type(stated) is type(value) or isinstance(stated, str) or isinstance(value, str)
    return comparable and bool(stated != value)  # numbers in the place of dates cannot tell more than dates


def _footer_faults(file: Any) -> Iterator[str]:
    """Yield the notes in the footer that are not known, or say more than the names and types of columns."""
    metadata, schema = file.metadata, file.schema_arrow
    if not _WRITER.fullmatch(metadata.created_by or ""):
        yield "it names a writer that is not known"
    notes = metadata.metadata or {}
    known = {key.encode(): is_valid for key, is_valid in _NOTES.items()}
    if any(key not in known or not known[key](note, schema) for key, note in notes.items()):
        yield "it holds a note that is not known"
    if not set(schema.metadata or {}) <= set(known):
        yield "its schema holds a note that is not known"
    for field in schema:
        if any(not _is_known_note(key, note, field) for key, note in (field.metadata or {}).items()):
            yield "one of its columns holds a note that is not known"


def _is_arrow_schema(note: bytes, schema: Any) -> bool:
    """Whether a note is the schema as Arrow writes it: a message of the stated length, and nothing behind it."""
    message = base64.b64decode(note, validate=True)
    length = int.from_bytes(message[4:8], "little")
    return message[:4] == b"\xff\xff\xff\xff" and 8 + length <= len(message) < 8 + length + 8


def _is_spark_version(note: bytes, schema: Any) -> bool:
    return re.fullmatch(rb"[0-9]{1,3}(\.[0-9]{1,4}){1,3}", note) is not None


def _is_spark_schema(note: bytes, schema: Any) -> bool:
    """Whether a note lists the columns as Spark writes them."""
    document = json.loads(note)
    keys = {"name", "type", "nullable", "metadata"}
    fields = document.get("fields", [])
    return (
        set(document) == {"type", "fields"}
        and [field.get("name") for field in fields] == schema.names
        and all(
            set(field) == keys and _SPARK_TYPE.fullmatch(str(field["type"])) and field["metadata"] == {}
            for field in fields
        )
    )


_NOTES: dict[str, Callable[[bytes, Any], bool]] = {
    "ARROW:schema": _is_arrow_schema,
    "org.apache.spark.version": _is_spark_version,
    "org.apache.spark.sql.parquet.row.metadata": _is_spark_schema,
}


def _is_known_note(key: bytes, note: bytes, field: Any) -> bool:
    """Whether a note about a column is the number of its field, or its categories, which are compared with its rows."""
    import pyarrow.types as pt

    if key == b"PARQUET:field_id":
        return re.fullmatch(rb"-?[0-9]{1,9}", note) is not None
    return key in (b"_PL_ENUM_VALUES", b"_PL_ENUM_VALUES2") and pt.is_dictionary(field.type)


def _size_faults(metadata: Any, size: int) -> Iterator[str]:
    """Yield whether bytes belong to no column: what lies between them is small."""
    chunks = [
        metadata.row_group(group).column(column)
        for group in range(metadata.num_row_groups)
        for column in range(metadata.num_columns)
    ]
    used = sum(chunk.total_compressed_size for chunk in chunks) + metadata.serialized_size
    if size - used > _SPARE_BYTES * (len(chunks) + 1) + size // 50:
        yield "it holds bytes that belong to no column"
