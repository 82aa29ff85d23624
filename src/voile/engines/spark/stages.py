"""Parts as they lie in DataFrames, and what can be done to them."""

from __future__ import annotations

import pickle
import shutil
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from voile.engines.disk import CHUNK_ROWS
from voile.engines.spark.session import cause
from voile.errors import EngineError, VoileError
from voile.tables.part_protocol import Merge, Route, Transform, Work

if TYPE_CHECKING:
    from voile.engines.spark.engine import Spark

PART, NOTE, FAULT = 0, 1, 2  # kinds of rows: a part (or a piece of one), what is told of it, an error of ours
SCHEMA = "part long, kind int, slot int, blob binary"
BATCH_ROWS = 100_000
BATCH = {"spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH_ROWS)}
BLOBS = {"spark.sql.execution.arrow.maxRecordsPerBatch": "1"}  # a blob may be as large as a batch should be


class _Stage:
    """What both kinds of parts can do; they differ in what a partition of theirs holds."""

    engine: Spark
    table: Any

    def _work(self, function: Callable[[Any, int], Any]) -> Callable[[Any], Any]:
        raise NotImplementedError  # pragma: no cover - both kinds define it

    def map(self, what: str, work: Work, *more: Any) -> Stored:
        def one(part: Any, number: int) -> list[tuple[int, int, int, bytes]]:
            made, note = work(part, number, *more)
            rows = [(number, NOTE, 0, pickle.dumps(note, protocol=5))]
            return [(number, PART, 0, pickle.dumps(made, protocol=5)), *rows] if made is not None else rows

        made, notes = self.engine.run(what, self._source(), self._work(one), isinstance(self, Stored))
        return Stored(self.engine, made, [notes[number] for number in sorted(notes)])

    def map_lazily(self, turn: Transform, *more: Any) -> Stored:
        assert isinstance(self, Stored), "a table is looked at first"
        return Stored(self.engine, self.table, self.summaries, _Turning(self.gather or _first, turn, more), self)

    def repartition(self, what: str, route: Route, gather: Merge, number: int, *more: Any) -> Stored:
        slots = self.engine.slots(number)

        def one(part: Any, place: int) -> list[tuple[int, int, int, bytes]]:
            pieces = route(part, place, *more)
            return [(home, PART, slots[home], pickle.dumps(piece, protocol=5)) for home, piece in pieces] + [
                (place, NOTE, 0, pickle.dumps(None))
            ]

        made, _ = self.engine.run(what, self._source(), self._work(one), isinstance(self, Stored))
        moved = made.where(f"kind = {PART}").repartition(number, "slot").sortWithinPartitions("part")
        return Stored(self.engine, moved, [None] * number, gather, made)

    def _source(self) -> Any:
        return self.table


@dataclass(frozen=True, eq=False)
class Frames(_Stage):
    """A DataFrame of Spark's own columns: what a task reads at once is a part."""

    engine: Spark
    table: Any
    summaries: list[Any] = field(default_factory=list)

    def __len__(self) -> int:
        raise NotImplementedError("how Spark cuts a table is its own affair")  # pragma: no cover - nobody asks

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError("a table is not brought here")  # pragma: no cover - nobody asks

    def write_parquet(self, name: str, empty: pl.DataFrame, folder: Path) -> None:
        raise NotImplementedError("a table is written after it was published")  # pragma: no cover - nobody asks

    def _work(self, function: Callable[[Any, int], Any]) -> Callable[[Any], Any]:
        def run(batches: Iterator[Any]) -> Iterator[Any]:
            import pyarrow as pa
            from pyspark import TaskContext

            context: Any = TaskContext.get()
            first = int(context.partitionId()) << 32
            waiting: list[Any] = []
            number = rows = 0
            for batch in batches:
                waiting.append(batch)
                rows += batch.num_rows
                if rows >= CHUNK_ROWS:
                    yield from _said(function, [pl.from_arrow(pa.Table.from_batches(waiting))], first + number, _first)
                    waiting, number, rows = [], number + 1, 0
            if waiting:
                yield from _said(function, [pl.from_arrow(pa.Table.from_batches(waiting))], first + number, _first)

        return run


@dataclass(frozen=True, eq=False)
class Stored(_Stage):
    """Parts as blobs. `gather` is what makes a part of its pieces, where they are still apart; `under` is what these
    parts come from, and lasts as long as they do."""

    engine: Spark
    table: Any
    summaries: list[Any]
    gather: Merge | None = None
    under: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.under, Stored):
            weakref.finalize(self, _forget, self.under if self.under is not None else self.table)

    def __len__(self) -> int:
        return len(self.summaries)

    def _source(self) -> Any:
        return self.table.where(f"kind = {PART}")

    def __iter__(self) -> Iterator[Any]:
        """One partition after the other; parts lie in the order of the partitions."""
        gather = self.gather or _first
        number, pieces = -1, list[Any]()
        for row in self._source().select("part", "blob").toLocalIterator(prefetchPartitions=False):
            if int(row.part) != number and pieces:
                yield gather(pieces, number)
                pieces = []
            number = int(row.part)
            pieces.append(pickle.loads(row.blob))
        if pieces:
            yield gather(pieces, number)

    def write_parquet(self, name: str, empty: pl.DataFrame, folder: Path) -> list[Path]:
        """By Spark's own writer, a file a part; then the files get names that say nothing but their place."""
        from pyspark.sql.pandas.types import from_arrow_schema

        schema, gather = _readable(empty), self.gather or _first

        def unpack(batches: Iterator[Any]) -> Iterator[Any]:
            import pyarrow as pa

            for batch in batches:
                for part, blob in zip(batch.column("part"), batch.column("blob"), strict=True):
                    table = gather([pickle.loads(blob.as_buffer())], part.as_py())[name]
                    shown = pa.table([_texts(table[one.name], one.type) for one in schema], schema=schema)
                    yield from shown.to_batches(max_chunksize=BATCH_ROWS)

        place = folder / f".{name}"
        with warnings.catch_warnings(), self.engine.settings(BLOBS):
            warnings.simplefilter("ignore", FutureWarning)
            try:
                shown = self._source().mapInArrow(unpack, from_arrow_schema(schema))
                shown.write.option("compression", "snappy").parquet(place.absolute().as_uri())
            except Exception as error:
                raise EngineError(
                    f"Spark could not write the table {name!r}: {cause(error)}.",
                    code="engine.write",
                    hint="The folder must be one that the driver and all workers see and may write to.",
                ) from None
        made = []
        for number, found in enumerate(sorted(place.glob("part-*.parquet"))):
            made.append(folder / f"{name}.{number:05d}.parquet")
            found.rename(made[-1])
        shutil.rmtree(place)
        return made

    def _work(self, function: Callable[[Any, int], Any]) -> Callable[[Any], Any]:
        gather = self.gather or _first

        def run(batches: Iterator[Any]) -> Iterator[Any]:
            number, pieces = -1, list[Any]()
            for batch in batches:
                for part, blob in zip(batch.column("part"), batch.column("blob"), strict=True):
                    if part.as_py() != number and pieces:
                        yield from _said(function, pieces, number, gather)
                        pieces = []
                    number = part.as_py()
                    pieces.append(pickle.loads(blob.as_buffer()))
            if pieces:
                yield from _said(function, pieces, number, gather)

        return run


