"""One chunk of a table: coded by its own values first, then by the domains of the whole table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from voile import kernels
from voile.engines.chunked_rows import recode_rows
from voile.engines.memory_rows import MemoryRows, build_rows
from voile.engines.person_rows import PersonRows, hash_people, write_names
from voile.models.personalized.guarding import GuardedColumn
from voile.tables.domain import Domain, encode_column, encode_values
from voile.tables.schema import Schema
from voile.tables.steering.steer import Steer
from voile.tables.steering.value_coding import code_values
from voile.tables.value_variants import merge_values


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
        coded = code_values(name, kept[name], schema.steer(name))
        domain, column_codes = encode_column(name, coded, "categorical", None)
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


def merge_variants(chunk: CodedChunk, number: int, mappings: Mapping[str, Mapping[str, str]]) -> CodedChunk:
    """Let the codes of variants stand for the spelling that they are merged into."""
    values = {name: merge_values(own, mappings.get(name, {})) for name, own in chunk.values.items()}
    return replace(chunk, values=values)


def clip_chunk(chunk: CodedChunk, number: int, bounds: Mapping[str, Steer]) -> CodedChunk:
    """Let the codes of values beyond a bound stand for the bound."""
    values = {name: code_values(name, own, bounds.get(name)) for name, own in chunk.values.items()}
    return replace(chunk, values=values)


def recode_chunk(
    chunk: CodedChunk, number: int, domains: Mapping[str, Domain], guards: Sequence[GuardedColumn] = ()
) -> MemoryRows | PersonRows:
    """Recode the rows of a chunk by the domains of the whole table; columns without a domain are left out. Guarding
    nodes become pairs of a value and a wish."""
    code_maps = {}
    for name, domain in domains.items():
        own, dtype = chunk.values[name], domain.values.dtype
        if len(own) == domain.size and own.dtype == dtype and not domain.declared and _rises(own):
            continue  # the same values in the same order: every code stays
        same_type = own.cast(dtype) if dtype in (pl.String, pl.Enum) else own
        code_maps[name] = encode_values(domain, same_type).astype(np.int64)
    code_maps |= {guard.name: guard.number_wishes(chunk.values[guard.name]) for guard in guards}
    rows = select_columns(chunk.rows, (*domains, *(guard.name for guard in guards)))
    sizes = (*(max(domain.size, 1) for domain in domains.values()), *(len(guard.covers) for guard in guards))
    if isinstance(rows, PersonRows):
        return pair_people(rows.recode(code_maps, sizes), guards)
    return pair_rows(recode_rows(rows, number, code_maps, sizes) if code_maps else rows, guards)


def _rises(own: pl.Series) -> bool:
    """Whether the values of a chunk are different and in order, as they are unless some were merged."""
    return own.n_unique() == len(own) and (own.dtype != pl.String or own.is_sorted(nulls_last=True))


def select_columns(rows: MemoryRows | PersonRows, names: tuple[str, ...]) -> MemoryRows | PersonRows:
    """Keep some columns of rows, in the order in which they are."""
    if names == rows.names:
        return rows
    places = [rows.names.index(name) for name in names]
    sizes = tuple(rows.sizes[place] for place in places)
    if isinstance(rows, PersonRows):
        return replace(rows, names=names, sizes=sizes, columns=tuple(rows.columns[place] for place in places))
    table = rows.histogram(names)
    return replace(rows, names=names, sizes=sizes, codes=table.codes, weights=table.counts)


def pair_rows(rows: MemoryRows, guards: Sequence[GuardedColumn]) -> MemoryRows:
    """Turn each wish into the pair of its person's value and the wish. The value stands before the wish, so the rows
    rise as before."""
    if not guards:
        return rows
    pairs = _pair_codes(rows.names, [rows.codes[:, place] for place in range(len(rows.names))], guards)
    sizes = _pair_sizes(rows, guards)
    codes = rows.codes.astype(kernels.packed_keys.narrowest_type(sizes))
    for name, pair in pairs.items():
        codes[:, rows.names.index(name)] = pair
    return replace(rows, codes=codes, sizes=sizes)


def pair_people(rows: PersonRows, guards: Sequence[GuardedColumn]) -> PersonRows:
    """Turn each wish of the rows of people into the pair of their value and the wish."""
    pairs, sizes = _pair_codes(rows.names, rows.columns, guards), _pair_sizes(rows, guards)
    columns = tuple(
        pairs[name].astype(kernels.packed_keys.narrowest_type([size])) if name in pairs else column
        for name, column, size in zip(rows.names, rows.columns, sizes, strict=True)
    )
    return replace(rows, columns=columns, sizes=sizes)


def _pair_codes(
    names: Sequence[str], columns: Sequence[np.ndarray], guards: Sequence[GuardedColumn]
) -> dict[str, np.ndarray]:
    """Return the pairs of each column of guarding nodes, from the codes of the values and of the wishes."""
    by_name = dict(zip(names, columns, strict=True))
    return {
        guard.name: by_name[guard.target.name].astype(np.int64) * len(guard.covers) + by_name[guard.name]
        for guard in guards
    }


def _pair_sizes(rows: MemoryRows | PersonRows, guards: Sequence[GuardedColumn]) -> tuple[int, ...]:
    paired = {guard.name: max(guard.size, 1) for guard in guards}
    return tuple(paired.get(name, size) for name, size in zip(rows.names, rows.sizes, strict=True))


def recode_and_store(
    chunk: CodedChunk, number: int, domains: Mapping[str, Domain], guards: Sequence[GuardedColumn] = ()
) -> tuple[MemoryRows | PersonRows, None]:
    """Recode the rows of a chunk, as work whose results an engine keeps."""
    return recode_chunk(chunk, number, domains, guards), None
