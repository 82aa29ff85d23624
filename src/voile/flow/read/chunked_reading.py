"""Reading a table that lies in chunks: what its columns hold is found chunk by chunk, then every chunk is coded."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from voile.engines.chunked_rows import ChunkedRows, chunk, recoded
from voile.engines.disk import Disk
from voile.engines.memory import MemoryRows
from voile.engines.spark import Spark
from voile.errors import DataError, EngineError, SpecError, raise_together
from voile.flow.read.column_coding import column_of, missing_cells, nothing_left
from voile.io import table_files
from voile.io.csv_faults import unreadable_csv
from voile.io.csv_types import cast_text, common_type, possible_types
from voile.tables.domain import Domain, encode_column, encode_values
from voile.tables.microdata import Microdata
from voile.tables.part_protocol import Parts
from voile.tables.partition_tree import LARGEST_PART
from voile.tables.schema import Columns, Schema

OFTEN = 8
Types = Mapping[str, str]
Engine = Disk | Spark


@dataclass(frozen=True, eq=False)
class Seen:
    """What one chunk holds: its rows, those that are kept, missing cells, and how often each value occurs."""

    rows: int
    kept: int
    missing: Mapping[str, int]
    values: Mapping[str, pl.DataFrame]


@dataclass(frozen=True, eq=False)
class Coded:
    """The rows of a chunk, and the value that each of its own codes stands for."""

    rows: MemoryRows
    values: Mapping[str, pl.Series]


def engine_for(source: Any, told: Mapping[str, str], watch: Any = None) -> Engine | None:
    """The engine that was asked for (engine, memory, master, scratch); None for memory. `auto`, the default, takes disk
    for a file or a release folder that memory would not hold."""
    name = told.get("engine", "spark" if "master" in told else "auto")
    knobs = {key: told[key] for key in ("memory",) if key in told}
    if name not in ("auto", "local", "disk", "spark"):
        raise SpecError(f"There is no engine {name!r}.", code="spec.engine", hint="Use auto, local, disk or spark.")
    unused = {"master": name != "spark", "scratch": name not in ("disk", "auto"), "memory": name == "local"}
    wrong = [key for key, odd in unused.items() if odd and key in told]
    if wrong:
        raise SpecError(
            f"The engine {name} takes no {' and no '.join(wrong)}.", code="spec.engine", hint="Leave it out."
        )
    if name == "spark":
        return Spark(master=told.get("master"), watch=watch, **knobs)
    disk = Disk(scratch=told.get("scratch"), watch=watch, **knobs)
    if name == "disk":
        return disk
    allowed = disk.allowed if "memory" in told else int(0.6 * _machine())
    return disk if name == "auto" and _needed(source) > allowed else None


def _machine() -> int:
    """The memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _needed(source: Any) -> int:
    """About how much memory a file or a release folder would take."""
    path = Path(source) if isinstance(source, (str, Path)) else None
    if path is None or not path.exists():
        return 0
    files = [path] if path.is_file() else [found for found in path.iterdir() if found.is_file()]
    return sum(found.stat().st_size * (3 if found.suffix == ".csv" else 12) for found in files)


def read_at(
    engine: Engine,
    source: Any,
    schema: Schema,
    query: str | None,
    delimiter: str | None,
    encoding: str,
    null_values: Sequence[str],
) -> Microdata:
    """A table that an engine reads."""
    path = Path(source) if isinstance(source, (str, Path)) else None
    if query is not None or (path is None and not is_spark(source)) or (is_spark(source) and isinstance(engine, Disk)):
        raise EngineError(
            f"The engine {type(engine).__name__} does not read {'a query' if query else type(source).__name__}.",
            code="engine.source",
            hint="Give it the path of a file (and Spark a Spark DataFrame), or read it in memory.",
        )
    most = engine.most(len(schema.names()))
    if isinstance(engine, Spark):
        frames, texts = engine.frames(source, schema.read_names(), schema.check, delimiter, encoding)
        return read_chunks(frames, schema, most, texts=texts, nulls=null_values)
    assert path is not None
    schema.check(table_files.read_column_names(path, delimiter, encoding))
    table, texts = table_files.scan_file(path, schema.read_names(), delimiter, encoding, null_values)
    try:
        return read_chunks(engine.slices(table, copy=texts), schema, most, texts=texts)
    except pl.exceptions.PolarsError:
        raise (unreadable_csv if texts else table_files.corrupt_file)(path) from None


def is_spark(source: Any) -> bool:
    """Whether this is a Spark DataFrame, classic or over Spark Connect."""
    return type(source).__module__.startswith("pyspark.sql.") and type(source).__name__ == "DataFrame"