@dataclass(frozen=True)
class Loading:
    """A part is what a function brings for the one thing that stands for it."""

    load: Callable[[Any], Any]

    def __call__(self, pieces: Sequence[Any], number: int) -> Any:
        return self.load(pieces[0])


@dataclass(frozen=True)
class _Turning:
    """A part is gathered, and then turned into something else."""

    gather: Merge
    turn: Transform
    more: tuple[Any, ...]

    def __call__(self, pieces: Sequence[Any], number: int) -> Any:
        return self.turn(self.gather(pieces, number), number, *self.more)


def _readable(empty: pl.DataFrame) -> Any:
    """The Arrow schema of a table in types that Spark has."""
    import pyarrow as pa

    signed: dict[Any, Any] = {name: pl.Int64() for name, kind in empty.schema.items() if kind.is_unsigned_integer()}
    schema = empty.cast(signed).to_arrow().schema
    short = [pa.field(one.name, pa.string()) if pa.types.is_large_string(one.type) else one for one in schema]
    return pa.schema(short)


def _texts(values: pl.Series, kind: Any) -> Any:
    """A column as Spark takes it: categories as text."""
    import pyarrow as pa

    if isinstance(values.dtype, pl.Enum) and not values.null_count():
        return pa.array(values.dtype.categories.to_list(), pa.string()).take(pa.array(values.to_physical().to_numpy()))
    return values.to_arrow().cast(kind)


def _first(pieces: Sequence[Any], number: int) -> Any:
    return pieces[0]


def _said(function: Callable[[Any, int], Any], pieces: Sequence[Any], number: int, gather: Merge) -> Iterator[Any]:
    """What a function says of a part, as an Arrow batch a row. Our own errors are told, not thrown: Spark would try
    again, and would show them with all that they are about."""
    import pyarrow as pa

    schema = pa.schema([("part", pa.int64()), ("kind", pa.int32()), ("slot", pa.int32()), ("blob", pa.binary())])
    try:
        rows = function(gather(pieces, number), number)
    except VoileError as error:
        rows = [(number, FAULT, 0, pickle.dumps(error))]
    for row in rows:
        cells = [pa.array([cell], kind.type) for cell, kind in zip(row, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(cells, schema=schema)


def _forget(table: Any) -> None:
    """Let Spark drop a stage; if the session is gone, so is the stage."""
    with suppress(Exception):
        table.unpersist()
