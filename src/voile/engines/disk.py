"""Parts on the disk of this machine, one or two in memory at a time.

The results of a stage are written to a file without a name: the system removes it as soon as nothing holds it any more,
even if the process is killed.
"""

from __future__ import annotations

import os
import pickle
import tempfile
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, ClassVar

import polars as pl

from voile.engines import base
from voile.engines.base import LEAST_MEMORY, Engine, Source, count_rows_that_fit, parse_memory
from voile.errors import EngineError, VoileError, option
from voile.io.library_border import library_border
from voile.tables.part_protocol import Merge, Parts, Route, Transform, Work
from voile.tables.schema import Schema


@dataclass(frozen=True)
class Disk(Engine):
    """An engine for tables larger than memory. `memory` is about how much it may use; `scratch` is the folder of its
    temporary files, by default that of the system; `watch` is called with (stage, parts done, parts in all).

    >>> Disk(memory="8GiB", scratch="/var/tmp")
    Disk(memory='8GiB', scratch='/var/tmp')
    """

    name: ClassVar[str] = "disk"

    memory: str = "4GiB"
    scratch: str | None = None

    def __post_init__(self) -> None:
        parse_memory(self.memory)

    def read(self, source: Source, schema: Schema) -> Parts:
        """Read a file in chunks; a CSV, which cannot be read from the middle, from a Parquet copy of it."""
        from voile.engines.text_chunks import cast_chunks  # checking a release takes none of these
        from voile.io import table_files
        from voile.io.csv_faults import unreadable_csv

        path, names = source.path, schema.read_names()
        if path is None:
            raise self.refusal(source)
        table, csv = table_files.scan_file(path, names, source.how, schema.check)
        fault = table_files.corrupt_file(path) if csv is None else unreadable_csv(path)
        with library_border(fault):
            table, handle = (table, None) if csv is None else self.copy(table)
            rows = int(table.select(pl.len()).collect().item())
        chunks = FileChunks(self, table, rows, fault, handle)
        return chunks if csv is None else cast_chunks(chunks, names, csv, source.how, fault)

    def copy(self, table: pl.LazyFrame) -> tuple[pl.LazyFrame, IO[bytes]]:
        """Copy a table to a temporary Parquet file, which lasts as long as its handle."""
        handle = self.open_file()
        try:
            table.sink_parquet(handle, compression="zstd", compression_level=1, row_group_size=base.CHUNK_ROWS)
            return pl.scan_parquet(f"/proc/self/fd/{handle.fileno()}", glob=False), handle
        except BaseException:  # a faulty table: its copy goes at once, not when the error is forgotten
            handle.close()
            raise

    def list_parts(self, items: Sequence[Any], load: Callable[[Any], Any]) -> Parts:
        return LoadedParts(self, items, load)

    def row_limit(self, columns: int) -> int:
        return count_rows_that_fit(parse_memory(self.memory), columns)

    def open_file(self) -> IO[bytes]:
        """Open a temporary file without a name."""
        try:
            return tempfile.TemporaryFile(dir=self.scratch)
        except OSError as error:
            raise EngineError(
                f"No temporary file can be made ({error.strerror}).",
                code="engine.scratch",
                hint=f"Name a folder with space and rights ({option('scratch')}, or TMPDIR).",
            ) from None


