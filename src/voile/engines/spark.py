"""Parts on an Apache Spark cluster: the same work, run by its Python workers.

A part travels as one binary cell of a DataFrame (part, kind, slot, blob). Every stage is kept by Spark (memory, then
disk) until nobody needs it; a part that is lost with a worker is made again by the same functions of the same input.
"""

from __future__ import annotations

import codecs
import importlib.util
import os
import pickle
import shutil
import socket
import sys
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import polars as pl

from voile.core.parts import Gather, Route, Turn, Work
from voile.engines.disk import ROWS, Disk, Watch
from voile.errors import DataError, EngineError, VoileError

PART, NOTE, FAULT = 0, 1, 2  # kinds of rows: a part (or a piece of one), what is told of it, an error of ours
SCHEMA = "part long, kind int, slot int, blob binary"
BATCH_ROWS = 100_000
CONNECT = 15002  # the port of Spark Connect, where none is named
PATIENCE = 10.0  # seconds
BATCH = {"spark.sql.execution.arrow.maxRecordsPerBatch": "100000"}
BLOBS = {"spark.sql.execution.arrow.maxRecordsPerBatch": "1"}  # a blob may be as large as a batch should be


@dataclass(frozen=True, eq=False)
class Spark:
    """An engine on Spark: a running `session`, or the URL of a `master` (spark://..., yarn, k8s://..., local[2], or
    sc://... for Spark Connect). `memory` is about how much the driver may use for counts; `watch` is told of the work.

    voile must be installed where the workers run.
    """

    master: str | None = None
    session: Any = None
    memory: str = "4GiB"
    watch: Watch | None = field(default=None, compare=False)

    @staticmethod
    def of(frame: Any) -> Spark:
        """The engine on which a Spark DataFrame lives."""
        return Spark(session=frame.sparkSession)

    def most(self, columns: int) -> int:
        return Disk(self.memory).most(columns)

    @cached_property
    def spark(self) -> Any:
        """The session."""
        if self.session is not None:
            return self.session
        return started(self.master or "local[*]")

    def frames(
        self,
        source: Any,
        columns: Sequence[str],
        check: Callable[[Sequence[str]], None],
        delimiter: str | None,
        encoding: str,
    ) -> tuple[Frames, bool]:
        """Columns of a DataFrame, or of a Parquet or CSV file that the cluster can read, and whether all are text."""
        table, texts = source, False
        if isinstance(source, (str, Path)):
            kind, reader = Path(str(source).rstrip("/")).suffix.lower(), self.spark.read
            place = Path(source).absolute().as_uri() if Path(source).exists() else str(source)
            if kind in (".csv", ".tsv", ".txt"):
                texts = True
                options = {"header": "true", "sep": delimiter or ("\t" if kind == ".tsv" else ","), "mode": "FAILFAST"}
                options |= {"ignoreLeadingWhiteSpace": "true", "ignoreTrailingWhiteSpace": "true", "quote": '"'}
                options |= {"escape": '"', "multiLine": "true", "encoding": _codec(encoding)}
                table = self._told(lambda: reader.options(**options).csv(place), str(source))
            elif kind in (".parquet", ".pq", ""):
                table = self._told(lambda: reader.parquet(place), str(source))
            else:
                raise _unread(str(source), f"it ends in {kind!r}")
        check(table.columns)
        table = table.select([f"`{name}`" for name in columns])
        return Frames(self, table), texts

    def _told(self, read: Callable[[], Any], source: str) -> Any:
        try:
            return read()
        except Exception as error:
            raise _unread(source, _cause(error)) from None

    def listed(self, items: Sequence[Any], load: Callable[[Any], Any]) -> Stored:
        """Parts that `load` brings into a worker's memory when they are needed."""
        rows = [(number, PART, 0, pickle.dumps(item, protocol=5)) for number, item in enumerate(items)]
        slots = self.slots(len(rows))
        rows = [(number, kind, slots[number], blob) for number, kind, _, blob in rows]
        table = self.spark.createDataFrame(rows, SCHEMA).repartition(len(rows), "slot").sortWithinPartitions("part")
        return Stored(self, table, [None] * len(rows), _Loading(load))

    @contextmanager
    def settings(self, wanted: dict[str, str]) -> Iterator[None]:
        """The session with some settings changed, as they were afterwards."""
        before = {name: self.spark.conf.get(name, None) for name in wanted}
        for name, value in wanted.items():
            self.spark.conf.set(name, value)
        try:
            yield
        finally:
            for name, value in before.items():
                self.spark.conf.unset(name) if value is None else self.spark.conf.set(name, value)

    def slots(self, number: int) -> list[int]:
        """Numbers that Spark's partitioner sends to partition 0, 1, 2 and so on."""
        hashed = self.spark.range(0, 30 * number + 30).selectExpr(
            "int(id) as id", f"pmod(hash(int(id)), {number}) as home"
        )
        found: dict[int, int] = {}
        for row in hashed.collect():
            found.setdefault(int(row.home), int(row.id))
        return [found.get(home, home) for home in range(number)]

    def run(self, what: str, table: Any, function: Callable[[Any], Any], blobs: bool) -> Any:
        """A DataFrame put through a function of Arrow batches, and kept."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # PySpark's own, about versions of pandas
            made = table.mapInArrow(function, SCHEMA).persist()
        with self.settings(BLOBS if blobs else BATCH):
            try:
                told = made.where(f"kind > {PART}").select("part", "kind", "blob").collect()
            except Exception as error:
                made.unpersist()
                raise EngineError(
                    f"Spark could not {what} the parts: {_cause(error)}.",
                    code="engine.spark",
                    hint="See the driver's and the workers' logs. voile must be installed where the workers run.",
                ) from None
        for row in told:
            if row.kind == FAULT:
                made.unpersist()
                raise pickle.loads(row.blob)
        if self.watch is not None:
            self.watch(what, len(told), len(told))
        notes = {int(row.part): pickle.loads(row.blob) for row in told}
        return made, notes


def _codec(encoding: str) -> str:
    """The name of an encoding as Java knows it."""
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise DataError(f"There is no encoding {encoding!r}.", code="data.encoding", hint="E.g. latin-1.") from None


def _unread(source: str, why: str) -> EngineError:
    return EngineError(
        f"Spark cannot read {Path(source).name!r} ({why}).",
        code="engine.source",
        hint="Name a Parquet or CSV file that the driver and all workers see.",
    )


def started(master: str) -> Any:
    """A session on a cluster; EngineError that says what is missing."""
    if importlib.util.find_spec("pyspark") is None:
        raise EngineError("PySpark is not installed.", code="engine.extra", hint="Install voile[spark].")
    remote = master.startswith("sc://")
    if remote and importlib.util.find_spec("grpc") is None:
        raise EngineError(
            "Spark Connect is not installed.", code="engine.extra", hint="Install voile[spark] and pyspark[connect]."
        )
    if not remote and shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise EngineError(
            "Spark needs Java, and there is none.",
            code="engine.java",
            hint="Install a Java runtime, version 17 or 21 (Debian: apt-get install default-jre-headless), or set "
            "JAVA_HOME.",
        )
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        return (_connected if remote else _classic)(master)
    except Exception as error:
        raise EngineError(
            f"Spark at {master.split('/;')[0]!r} cannot be reached ({_cause(error)}).",
            code="engine.master",
            hint="Check the URL of the master and that it is running.",
        ) from None


def _classic(master: str) -> Any:
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    quiet = builder.config("spark.ui.showConsoleProgress", "false").config("spark.log.level", "ERROR")
    return quiet.master(master).appName("voile").getOrCreate()


def _connected(url: str) -> Any:
    """A session by Spark Connect, made by its own class: the common one would turn the whole process to Connect.
    Where nobody answers, Spark would ask again for minutes."""
    place = urlsplit(url)
    socket.create_connection((place.hostname or "", place.port or CONNECT), PATIENCE).close()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # PySpark's own, about versions of pandas
        from pyspark.sql.connect.session import SparkSession

        builder: Any = SparkSession.builder
        return builder.remote(url).getOrCreate()


def _cause(error: BaseException) -> str:
    """What went wrong, without what it went wrong about: a message of Spark's may quote a cell."""
    text = str(error)
    for line in text.splitlines():
        head = line.strip().split(":")[0]
        if head.endswith(("Error", "Exception")) and " " not in head:
            return head.split(".")[-1]
    return type(error).__name__


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

    def lazily(self, turn: Turn, *more: Any) -> Stored:
        assert isinstance(self, Stored), "a table is looked at first"
        return Stored(self.engine, self.table, self.notes, _Turning(self.gather or _first, turn, more), self)

    def scatter(self, what: str, route: Route, gather: Gather, number: int, *more: Any) -> Stored:
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
    notes: list[Any] = field(default_factory=list)

    def __len__(self) -> int:
        raise NotImplementedError("how Spark cuts a table is its own affair")  # pragma: no cover - nobody asks

    def each(self) -> Iterator[Any]:
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
                if rows >= ROWS:
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
    notes: list[Any]
    gather: Gather | None = None
    under: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.under, Stored):
            weakref.finalize(self, _forget, self.under if self.under is not None else self.table)

    def __len__(self) -> int:
        return len(self.notes)

    def _source(self) -> Any:
        return self.table.where(f"kind = {PART}")

    def each(self) -> Iterator[Any]:
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
                    f"Spark could not write the table {name!r}: {_cause(error)}.",
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
class _Loading:
    """A part is what a function brings for the one thing that stands for it."""

    load: Callable[[Any], Any]

    def __call__(self, pieces: Sequence[Any], number: int) -> Any:
        return self.load(pieces[0])


@dataclass(frozen=True)
class _Turning:
    """A part is gathered, and then turned into something else."""

    gather: Gather
    turn: Turn
    more: tuple[Any, ...]

    def __call__(self, pieces: Sequence[Any], number: int) -> Any:
        return self.turn(self.gather(pieces, number), number, *self.more)


def _first(pieces: Sequence[Any], number: int) -> Any:
    return pieces[0]


def _said(function: Callable[[Any, int], Any], pieces: Sequence[Any], number: int, gather: Gather) -> Iterator[Any]:
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