def read_chunks(
    frames: Parts, schema: Schema, most: int, *, texts: bool = False, nulls: Sequence[str] = ()
) -> Microdata:
    """A table from chunks of it. `most` is how many distinct rows may be brought here; `texts` says that the chunks are
    all text, whose types must be found first, and `nulls` are texts that mean a missing cell."""
    if schema.person is not None:
        raise EngineError(
            "People are followed from release to release in memory only.",
            code="engine.person",
            hint="Leave out the column of persons, or use the local engine.",
        )
    if texts and nulls:
        frames = frames.map("clean", cleaned, tuple(nulls))
    types = found_types(frames, schema) if texts else {}
    looked = frames.map("look", look, schema, types)
    seen: list[Seen] = looked.summaries
    if not sum(one.rows for one in seen):
        raise DataError("The table has no rows.", code="data.no-rows", hint="Check the file or the query.")
    missing_cells({name: sum(one.missing[name] for one in seen) for name in seen[0].missing}, schema)
    total = sum(one.kept for one in seen)
    if not total:
        raise nothing_left()
    problems: list[SpecError] = []
    columns, margins = [], {}
    for name in schema.names():
        try:
            table = _together([one.values[name] for one in seen])
            column, codes = column_of(name, table["value"], schema, table["count"].to_numpy())
        except SpecError as error:
            problems.append(error)
            continue
        columns.append(column)
        margins[name] = np.bincount(codes, table["count"].to_numpy(), max(column.size, 1)).astype(np.int64)
    raise_together(problems)
    domains = {column.name: column.domain for column in columns}
    # a table that will be cut often is coded once, another one whenever it is needed
    often = total > OFTEN * LARGEST_PART
    coded = looked.map("code", coded_rows, domains) if often else looked.map_lazily(code, domains)
    by_role = {role: tuple(c for c in columns if c.role == role) for role in ("quasi", "sensitive", "other")}
    sizes = tuple(max(column.size, 1) for column in columns)
    rows = ChunkedRows(tuple(schema.names()), sizes, coded, total, most, margins)
    return Microdata(Columns(**by_role), rows, sum(one.rows for one in seen) - total)


def _together(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The values of all chunks, and how often each occurs."""
    if any(table.schema["value"] != tables[0].schema["value"] for table in tables):
        tables = [table.with_columns(pl.col("value").cast(pl.String)) for table in tables]
    return pl.concat(tables).group_by("value").agg(pl.col("count").sum()).sort("value", nulls_last=True)


def look(frame: pl.DataFrame, number: int, schema: Schema, types: Types) -> tuple[Coded | None, Seen]:
    """What a chunk holds; and its rows, coded by what it holds itself."""
    ready = _ready(frame, schema, types)
    missing = {name: ready[name].null_count() for name in (*schema.quasi, *schema.sensitive)}
    kept = _kept(ready, schema)
    values, own, codes = {}, {}, []
    for name in schema.names():
        domain, code = encode_column(name, kept[name], "categorical", None)
        people = np.bincount(code, minlength=domain.size)
        own[name] = domain.decode(np.arange(domain.size))
        values[name] = pl.DataFrame({"value": own[name], "count": pl.Series(people, dtype=pl.Int64)})
        codes.append(code)
    seen = Seen(frame.height, kept.height, missing, values)
    return Coded(chunk(schema.names(), codes, [len(one) for one in own.values()]), own), seen


def code(coded: Coded, number: int, domains: Mapping[str, Domain]) -> MemoryRows:
    """The rows of a chunk in the codes of the whole table."""
    moved = {}
    for name, domain in domains.items():
        own = coded.values[name]
        same_type = domain.values.dtype if domain.values.dtype in (pl.String, pl.Enum) else own.dtype
        moved[name] = encode_values(domain, own.cast(same_type)).astype(np.int64)
    return recoded(coded.rows, number, moved, tuple(max(domains[name].size, 1) for name in coded.rows.names))


def cleaned(frame: pl.DataFrame, number: int, nulls: tuple[str, ...]) -> tuple[pl.DataFrame, None]:
    """A chunk of text without the texts that mean a missing cell."""
    return frame.with_columns(pl.when(pl.all().is_in(nulls)).then(None).otherwise(pl.all()).name.keep()), None


def coded_rows(coded: Coded, number: int, domains: Mapping[str, Domain]) -> tuple[MemoryRows, None]:
    return code(coded, number, domains), None


def _ready(frame: pl.DataFrame, schema: Schema, types: Types) -> pl.DataFrame:
    if types:
        frame = pl.DataFrame([cast_text(frame[name], kind) for name, kind in types.items()])
    floats = [name for name in frame.columns if frame[name].dtype.is_float()]
    return frame.with_columns(pl.col(floats).fill_nan(None)) if floats else frame


def _kept(frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    return frame.drop_nulls(subset=[*schema.quasi, *schema.sensitive]) if schema.missing == "drop" else frame


def found_types(frames: Parts, schema: Schema) -> dict[str, str]:
    """The narrowest type that reads every cell of a column, over all chunks."""
    told = frames.map("types", types_here, schema.names()).summaries
    return {name: common_type([one[name] for one in told]) for name in schema.names()}


def types_here(frame: pl.DataFrame, number: int, names: Sequence[str]) -> tuple[None, dict[str, Any]]:
    return None, {name: possible_types(frame[name]) for name in names}
