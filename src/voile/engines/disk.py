"""Parts on this machine's disk, one or two in memory at a time.

What a stage of the work makes is written to a file that has no name: the system removes it when nothing holds it any
more, also when the process is killed.
"""

from __future__ import annotations

import os
import pickle
import re
import tempfile
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import polars as pl

from voile.errors import EngineError, SpecError, option
from voile.tables.part_protocol import Merge, Route, Transform, Work

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
LEAST = 1 << 30
CHUNK_ROWS = 1 << 20  # rows of a slice
Watch = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Disk:
    """An engine for tables larger than memory. `memory` is about how much may be used; `scratch` where the files of the
    work lie, by default where the system keeps temporary files; `watch` is told (work, parts done, parts in all).

    >>> Disk(memory="4GiB").allowed
    4294967296
    """

    memory: str = "4GiB"
    scratch: str | None = None
    watch: Watch | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.allowed < LEAST:
            raise SpecError(
                f"memory = {self.memory!r} is too little to work with.", code="spec.memory", hint="Allow 1GiB or more."
            )

    @property
    def allowed(self) -> int:
        """The memory in bytes."""
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", self.memory.strip(), re.IGNORECASE)
        if found is None:
            raise SpecError(f"memory = {self.memory!r} is no size.", code="spec.memory", hint="E.g. 4GiB.")
        return int(float(found[1]) * UNITS[found[2].upper()])

    def most(self, columns: int) -> int:
        """How many distinct rows of so many columns may be in memory at once: a method needs several copies."""
        return self.allowed // (16 * (4 * columns + 8))

    def slices(self, table: pl.LazyFrame, *, copy: bool = False) -> Slices:
        """The rows of a table, some at a time; with `copy` of a Parquet copy, where it cannot be read in slices."""
        if not copy:
            return Slices(self, table, _length(table))
        handle = self.file()
        try:
            table.sink_parquet(handle, compression="zstd", compression_level=1, row_group_size=CHUNK_ROWS)
            table = pl.scan_parquet(f"/proc/self/fd/{handle.fileno()}", glob=False)
            return Slices(self, table, _length(table), handle)
        except BaseException:  # a faulty table: its copy goes at once, not when the error is forgotten
            handle.close()
            raise

    def listed(self, items: Sequence[Any], load: Callable[[Any], Any]) -> Listed:
        """Parts that `load` brings into memory when they are needed."""
        return Listed(self, items, load)

    def file(self) -> IO[bytes]:
        """A file without a name."""
        try:
            return tempfile.TemporaryFile(dir=self.scratch)
        except OSError as error:
            raise EngineError(
                f"No temporary file can be made ({error.strerror}).",
                code="engine.scratch",
                hint=f"Name a folder with space and rights ({option('scratch')}, or TMPDIR).",
            ) from None


@dataclass(frozen=True, eq=False)
class _Stage:
    """What both kinds of parts can do: they differ in how one part is fetched."""

    engine: Disk

    def __len__(self) -> int:
        raise NotImplementedError  # pragma: no cover - both kinds define it

    def fetch(self, number: int) -> Any:
        raise NotImplementedError  # pragma: no cover - both kinds define it

    def __iter__(self) -> Iterator[Any]:
        return (self.fetch(number) for number in range(len(self)))

    def write_parquet(self, name: str, empty: pl.DataFrame, folder: Path) -> None:
        return None

    def map(self, what: str, work: Work, *more: Any) -> Stored:
        made = Stored(self.engine, self.engine.file(), [], [])
        for part, note in self._done(what, work, more):
            made.pieces.append([made.put(part)])
            made.summaries.append(note)
        self._tell(what, len(self))
        return made

    def map_lazily(self, turn: Transform, *more: Any) -> Lazy:
        return Lazy(self.engine, self, turn, more)

    def repartition(self, what: str, route: Route, gather: Merge, number: int, *more: Any) -> Stored:
        made = Stored(self.engine, self.engine.file(), [[] for _ in range(number)], [], gather)
        for pieces in self._done(what, route, more):
            for home, piece in pieces:
                made.pieces[home].append(made.put(piece))
        self._tell(what, len(self))
        return made

    def _done(self, what: str, work: Callable[..., Any], more: tuple[Any, ...]) -> Iterator[Any]:
        """The work on every part, in order; two at a time where memory allows it, for the kernels leave Python."""
        workers = 2 if self.engine.allowed >= 2 * LEAST else 1
        waiting: deque[Future[Any]] = deque()
        with ThreadPoolExecutor(workers) as pool:
            for number in range(len(self)):
                waiting.append(pool.submit(self._one, work, number, more))
                if len(waiting) == workers:
                    self._tell(what, number + 1 - workers)
                    yield waiting.popleft().result()
            while waiting:
                self._tell(what, len(self) - len(waiting))
                yield waiting.popleft().result()

    def _one(self, work: Callable[..., Any], number: int, more: tuple[Any, ...]) -> Any:
        return work(self.fetch(number), number, *more)

    def _tell(self, what: str, done: int) -> None:
        if self.engine.watch is not None:
            self.engine.watch(what, done, len(self))


