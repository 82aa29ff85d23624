"""Parts as they lie in Spark DataFrames, and what can be done with them."""

from __future__ import annotations

import pickle
import shutil
import uuid
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from voile.engines.base import CHUNK_ROWS
from voile.engines.spark.runner import BATCH, BLOBS, FAULT, PART, SUMMARY, Runner
from voile.engines.spark.session import name_cause
from voile.errors import EngineError, VoileError
from voile.io.parquet.writing import write_parquet
from voile.tables.part_protocol import Merge, Route, Transform, Work

Row = tuple[int, int, int, bytes]  # (part, kind, slot, blob)


def _take_only(fragments: Sequence[Any], number: int) -> Any:
    return fragments[0]


@dataclass(frozen=True, eq=False)
class _SparkParts:
    """What all parts on Spark can do; they differ in what a partition holds."""

    runner: Runner
    table: Any

    settings: ClassVar[dict[str, str]]

    def _batch_function(self, function: Callable[[Any, int], Any]) -> Callable[[Any], Any]:
        """Return a function of Arrow batches that calls `function` with every part and its number."""
        raise NotImplementedError  # pragma: no cover - both kinds define it

    def _rows(self) -> Any:
        return self.table

    def map(self, stage: str, work: Work, *arguments: Any) -> StoredParts:
        def work_on_part(part: Any, number: int) -> list[Row]:
            result, summary = work(part, number, *arguments)
            rows = [(number, SUMMARY, 0, pickle.dumps(summary, protocol=5))]
            return [(number, PART, 0, pickle.dumps(result, protocol=5)), *rows] if result is not None else rows

        table, summaries = self.runner.run(stage, self._rows(), self._batch_function(work_on_part), self.settings)
        return StoredParts(self.runner, table, [summaries[number] for number in sorted(summaries)])

    def repartition(self, stage: str, route: Route, merge: Merge, number: int, *arguments: Any) -> StoredParts:
        slots = self.runner.find_slots(number)

        def split_part(part: Any, position: int) -> list[Row]:
            fragments = route(part, position, *arguments)
            rows = [(home, PART, slots[home], pickle.dumps(fragment, protocol=5)) for home, fragment in fragments]
            return [*rows, (position, SUMMARY, 0, pickle.dumps(None))]

        table, _ = self.runner.run(stage, self._rows(), self._batch_function(split_part), self.settings)
        moved = table.where(f"kind = {PART}").repartition(number, "slot").sortWithinPartitions("part")
        return StoredParts(self.runner, moved, [None] * number, merge, table)


@dataclass(frozen=True, eq=False)
class FrameChunks(_SparkParts):
    """A DataFrame of Spark's own columns: the rows that a task reads at once are a chunk, and `merge` transforms it."""

    merge: Merge = _take_only
    summaries: list[Any] = field(default_factory=list)

    settings: ClassVar[dict[str, str]] = BATCH

    def __len__(self) -> int:
        raise NotImplementedError("how Spark cuts a table is its own affair")  # pragma: no cover - nobody asks

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError("a table is not brought into this process")  # pragma: no cover - nobody asks

    def write_parquet(self, name: str, empty: pl.DataFrame, folder: Path) -> None:
        raise NotImplementedError("a table is written after it was published")  # pragma: no cover - nobody asks

    def map_lazily(self, transform: Transform, *arguments: Any) -> FrameChunks:
        return FrameChunks(self.runner, self.table, MergeAndTransform(self.merge, transform, arguments))

    def _batch_function(self, function: Callable[[Any, int], Any]) -> Callable[[Any], Any]:
        merge = self.merge

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
                    yield from _answer(function, [pl.from_arrow(pa.Table.from_batches(waiting))], first + number, merge)
                    waiting, number, rows = [], number + 1, 0
            if waiting:
                yield from _answer(function, [pl.from_arrow(pa.Table.from_batches(waiting))], first + number, merge)

        return run


