"""Read: a table of people becomes rows of integer codes, and columns with domains.

The engine gives the table in chunks (memory: one chunk). Each chunk is coded by its own values; the values of all
chunks together give the domains; then the chunks are recoded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from voile.engines.base import Engine, Source
from voile.engines.chunked_rows import ChunkedRows
from voile.engines.person_rows import PersonRows, spread_people
from voile.engines.selection import engine_of_table
from voile.errors import DataError, SpecError, option, raise_together
from voile.flow.prepare.prepare import PreparedTable
from voile.flow.read.chunk_coding import ChunkSummary, code_chunk, recode_and_store, recode_chunk
from voile.flow.read.column_coding import (
    build_column,
    check_lookalikes,
    check_missing_cells,
    check_near_unique,
    list_grouped_columns,
)
from voile.flow.read.merged_values import check_conversions, list_variants, merge_spellings, merge_values_of_chunks
from voile.flow.read.people_counting import check_people_named, find_unit
from voile.flow.read.tail_bounds import bound_tails, check_people_in_tails
from voile.io.conversions.encodings import AUTO
from voile.models.personalized.guarding import GuardedColumn, build_guard, check_one_row_each
from voile.tables.automatic_hierarchies.completion import complete_hierarchies
from voile.tables.domain import Domain, encode_values
from voile.tables.microdata import PUBLIC_KEY, Microdata, WeightedRows, weigh_codes
from voile.tables.part_protocol import Parts
from voile.tables.partition_tree import LARGEST_PART
from voile.tables.row_protocol import PersonTable, Table
from voile.tables.schema import Column, Columns, Schema
from voile.tables.unit import Unit
from voile.tables.value_variants import hide_cells

RECODED_ONCE = 8 * LARGEST_PART  # people: a larger table is cut so often that its recoded chunks are kept


def read(
    source: Any,
    schema: Schema,
    *,
    query: str | None = None,
    delimiter: str | None = None,
    encoding: str = AUTO,
    null_values: Sequence[str] = (),
    convert: Mapping[str, str] | None = None,
    sheet: str | int | None = None,
    merge: Sequence[str] = (),
    engine: Engine | None = None,
) -> Microdata:
    """Read a table of people: a path, a polars, pandas, Arrow or Spark table, what `prepare` returns, or a database URL
    with a `query`.

    Columns of a CSV are read as the dates and numbers that they hold, also with the day first or a decimal comma.
    `convert` says otherwise, by column (`{"birth": "day-first", "code": "text"}`), and decides where two readings fit.
    `sheet` names a sheet of a workbook, or gives its number. `merge` lists columns in which values that differ only in
    case and blanks become one. `Microdata.reading` and `Microdata.variants` tell what was converted, and what could be
    merged.

    `engine` says where the rows lie: in memory, or, for larger tables, on disk (`Disk()`) or on a cluster (`Spark()`).
    A Spark table stays where it is.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [31, 34, 31], "disease": ["flu", "HIV", "flu"]})
    >>> read(frame, Schema(quasi=["age"], sensitive=["disease"]))
    Microdata(3 rows; 1 quasi, 1 sensitive, 0 other)
    """
    if isinstance(source, PreparedTable):
        _refuse_other_engine(source, engine)
        Source(None, convert=convert or {}).refuse_unused_convert()
        frames = source.open_chunks(schema)
        data = _read_chunks(frames, Source(None, record=source.reading), schema, merge, source.engine)
        return replace(data, prepared=source.steps)
    engine = engine or engine_of_table(source)
    table_source = Source(source, query, delimiter, encoding, null_values, convert or {}, sheet=sheet)
    table_source.refuse_unused_convert()
    return _read_chunks(engine.read(table_source, schema), table_source, schema, merge, engine)


def _refuse_other_engine(prepared: PreparedTable, engine: Engine | None) -> None:
    if engine is not None and engine.name != prepared.engine.name:
        raise SpecError(
            f"The table was prepared on the engine {prepared.engine.name!r}, not on {engine.name!r}.",
            code="spec.engine",
            hint="Give the same engine to prepare and to read.",
        )


def _read_chunks(frames: Parts, source: Source, schema: Schema, merge: Sequence[str], engine: Engine) -> Microdata:
    """Code a table that is given in chunks, and put its rows together; `source` says how its text was understood."""
    check_conversions(source, schema, merge)
    schema = _group_postcodes(schema, source)
    coded = frames.map("look", code_chunk, schema)
    summaries: list[ChunkSummary] = coded.summaries
    total, dropped = _count_rows(summaries, schema)
    named = {name: sum(one.named[name] for one in summaries) for name in summaries[0].named}
    unit = find_unit(coded, named, total, schema)
    values = {name: merge_values_of_chunks([one.values[name] for one in summaries]) for name in summaries[0].values}
    variants = list_variants(values, schema)
    coded, values = merge_spellings(coded, values, variants, merge)
    coded, values, schema = bound_tails(coded, values, schema)
    check_near_unique(values, schema)
    columns = _build_columns(values, schema)
    domains = {column.name: column.domain for column in columns}
    withheld = _weigh_rows(coded, domains, values, unit, schema, engine)
    guards = tuple(build_guard(name, values[name], columns[target]) for target, name in schema.guarding.items())
    columns = replace(columns, guards=guards, quasi_sets=schema.ordered_sets())
    if schema.person is not None:
        people = _with_people(coded, domains, total, engine, guards)
        check_one_row_each(schema.guarding, people.total, people.people)
        check_people_in_tails(schema, people.total, people.people)
        data = Microdata(columns, None, dropped, unit, people, withheld, schema.missing)
    else:
        table = _without_people(coded, domains, values, total, engine, guards)
        data = Microdata(columns, table, dropped, unit, None, withheld, schema.missing)
    grouped = list_grouped_columns(columns, schema)
    if grouped:
        data = replace(data, columns=complete_hierarchies(columns, data.rows, grouped))
    unmerged = hide_cells([one for one in variants if one.column not in merge], schema.names())
    return replace(data, reading=source.record, variants=tuple(unmerged))


def _group_postcodes(schema: Schema, source: Source) -> Schema:
    """Give postcodes that were whole numbers a hierarchy by their first digits, unless the schema has another one."""
    kept = [reading.column for reading in source.record.columns if reading.keeps_postcodes]
    named = {
        name: "auto" for name in kept if name in schema.quasi and schema.kinds.get(name, "categorical") != "numeric"
    }
    return replace(schema, hierarchies={**named, **schema.hierarchies}) if named else schema


def _count_rows(summaries: Sequence[ChunkSummary], schema: Schema) -> tuple[int, int]:
    """Return how many rows are read and how many are dropped; DataError where none is left."""
    rows, total = sum(one.rows for one in summaries), sum(one.complete for one in summaries)
    if not rows:
        raise DataError("The table has no rows.", code="data.no-rows", hint="Check the file or the query.")
    missing = {name: sum(one.missing[name] for one in summaries) for name in summaries[0].missing}
    check_people_named(missing, schema)
    check_missing_cells({name: count for name, count in missing.items() if name != schema.person}, schema)
    if not total:
        raise DataError(
            "Every row has a missing cell.",
            code="data.no-rows",
            hint=f"Treat missing as a value of its own ({option('missing', 'value')}), or name fewer columns.",
        )
    return total, rows - total


def _build_columns(values: Mapping[str, pl.DataFrame], schema: Schema) -> Columns:
    """Build the columns of a schema; what is wrong with them is raised together."""
    columns: list[Column] = []
    problems: list[SpecError] = []
    for name in schema.names():
        try:
            columns.append(build_column(name, values[name], schema))
        except SpecError as error:
            problems.append(error)
    raise_together(problems)
    for column in columns:
        check_lookalikes(column)
    by_role: dict[str, Any] = {
        role: tuple(c for c in columns if c.role == role) for role in ("quasi", "sensitive", "other")
    }
    return Columns(**by_role)


def _weigh_rows(
    coded: Parts,
    domains: Mapping[str, Domain],
    values: Mapping[str, pl.DataFrame],
    unit: Unit,
    schema: Schema,
    engine: Engine,
) -> WeightedRows | None:
    """Return the rows with a survey weight that is withheld, to measure with; None if there is none."""
    if schema.weight is None or not schema.withhold_weight:
        return None
    domain = build_column(schema.weight, values[schema.weight], schema).domain
    domains = {**domains, schema.weight: domain}
    total = int(values[schema.weight]["count"].sum())
    if schema.person is not None:
        rows = _with_people(coded, domains, total, engine).draw(unit.rows, PUBLIC_KEY)
    else:
        rows = _without_people(coded, domains, values, total, engine)
    return WeightedRows(rows, schema.weight, weigh_codes(domain))


def _with_people(
    coded: Parts, domains: Mapping[str, Domain], total: int, engine: Engine, guards: tuple[GuardedColumn, ...] = ()
) -> PersonTable:
    if engine.in_memory:
        (rows,) = coded.map_lazily(recode_chunk, domains, guards)
        return rows  # type: ignore[no-any-return]  # parts are of any type
    names, sizes = _names_and_sizes(domains, guards)
    columns = tuple(np.zeros(0, dtype=np.uint8) for _ in names)
    empty = PersonRows(names, sizes, columns, np.zeros(0, dtype=np.uint64))
    return spread_people(coded.map_lazily(recode_chunk, domains, guards), total, engine.row_limit(len(names)), empty)


def _names_and_sizes(
    domains: Mapping[str, Domain], guards: tuple[GuardedColumn, ...]
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the columns of the rows, and how many codes each has."""
    sizes = {name: max(domain.size, 1) for name, domain in domains.items()}
    sizes |= {guard.name: max(guard.size, 1) for guard in guards}
    return tuple(sizes), tuple(sizes.values())


def _without_people(
    coded: Parts,
    domains: Mapping[str, Domain],
    values: Mapping[str, pl.DataFrame],
    total: int,
    engine: Engine,
    guards: tuple[GuardedColumn, ...] = (),
) -> Table:
    if engine.in_memory:
        (rows,) = coded.map_lazily(recode_chunk, domains, guards)
        return rows  # type: ignore[no-any-return]  # parts are of any type
    names, sizes = _names_and_sizes(domains, guards)
    margins = {}
    for (name, domain), size in zip(domains.items(), sizes, strict=False):  # pairs have no margin: see the guards
        codes, counts = encode_values(domain, values[name]["value"]), values[name]["count"].to_numpy()
        margins[name] = np.bincount(codes, counts, size).astype(np.int64)
    # a table that will be cut often is recoded once, a smaller one whenever it is needed
    often = total > RECODED_ONCE
    if often:
        chunks = coded.map("code", recode_and_store, domains, guards)
    else:
        chunks = coded.map_lazily(recode_chunk, domains, guards)
    return ChunkedRows(names, sizes, chunks, total, engine.row_limit(len(names)), margins)
