"""The values of all chunks together: how often each occurs, which are spellings of one, and what is merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from voile.engines.base import Source
from voile.errors import SchemaError, option, raise_together
from voile.flow.read.chunk_coding import merge_variants
from voile.io.conversions.column_readings import refuse_questions
from voile.tables.part_protocol import Parts
from voile.tables.schema import Schema, suggest_name
from voile.tables.value_variants import Variants, find_variants, map_variants, merge_values


def check_conversions(source: Source, schema: Schema, merge: Sequence[str]) -> None:
    """Refuse a published column that can be read in two ways, and requests about columns that are not read."""
    published = schema.coded_names()
    raise_together(
        SchemaError(
            f"{option(what)} names {name!r}, which is not read.",
            code="schema.unknown-column",
            hint=suggest_name(name, published),
        )
        for what, names, known in (
            ("convert", source.convert, (*schema.identifier, *schema.read_names())),
            ("merge", merge, published),
        )
        for name in names
        if name not in known
    )
    refuse_questions([reading for reading in source.record.columns if reading.column in published])


def merge_values_of_chunks(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the values of all chunks, and how often each occurs."""
    if len(tables) == 1:
        return tables[0]
    if any(table.schema["value"] != tables[0].schema["value"] for table in tables):
        tables = [table.with_columns(pl.col("value").cast(pl.String)) for table in tables]
    return pl.concat(tables).group_by("value").agg(pl.col("count").sum()).sort("value", nulls_last=True)


def list_variants(values: Mapping[str, pl.DataFrame], schema: Schema) -> list[Variants]:
    """List the variants of categories in the columns that may be published."""
    return [
        one
        for name in schema.names()
        for one in find_variants(name, values[name]["value"], values[name]["count"].to_list())
    ]


def merge_spellings(
    coded: Parts, values: Mapping[str, pl.DataFrame], variants: Sequence[Variants], merge: Sequence[str]
) -> tuple[Parts, dict[str, pl.DataFrame]]:
    """Merge the variants of some columns, in the values and in the chunks."""
    mappings = {name: map_variants([one for one in variants if one.column == name]) for name in merge}
    mappings = {name: mapping for name, mapping in mappings.items() if mapping}
    if not mappings:
        return coded, dict(values)
    merged = dict(values)
    for name, mapping in mappings.items():
        table = values[name].with_columns(merge_values(values[name]["value"], mapping).alias("value"))
        merged[name] = table.group_by("value").agg(pl.col("count").sum()).sort("value", nulls_last=True)
    return coded.map_lazily(merge_variants, mappings), merged