@dataclass(frozen=True, eq=False)
class StoredParts(_SparkParts):
    """Parts as blobs. `merge` makes a part of its fragments; `origin` holds what these parts come from, and lasts as
    long as they do."""

    summaries: list[Any]
    merge: Merge = _take_only
    origin: Any = None

    settings: ClassVar[dict[str, str]] = BLOBS

    def __post_init__(self) -> None:
        if not isinstance(self.origin, StoredParts):
            weakref.finalize(self, _unpersist, self.origin if self.origin is not None else self.table)

    def __len__(self) -> int:
        return len(self.summaries)

    def _rows(self) -> Any:
        return self.table.where(f"kind = {PART}")

    def __iter__(self) -> Iterator[Any]:
        """Bring one partition after the other; parts lie in the order of the partitions."""
        number, fragments = -1, list[Any]()
        for row in self._rows().select("part", "blob").toLocalIterator(prefetchPartitions=False):
            if int(row.part) != number and fragments:
                yield self.merge(fragments, number)
                fragments = []
            number = int(row.part)
            fragments.append(pickle.loads(row.blob))
        if fragments:
            yield self.merge(fragments, number)

    def map_lazily(self, transform: Transform, *arguments: Any) -> StoredParts:
        merge = MergeAndTransform(self.merge, transform, arguments)
        return StoredParts(self.runner, self.table, self.summaries, merge, self)

    def write_parquet(self, name: str, empty: pl.DataFrame, folder: Path) -> list[Path]:
        """Write one file per part, where the part is stored, and give the files names that tell only their order."""
        merge, target = self.merge, folder.absolute() / f".{name}"

        def write_parts(batches: Iterator[Any]) -> Iterator[Any]:
            for batch in batches:
                for part, blob in zip(batch.column("part"), batch.column("blob"), strict=True):
                    table = merge([pickle.loads(blob.as_buffer())], part.as_py())[name]
                    started = target / f"{uuid.uuid4().hex}.partial"  # a task may run twice
                    write_parquet(started, [table.cast(dict(empty.schema))])
                    started.replace(target / f"{part.as_py():015d}.parquet")
                yield batch.select(["part"])

        target.mkdir()
        with warnings.catch_warnings(), self.runner.change_settings(BLOBS):
            warnings.simplefilter("ignore", FutureWarning)
            try:
                written = self._rows().mapInArrow(write_parts, "part long").count()
            except Exception as error:
                raise EngineError(
                    f"Spark could not write the table {name!r}: {name_cause(error)}.",
                    code="engine.write",
                    hint="The folder must be one that the driver and all workers see and may write to.",
                ) from None
        files = []
        for number, file in enumerate(sorted(target.glob("*.parquet"))):
            files.append(folder / f"{name}.{number:05d}.parquet")
            file.rename(files[-1])
        shutil.rmtree(target)
        if len(files) != written:
            raise EngineError(
                f"Spark wrote {written} parts of the table {name!r}, and {len(files)} are here.",
                code="engine.write",
                hint="The folder must be one that the driver and all workers see and may write to.",
            )
        return files

    def _batch_function(self, function: Callable[[Any, int], Any]) -> Callable[[Any], Any]:
        merge = self.merge

        def run(batches: Iterator[Any]) -> Iterator[Any]:
            number, fragments = -1, list[Any]()
            for batch in batches:
                for part, blob in zip(batch.column("part"), batch.column("blob"), strict=True):
                    if part.as_py() != number and fragments:
                        yield from _answer(function, fragments, number, merge)
                        fragments = []
                    number = part.as_py()
                    fragments.append(pickle.loads(blob.as_buffer()))
            if fragments:
                yield from _answer(function, fragments, number, merge)

        return run


@dataclass(frozen=True)
class LoadItem:
    """Merges nothing: loads the one item that stands for a part."""

    load: Callable[[Any], Any]

    def __call__(self, fragments: Sequence[Any], number: int) -> Any:
        return self.load(fragments[0])


@dataclass(frozen=True)
class MergeAndTransform:
    """Merges the fragments of a part, then transforms the part."""

    merge: Merge
    transform: Transform
    arguments: tuple[Any, ...]

    def __call__(self, fragments: Sequence[Any], number: int) -> Any:
        return self.transform(self.merge(fragments, number), number, *self.arguments)


def _answer(function: Callable[[Any, int], Any], fragments: Sequence[Any], number: int, merge: Merge) -> Iterator[Any]:
    """Call a function with a part; yield one Arrow batch per row that it returns. Our own errors are returned, not
    raised: Spark would try again, and would show them with all that they are about."""
    import pyarrow as pa

    schema = pa.schema([("part", pa.int64()), ("kind", pa.int32()), ("slot", pa.int32()), ("blob", pa.binary())])
    try:
        rows = function(merge(fragments, number), number)
    except VoileError as error:
        rows = [(number, FAULT, 0, pickle.dumps(error))]
    for row in rows:
        cells = [pa.array([cell], kind.type) for cell, kind in zip(row, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(cells, schema=schema)


def _unpersist(table: Any) -> None:
    """Let Spark drop a stage; if the session is gone, so is the stage."""
    with suppress(Exception):
        table.unpersist()
