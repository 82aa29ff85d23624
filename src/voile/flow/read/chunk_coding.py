"""One chunk of a table: coded by its own values first, then by the domains of the whole table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from voile import kernels
from voile.engines.chunked_rows import recode_rows
from voile.engines.memory_rows import MemoryRows, build_rows
from voile.tables.domain import Domain, encode_column, encode_values
from voile.tables.microdata import PERSON
from voile.tables.schema import Schema


@dataclass(frozen=True, eq=False)
class ChunkSummary:
    """What a chunk holds: its rows, those without a missing cell that matters, the missing cells of each column, and
    how often each value of each column occurs."""

    rows: int
    complete: int
    missing: Mapping[str, int]
    values: Mapping[str, pl.DataFrame]


@dataclass(frozen=True, eq=False)
class CodedChunk:
    """The rows of a chunk, and the value that each of its own codes stands for."""

    rows: MemoryRows
    values: Mapping[str, pl.Series]


def code_chunk(frame: pl.DataFrame, number: int, schema: Schema) -> tuple[CodedChunk | None, ChunkSummary]:
    """Code the rows of a chunk by the values that it holds itself, and summarise it. A chunk with missing cells is not
    coded where they are an error."""
    floats = [name for name in frame.columns if frame[name].dtype.is_float()]
    frame = frame.with_columns(pl.col(floats).fill_nan(None)) if floats else frame
    needed = [*schema.quasi, *schema.sensitive]
    missing = {name: frame[name].null_count() for name in needed}
    if schema.missing == "error" and any(missing.values()):
        return None, ChunkSummary(frame.height, frame.height, missing, {})
    kept = frame.drop_nulls(subset=needed) if schema.missing == "drop" and any(missing.values()) else frame
    columns = {name: kept[name] for name in schema.names()}
    if schema.person is not None:
        columns[PERSON] = kept[schema.person].cast(pl.String)
    values, codes = {}, []
    for name, column in columns.items():
        domain, column_codes = encode_column(name, column, "categorical", None)
        values[name] = domain.decode(np.arange(domain.size)) if domain.missing else domain.values
        codes.append(column_codes)
    rows = build_rows(list(columns), codes, [len(own) for own in values.values()])
    counts = kernels.column_codes.count_codes(rows.codes, rows.sizes, rows.weights)
    tables = {
        name: pl.DataFrame({"value": own, "count": pl.Series(people[: len(own)], dtype=pl.Int64)})
        for (name, own), people in zip(values.items(), counts, strict=True)
    }
    return CodedChunk(rows, values), ChunkSummary(frame.height, kept.height, missing, tables)


def recode_chunk(chunk: CodedChunk, number: int, domains: Mapping[str, Domain]) -> MemoryRows:
    """Recode the rows of a chunk by the domains of the whole table."""
    code_maps = {}
    for name, domain in domains.items():
        own, dtype = chunk.values[name], domain.values.dtype
        if len(own) == domain.size and own.dtype == dtype and not domain.declared:
            continue  # the same values in the same order: every code stays
        same_type = own.cast(dtype) if dtype in (pl.String, pl.Enum) else own
        code_maps[name] = encode_values(domain, same_type).astype(np.int64)
    sizes = tuple(max(domains[name].size, 1) for name in chunk.rows.names)
    return recode_rows(chunk.rows, number, code_maps, sizes) if code_maps else chunk.rows


def recode_and_store(chunk: CodedChunk, number: int, domains: Mapping[str, Domain]) -> tuple[MemoryRows, None]:
    """Recode the rows of a chunk, as work whose results an engine keeps."""
    return recode_chunk(chunk, number, domains), None
