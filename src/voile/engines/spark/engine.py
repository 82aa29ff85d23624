"""The Spark engine: how it reads a table, and the parts that it holds."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from voile.engines.base import CHUNK_ROWS, NOT_A_KNOB, Engine, Source, count_rows_that_fit, parse_memory
from voile.engines.memory import load_frame
from voile.engines.spark.runner import PART, SCHEMA, Runner
from voile.engines.spark.session import name_cause, start_session
from voile.engines.spark.spark_parts import FrameChunks, LoadItem, StoredParts
from voile.engines.text_chunks import cast_chunks
from voile.errors import EngineError
from voile.io.csv_faults import unreadable_csv
from voile.io.csv_files import inspect_csv
from voile.io.csv_ranges import RangeReader, list_ranges
from voile.io.databases import parse_scheme
from voile.io.table_files import FILE_KINDS, check_file
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

    master: str | None = field(default=None, repr=False)  # its URL may hold a password
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
        """Read a DataFrame, a Parquet file that the cluster can read, or a CSV that the driver can read too."""
        path, table = source.path, source.table
        if path is not None and FILE_KINDS.get(path.suffix.lower()) == "csv":
            return self._read_csv(path, source, schema)
        if path is not None and FILE_KINDS.get(path.suffix.lower()) == "labelled":
            return self._convert_file(path, source, schema)
        if path is not None:
            table = self._open_parquet(path, source)
        elif source.query is not None or self.of_table(table) is None:
            raise self.refusal(source)
        schema.check(table.columns)
        return FrameChunks(self.runner, table.select([_quote_name(name) for name in schema.read_names()]))

    def _read_csv(self, path: Path, source: Source, schema: Schema) -> Parts:
        """Read a CSV that this process has inspected. Workers parse ranges of it as this process would: Spark's own
        parser ends lines and trims cells by other rules, and quotes cells in its logs."""
        if parse_scheme(str(source.table)):
            raise EngineError(
                f"Spark reads {path.name!r}, but this process cannot check its lines there.",
                code="engine.source",
                hint="Name a CSV by a path that the driver and all workers see, or write the table as Parquet.",
            )
        check_file(path)
        inspected = inspect_csv(path, source.how, schema.check)
        names, blank = schema.read_names(), inspected.scan.has_blank_lines
        reader = RangeReader(inspected.names, names, inspected.delimiter, source.null_values, blank)
        chunks = self.list_parts(list_ranges(path, inspected), reader)
        return cast_chunks(chunks, names, inspected, source.how, unreadable_csv(path))

    def _convert_file(self, path: Path, source: Source, schema: Schema) -> Parts:
        """Read a workbook or a file of a statistics program here, since no worker can, and send it in chunks."""
        frame = load_frame(source, schema)
        chunks = [frame.slice(start, CHUNK_ROWS) for start in range(0, max(frame.height, 1), CHUNK_ROWS)]
        return self.list_parts(chunks, _keep_chunk)

    def _open_parquet(self, path: Path, source: Source) -> Any:
        kind = path.suffix.lower()
        if kind not in (".parquet", ".pq", ""):
            raise _unreadable(path, f"it ends in {kind!r}")
        session = self.spark  # where there is none, its own error says what is missing
        try:
            return session.read.parquet(path.absolute().as_uri() if path.exists() else str(source.table))
        except Exception as error:
            raise _unreadable(path, name_cause(error)) from None

    def list_parts(self, items: Sequence[Any], load: Callable[[Any], Any]) -> Parts:
        slots = self.runner.find_slots(len(items))
        rows = [(number, PART, slots[number], pickle.dumps(item, protocol=5)) for number, item in enumerate(items)]
        table = self.spark.createDataFrame(rows, SCHEMA).repartition(len(rows), "slot").sortWithinPartitions("part")
        return StoredParts(self.runner, table, [None] * len(rows), LoadItem(load))

    def row_limit(self, columns: int) -> int:
        return count_rows_that_fit(parse_memory(self.memory), columns)


def _keep_chunk(frame: Any) -> Any:
    return frame


def _quote_name(name: str) -> str:
    """Write the name of a column in Spark's SQL."""
    return "`" + name.replace("`", "``") + "`"


def _unreadable(path: Path, reason: str) -> EngineError:
    return EngineError(
        f"Spark cannot read {path.name!r} ({reason}).",
        code="engine.source",
        hint="Name a Parquet or CSV file that the driver and all workers see.",
    )
