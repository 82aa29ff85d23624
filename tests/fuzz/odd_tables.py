"""Tables in binary formats whose columns have types, names and values that few tables have."""

from __future__ import annotations

import datetime
import decimal
import io
import random
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Rows = Sequence[Sequence[str]]
NAMES = ("", " ", "age", "a" * 300, "a\0b", "a\nb", "`", '"', "é", "*", "group", "count", "__index_level_0__", "\u200b")


def _wide_decimal(width: int, rng: random.Random, size: int) -> pa.Array:
    kind = pa.decimal256(width, 2) if width > 38 else pa.decimal128(width, 2)
    with decimal.localcontext(prec=80):
        values = [
            decimal.Decimal(rng.randrange(10 ** (width - 2))).quantize(decimal.Decimal("0.01")) for _ in range(size)
        ]
    return pa.array(values, kind)


def _integers(kind: pa.DataType, low: int, high: int) -> Callable[[random.Random, int], pa.Array]:
    return lambda rng, size: pa.array([rng.choice([low, high, 0, 1, 2]) for _ in range(size)], pa.int64()).cast(
        kind, safe=False
    )


def _stored(kind: pa.DataType, storage: pa.DataType, values: Sequence[int]) -> Callable[[random.Random, int], pa.Array]:
    """Whole numbers that are understood as days, times or durations."""
    return lambda rng, size: pa.array([rng.choice(values) for _ in range(size)], storage).view(kind)


def _nested(rng: random.Random, size: int) -> pa.Array:
    value: Any = rng.choice([[1], {"a": 1}, [[1]], [{"a": [1]}], {"a": {"b": 1}}])
    return pa.array([rng.choice([value, None]) for _ in range(size - 1)] + [value])


def _dictionary(rng: random.Random, size: int) -> pa.Array:
    index = rng.choice([pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int64(), pa.uint32(), pa.uint64()])
    words: Any = rng.choice(
        [["a", "b"], ["a", "a"], ["a", None], [1, 2], [1.5, float("nan")], [b"x", b"y"], [True, False]]
    )
    codes = [rng.choice([0, 1, None]) for _ in range(size)]
    return pa.DictionaryArray.from_arrays(pa.array(codes, index), pa.array(words))


def _runs(rng: random.Random, size: int) -> pa.Array:
    return pa.RunEndEncodedArray.from_arrays([size] if size else [], pa.array(["a"] if size else [], pa.string()))


def _union(rng: random.Random, size: int) -> pa.Array:
    kinds = pa.array([rng.randrange(2) for _ in range(size)], pa.int8())
    return pa.UnionArray.from_sparse(kinds, [pa.array([1] * size, pa.int64()), pa.array(["a"] * size, pa.string())])


def _uuids(rng: random.Random, size: int) -> pa.Array:
    return pa.ExtensionArray.from_storage(pa.uuid(), pa.array([rng.randbytes(16) for _ in range(size)], pa.binary(16)))


def _intervals(rng: random.Random, size: int) -> pa.Array:
    return pa.array([pa.MonthDayNano([1, rng.randrange(9), 3]) for _ in range(size)], pa.month_day_nano_interval())