@dataclass(frozen=True, eq=False)
class Slices(_Stage):
    """A table in a file, so many rows at a time."""

    table: pl.LazyFrame
    rows: int
    handle: IO[bytes] | None = None  # of a file that has no name: it lasts as long as this does
    summaries: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.handle is not None:
            weakref.finalize(self, self.handle.close)

    def __len__(self) -> int:
        return max(-(-self.rows // CHUNK_ROWS), 1)

    def fetch(self, number: int) -> pl.DataFrame:
        return self.table.slice(number * CHUNK_ROWS, CHUNK_ROWS).collect()


@dataclass(frozen=True, eq=False)
class Lazy(_Stage):
    """Parts that are turned into something else whenever they are needed."""

    under: Any
    turn: Transform
    more: tuple[Any, ...]

    @property
    def summaries(self) -> list[Any]:
        return list(self.under.summaries)

    def __len__(self) -> int:
        return len(self.under)

    def fetch(self, number: int) -> Any:
        return self.turn(self.under.fetch(number), number, *self.more)


@dataclass(frozen=True, eq=False)
class Listed(_Stage):
    """Things that a function brings into memory one by one."""

    items: Sequence[Any]
    load: Callable[[Any], Any]
    summaries: list[Any] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.items)

    def fetch(self, number: int) -> Any:
        return self.load(self.items[number])


@dataclass(frozen=True, eq=False)
class Stored(_Stage):
    """Parts in a file without a name. Part i is what lies at `pieces[i]`, gathered if there is something to gather."""

    file: IO[bytes]
    pieces: list[list[tuple[int, int]]]
    summaries: list[Any]
    gather: Merge | None = None

    def __post_init__(self) -> None:
        weakref.finalize(self, self.file.close)

    def __len__(self) -> int:
        return len(self.pieces)

    def put(self, part: Any) -> tuple[int, int]:
        """Where a part was written, and how long it is."""
        start = self.file.seek(0, os.SEEK_END)
        try:
            pickle.dump(part, self.file, protocol=5)
            self.file.flush()
        except OSError as error:
            raise EngineError(
                f"The temporary files cannot be written ({error.strerror}).",
                code="engine.scratch",
                hint=f"Make space, or name another folder ({option('scratch')}, or TMPDIR). Nothing was published.",
            ) from None
        return start, self.file.tell() - start

    def fetch(self, number: int) -> Any:
        found = [self._get(*place) for place in self.pieces[number]]
        return self.gather(found, number) if self.gather is not None else found[0]

    def _get(self, start: int, length: int) -> Any:
        return pickle.loads(_read(self.file.fileno(), start, length))


def _length(table: pl.LazyFrame) -> int:
    return int(table.select(pl.len()).collect().item())


def _read(handle: int, start: int, length: int) -> bytearray:
    """Some bytes of a file; one call reads 2 GiB at most."""
    found = bytearray(length)
    view, done = memoryview(found), 0
    while done < length:
        done += os.preadv(handle, [view[done:]], start + done)
    return found
