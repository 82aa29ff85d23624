"""The Spark engine: how it reads a table, and the parts that it holds."""

from __future__ import annotations

import codecs
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from voile.engines.base import NOT_A_KNOB, Engine, Source, count_rows_that_fit, parse_memory
from voile.engines.spark.runner import PART, SCHEMA, Runner
from voile.engines.spark.session import name_cause, start_session
from voile.engines.spark.spark_parts import FrameChunks, LoadItem, StoredParts
from voile.engines.text_chunks import cast_chunks
from voile.errors import DataError, EngineError
from voile.tables.part_protocol import Parts
from voile.tables.schema import Schema


@dataclass(frozen=True, eq=False)
class Spark(Engine):
    """An engine on Spark: a running `session`, or the URL of a `master` (spark://..., yarn, k8s://..., local[2], or
    sc://... for Spark Connect). `memory` is about how much the driver may use for counts; `watch` is called with
    (stage, parts done, parts in all).

    voile must be installed where the workers run.
    """

    name: ClassVar[str] = "spark"

    master: str | None = None
    session: Any = field(default=None, metadata=NOT_A_KNOB)
    memory: str = "4GiB"

    def __post_init__(self) -> None:
        parse_memory(self.memory)

    @classmethod
    def of_table(cls, table: Any) -> Spark | None:
        """Return the engine of a Spark DataFrame, classic or over Spark Connect."""
        is_spark = type(table).__module__.startswith("pyspark.sql.") and type(table).__name__ == "DataFrame"
        return cls(session=table.sparkSession) if is_spark else None

    @cached_property
    def spark(self) -> Any:
        """The session."""
        return self.session if self.session is not None else start_session(self.master or "local[*]")

    @cached_property
    def runner(self) -> Runner:
        return Runner(self.spark, self.watch)

    def read(self, source: Source, schema: Schema) -> Parts:
        """Read a DataFrame, or a Parquet or CSV file that the cluster can read."""
        path, table, is_text = source.path, source.table, False
        if path is not None:
            is_text = path.suffix.lower() in (".csv", ".tsv", ".txt")
            table = self._open_file(path, source, is_text)
        elif source.query is not None or self.of_table(table) is None:
            raise self.refusal(source)
        schema.check(table.columns)
        names = schema.read_names()
        chunks = FrameChunks(self.runner, table.select([f"`{name}`" for name in names]))
        return cast_chunks(chunks, names, source.null_values) if is_text else chunks

    def _open_file(self, path: Path, source: Source, is_text: bool) -> Any:
        kind, reader = path.suffix.lower(), self.spark.read
        url = path.absolute().as_uri() if path.exists() else str(source.table)
        options = {"header": "true", "sep": source.delimiter or ("\t" if kind == ".tsv" else ","), "mode": "FAILFAST"}
        options |= {"ignoreLeadingWhiteSpace": "true", "ignoreTrailingWhiteSpace": "true", "quote": '"'}
        options |= {"escape": '"', "multiLine": "true"}
        if is_text:
            options["encoding"] = _java_encoding(source.encoding)
        elif kind not in (".parquet", ".pq", ""):
            raise _unreadable(path, f"it ends in {kind!r}")
        try:
            return reader.options(**options).csv(url) if is_text else reader.parquet(url)
        except Exception as error:
            raise _unreadable(path, name_cause(error)) from None

    def list_parts(self, items: Sequence[Any], load: Callable[[Any], Any]) -> Parts:
        slots = self.runner.find_slots(len(items))
        rows = [(number, PART, slots[number], pickle.dumps(item, protocol=5)) for number, item in enumerate(items)]
        table = self.spark.createDataFrame(rows, SCHEMA).repartition(len(rows), "slot").sortWithinPartitions("part")
        return StoredParts(self.runner, table, [None] * len(rows), LoadItem(load))

    def row_limit(self, columns: int) -> int:
        return count_rows_that_fit(parse_memory(self.memory), columns)


def _java_encoding(encoding: str) -> str:
    """Return the name of an encoding as Java knows it."""
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise DataError(f"There is no encoding {encoding!r}.", code="data.encoding", hint="E.g. latin-1.") from None


def _unreadable(path: Path, reason: str) -> EngineError:
    return EngineError(
        f"Spark cannot read {path.name!r} ({reason}).",
        code="engine.source",
        hint="Name a Parquet or CSV file that the driver and all workers see.",
    )