FAR = (0, 1, -1, 2**31 - 1, -(2**31), 73_050_000, -80_000_000, 95_026_236)
FAR_LONG = (0, 1, 2**62, -(2**62), 2**63 - 1, -(2**63), 6_311_390_400_000_000, 10**15)
ZONES = (None, "UTC", "Europe/Paris", "+05:30", "Nowhere/Land", "")
COLUMNS: tuple[Callable[[random.Random, int], pa.Array], ...] = (
    *(lambda rng, size: _wide_decimal(76, rng, size), lambda rng, size: _wide_decimal(38, rng, size)),
    *(lambda rng, size: _wide_decimal(5, rng, size), _nested, _dictionary, _runs, _union, _uuids, _intervals),
    *(_integers(pa.int8(), -128, 127), _integers(pa.uint64(), -1, 5), _integers(pa.float16(), -5, 5)),
    _stored(pa.date32(), pa.int32(), FAR),
    _stored(pa.date64(), pa.int64(), (*FAR_LONG, 86_400_000)),
    *(_stored(pa.timestamp(unit, "UTC"), pa.int64(), FAR_LONG) for unit in ("s", "ms", "us", "ns")),
    *(_stored(pa.timestamp("us", zone), pa.int64(), (0, 10**15, 2 * 10**15)) for zone in ZONES),
    *(_stored(pa.duration(unit), pa.int64(), FAR_LONG) for unit in ("s", "ns")),
    _stored(pa.time32("s"), pa.int32(), (0, 86_399, 86_400, -1, 2**31 - 1)),
    _stored(pa.time64("ns"), pa.int64(), (0, 1, 2**62, -1)),
    lambda rng, size: pa.nulls(size),
    lambda rng, size: pa.array([rng.choice([True, False, None]) for _ in range(size)], pa.bool_()),
    lambda rng, size: pa.array([rng.choice([b"", b"\xff\0", b"a"]) for _ in range(size)], pa.binary()),
    lambda rng, size: pa.array([rng.randbytes(4) for _ in range(size)], pa.binary(4)),
    lambda rng, size: pa.array([rng.choice(["a", "b", None]) for _ in range(size)], pa.large_string()),
    lambda rng, size: pa.array([rng.choice(["a", "b", "x" * 40]) for _ in range(size)], pa.string_view()),
    lambda rng, size: pa.array([rng.choice([float("nan"), float("inf"), -0.0, 1e308]) for _ in range(size)]),
)


def make_table(rng: random.Random, rows: Rows, header: Sequence[str]) -> pa.Table:
    """The honest table with some columns replaced or added, some renamed, and sometimes without rows or columns."""
    size = rng.choice([len(rows)] * 8 + [0, 1])
    columns = [pa.array([row[number] for row in rows[:size]], pa.string()) for number in range(len(header))]
    columns[1] = columns[1].cast(pa.int64())
    names = [*header]
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        column = rng.choice(COLUMNS)(rng, size)
        if rng.random() < 0.8:
            columns[rng.randrange(len(columns))] = column
        else:
            columns.append(column)
            names.append(rng.choice(NAMES))
    if rng.random() < 0.1:
        names[rng.randrange(len(names))] = rng.choice(NAMES)
    if rng.random() < 0.02:
        columns, names = [], []
    return pa.Table.from_arrays(columns, names=names)


def write_parquet(rng: random.Random, rows: Rows, header: Sequence[str]) -> bytes:
    """A Parquet file; types that Parquet does not have are drawn again."""
    while True:
        buffer = io.BytesIO()
        try:
            pq.write_table(make_table(rng, rows, header), buffer, compression=rng.choice(["none", "snappy", "zstd"]))
        except (pa.ArrowException, OverflowError, ValueError, KeyError):
            continue
        return buffer.getvalue()


def write_arrow(rng: random.Random, rows: Rows, header: Sequence[str]) -> bytes:
    """An Arrow file or stream."""
    while True:
        buffer = io.BytesIO()
        try:
            table = make_table(rng, rows, header)
            with rng.choice([pa.ipc.new_file, pa.ipc.new_stream])(buffer, table.schema) as writer:
                writer.write_table(table)
        except (pa.ArrowException, OverflowError, ValueError, KeyError):
            continue
        return buffer.getvalue()


def write_sqlite(rng: random.Random, rows: Rows, header: Sequence[str]) -> bytes:
    """A SQLite database, whose columns may hold values of several types."""
    odd: tuple[Any, ...] = (
        None,
        1,
        2**62,
        1.5,
        float("inf"),
        b"\xff\0",
        "x",
        "",
        datetime.date(2020, 1, 1).isoformat(),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.db"
        connection = sqlite3.connect(path)
        connection.execute(f"create table t ({', '.join(header)})")
        for row in rows:
            cells: list[Any] = [*row]
            if rng.random() < 0.2:
                cells[rng.randrange(len(cells))] = rng.choice(odd)
            connection.execute(f"insert into t values ({', '.join('?' * len(cells))})", cells)
        connection.commit()
        connection.close()
        return path.read_bytes()