@dataclass(frozen=True, eq=False)
class _DiskParts:
    """What all parts on disk can do: they differ in how one part is fetched."""

    engine: Disk

    def __len__(self) -> int:
        raise NotImplementedError  # pragma: no cover - every kind defines it

    def fetch(self, number: int) -> Any:
        raise NotImplementedError  # pragma: no cover - every kind defines it

    def __iter__(self) -> Iterator[Any]:
        return (self.fetch(number) for number in range(len(self)))

    def write_parquet(self, name: str, empty: pl.DataFrame, folder: Path) -> None:
        return None

    def map(self, stage: str, work: Work, *arguments: Any) -> StoredParts:
        result = StoredParts(self.engine, self.engine.open_file(), [], [])
        for part, summary in self._work_on_parts(stage, work, arguments):
            result.places.append([result.store(part)])
            result.summaries.append(summary)
        self._tell(stage, len(self))
        return result

    def map_lazily(self, transform: Transform, *arguments: Any) -> TransformedParts:
        return TransformedParts(self.engine, self, transform, arguments)

    def repartition(self, stage: str, route: Route, merge: Merge, number: int, *arguments: Any) -> StoredParts:
        result = StoredParts(self.engine, self.engine.open_file(), [[] for _ in range(number)], [], merge)
        for fragments in self._work_on_parts(stage, route, arguments):
            for home, fragment in fragments:
                result.places[home].append(result.store(fragment))
        self._tell(stage, len(self))
        return result

    def _work_on_parts(self, stage: str, work: Callable[..., Any], arguments: tuple[Any, ...]) -> Iterator[Any]:
        """Work on every part, in order; on two at a time where memory allows it, since the kernels leave Python."""
        workers = 2 if parse_memory(self.engine.memory) >= 2 * LEAST_MEMORY else 1
        waiting: deque[Future[Any]] = deque()
        with ThreadPoolExecutor(workers) as pool:
            for number in range(len(self)):
                waiting.append(pool.submit(self._work_on_part, work, number, arguments))
                if len(waiting) == workers:
                    self._tell(stage, number + 1 - workers)
                    yield waiting.popleft().result()
            while waiting:
                self._tell(stage, len(self) - len(waiting))
                yield waiting.popleft().result()

    def _work_on_part(self, work: Callable[..., Any], number: int, arguments: tuple[Any, ...]) -> Any:
        return work(self.fetch(number), number, *arguments)

    def _tell(self, stage: str, done: int) -> None:
        if self.engine.watch is not None:
            self.engine.watch(stage, done, len(self))


@dataclass(frozen=True, eq=False)
class FileChunks(_DiskParts):
    """A table in a file, CHUNK_ROWS rows at a time. `fault` is raised where the file cannot be read."""

    table: pl.LazyFrame
    rows: int
    fault: VoileError
    handle: IO[bytes] | None = None  # of a copy without a name: it lasts as long as this does
    summaries: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.handle is not None:
            weakref.finalize(self, self.handle.close)

    def __len__(self) -> int:
        return max(-(-self.rows // base.CHUNK_ROWS), 1)

    def fetch(self, number: int) -> pl.DataFrame:
        with library_border(self.fault):
            return self.table.slice(number * base.CHUNK_ROWS, base.CHUNK_ROWS).collect()


@dataclass(frozen=True, eq=False)
class TransformedParts(_DiskParts):
    """Parts that are transformed whenever they are needed."""

    parts: _DiskParts
    transform: Transform
    arguments: tuple[Any, ...]

    @property
    def summaries(self) -> list[Any]:
        return list(self.parts.summaries)  # type: ignore[attr-defined]  # every kind has them

    def __len__(self) -> int:
        return len(self.parts)

    def fetch(self, number: int) -> Any:
        return self.transform(self.parts.fetch(number), number, *self.arguments)


@dataclass(frozen=True, eq=False)
class LoadedParts(_DiskParts):
    """Items that a function loads into memory one by one."""

    items: Sequence[Any]
    load: Callable[[Any], Any]
    summaries: list[Any] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.items)

    def fetch(self, number: int) -> Any:
        return self.load(self.items[number])


@dataclass(frozen=True, eq=False)
class StoredParts(_DiskParts):
    """Parts in a file without a name. Part i lies at `places[i]`: in one place, or in several fragments to `merge`."""

    file: IO[bytes]
    places: list[list[tuple[int, int]]]
    summaries: list[Any]
    merge: Merge | None = None

    def __post_init__(self) -> None:
        weakref.finalize(self, self.file.close)

    def __len__(self) -> int:
        return len(self.places)

    def store(self, part: Any) -> tuple[int, int]:
        """Write a part; return where it starts and how long it is."""
        start = self.file.seek(0, os.SEEK_END)
        try:
            pickle.dump(part, self.file, protocol=5)
            self.file.flush()
        except OSError as error:
            raise EngineError(
                f"The temporary files cannot be written ({error.strerror}).",
                code="engine.scratch",
                hint=f"Make space, or name another folder ({option('scratch')}, or TMPDIR).",
            ) from None
        return start, self.file.tell() - start

    def fetch(self, number: int) -> Any:
        handle = self.file.fileno()
        fragments = [pickle.loads(_read_bytes(handle, start, length)) for start, length in self.places[number]]
        return self.merge(fragments, number) if self.merge is not None else fragments[0]


def _read_bytes(handle: int, start: int, length: int) -> bytearray:
    """Read some bytes of a file; one call of the system reads 2 GiB at most."""
    content = bytearray(length)
    view, done = memoryview(content), 0
    while done < length:
        done += os.preadv(handle, [view[done:]], start + done)
    return content
