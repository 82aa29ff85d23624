"""Chunks of a CSV, whose cells are all text: each column gets the narrowest type that reads all of its cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from voile.io.csv_types import cast_text, common_type, possible_types
from voile.tables.part_protocol import Parts


def cast_chunks(chunks: Parts, columns: Sequence[str], null_values: Sequence[str] = ()) -> Parts:
    """Cast columns of text to their types, chunk by chunk whenever one is needed. `null_values` are texts that mean a
    missing cell."""
    if null_values:
        chunks = chunks.map_lazily(_drop_null_values, tuple(null_values))
    possible = chunks.map("types", _find_types, columns).summaries
    types = {name: common_type([summary[name] for summary in possible]) for name in columns}
    return chunks.map_lazily(_cast_chunk, types)


def _drop_null_values(frame: pl.DataFrame, number: int, null_values: tuple[str, ...]) -> pl.DataFrame:
    return frame.with_columns(pl.when(pl.all().is_in(null_values)).then(None).otherwise(pl.all()).name.keep())


def _find_types(frame: pl.DataFrame, number: int, columns: Sequence[str]) -> tuple[None, dict[str, Any]]:
    return None, {name: possible_types(frame[name]) for name in columns}


def _cast_chunk(frame: pl.DataFrame, number: int, types: Mapping[str, str]) -> pl.DataFrame:
    return pl.DataFrame([cast_text(frame[name], type_name) for name, type_name in types.items()])
