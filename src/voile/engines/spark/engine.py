"""The engine: what it reads, how it runs work, and how it keeps what was made."""

from __future__ import annotations

import codecs
import pickle
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from voile.engines.disk import Disk, Watch
from voile.engines.spark.session import cause, started
from voile.engines.spark.stages import BATCH, BLOBS, FAULT, PART, SCHEMA, Frames, Loading, Stored
from voile.errors import DataError, EngineError


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
            raise _unread(source, cause(error)) from None

    def listed(self, items: Sequence[Any], load: Callable[[Any], Any]) -> Stored:
        """Parts that `load` brings into a worker's memory when they are needed."""
        rows = [(number, PART, 0, pickle.dumps(item, protocol=5)) for number, item in enumerate(items)]
        slots = self.slots(len(rows))
        rows = [(number, kind, slots[number], blob) for number, kind, _, blob in rows]
        table = self.spark.createDataFrame(rows, SCHEMA).repartition(len(rows), "slot").sortWithinPartitions("part")
        return Stored(self, table, [None] * len(rows), Loading(load))

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
                    f"Spark could not {what} the parts: {cause(error)}.",
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
