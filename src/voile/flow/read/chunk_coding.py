"""One chunk of a table: coded by its own values first, then by the domains of the whole table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from voile import kernels
from voile.engines.chunked_rows import recode_rows
from voile.engines.memory_rows import MemoryRows, build_rows
from voile.engines.person_rows import PersonRows, hash_people, write_names
from voile.tables.domain import Domain, encode_column, encode_values
from voile.tables.schema import Schema


@dataclass(frozen=True, eq=False)
class ChunkSummary:
    """What a chunk holds: its rows, those without a missing cell that matters, the missing cells of each column, how
    often each value of each column occurs, and how many rows have each identifier."""

    rows: int
    complete: int
    missing: Mapping[str, int]
    values: Mapping[str, pl.DataFrame]
    named: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class CodedChunk:
    """The rows of a chunk, the value that each of its own codes stands for, and the hashes of its identifiers, which
    tell whether a person may have several rows."""

    rows: MemoryRows | PersonRows
    values: Mapping[str, pl.Series]
    identifiers: Mapping[str, np.ndarray] = field(default_factory=dict)


def code_chunk(frame: pl.DataFrame, number: int, schema: Schema) -> tuple[CodedChunk | None, ChunkSummary]:
    """Code the rows of a chunk by the values that it holds itself, and summarise it. A chunk with missing cells is not
    coded where they are an error."""
    floats = [name for name in frame.columns if frame[name].dtype.is_float()]
    frame = frame.with_columns(pl.col(floats).fill_nan(None)) if floats else frame
    needed = [*schema.quasi, *schema.sensitive, *(name for name in (schema.weight, schema.person) if name is not None)]
    missing = {name: frame[name].null_count() for name in needed}
    nobody = schema.person is not None and missing[schema.person] > 0
    if schema.missing != "drop" and (nobody or (schema.missing == "error" and any(missing.values()))):
        return None, ChunkSummary(frame.height, frame.height, missing, {})
    kept = frame.drop_nulls(subset=needed) if schema.missing == "drop" and any(missing.values()) else frame
    values, codes = {}, []
    names = schema.coded_names()
    for name in names:
        domain, column_codes = encode_column(name, kept[name], "categorical", None)
        values[name] = domain.decode(np.arange(domain.size)) if domain.missing else domain.values
        codes.append(column_codes)
    sizes = [max(len(own), 1) for own in values.values()]
    counts: list[np.ndarray]
    rows: MemoryRows | PersonRows
    if schema.person is not None:
        people = write_names(kept[schema.person])
        rows = PersonRows(names, tuple(sizes), tuple(codes), hash_people(people))
        counts = [np.bincount(column, minlength=size) for column, size in zip(codes, sizes, strict=True)]
    else:
        rows = build_rows(names, codes, sizes)
        counts = kernels.column_codes.count_codes(rows.codes, rows.sizes, rows.weights)
    tables = {
        name: pl.DataFrame({"value": own, "count": pl.Series(people[: len(own)], dtype=pl.Int64)})
        for (name, own), people in zip(values.items(), counts, strict=True)
    }
    identifiers = {name: hash_people(kept[name].drop_nulls()) for name in schema.compared_identifiers()}
    named = {name: len(hashes) for name, hashes in identifiers.items()}
    return CodedChunk(rows, values, identifiers), ChunkSummary(frame.height, kept.height, missing, tables, named)


def recode_chunk(chunk: CodedChunk, number: int, domains: Mapping[str, Domain]) -> MemoryRows | PersonRows:
    """Recode the rows of a chunk by the domains of the whole table; columns without a domain are left out."""
    code_maps = {}
    for name, domain in domains.items():
        own, dtype = chunk.values[name], domain.values.dtype
        if len(own) == domain.size and own.dtype == dtype and not domain.declared:
            continue  # the same values in the same order: every code stays
        same_type = own.cast(dtype) if dtype in (pl.String, pl.Enum) else own
        code_maps[name] = encode_values(domain, same_type).astype(np.int64)
    rows = select_columns(chunk.rows, tuple(domains))
    sizes = tuple(max(domains[name].size, 1) for name in rows.names)
    if isinstance(rows, PersonRows):
        return rows.recode(code_maps, sizes)
    return recode_rows(rows, number, code_maps, sizes) if code_maps else rows


def select_columns(rows: MemoryRows | PersonRows, names: tuple[str, ...]) -> MemoryRows | PersonRows:
    """Keep the first columns of rows, which `names` lists."""
    if names == rows.names:
        return rows
    width = len(names)
    assert names == rows.names[:width], "only a withheld weight is left out, and it is the last column"
    if isinstance(rows, PersonRows):
        return replace(rows, names=names, sizes=rows.sizes[:width], columns=rows.columns[:width])
    table = rows.histogram(names)
    return replace(rows, names=names, sizes=rows.sizes[:width], codes=table.codes, weights=table.counts)


def recode_and_store(
    chunk: CodedChunk, number: int, domains: Mapping[str, Domain]
) -> tuple[MemoryRows | PersonRows, None]:
    """Recode the rows of a chunk, as work whose results an engine keeps."""
    return recode_chunk(chunk, number, domains), None
