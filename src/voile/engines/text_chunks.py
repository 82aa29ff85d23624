"""Chunks of a CSV, whose cells are all text: each column gets the narrowest type that reads all of its cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from voile.errors import DataError
from voile.io.csv_types import cast_text, common_type, possible_types
from voile.tables.part_protocol import Parts


def cast_chunks(chunks: Parts, columns: Sequence[str], rows: int, fault: DataError) -> Parts:
    """Cast columns of text to their types, chunk by chunk whenever one is needed. `fault` is raised if the chunks do
    not have that many `rows` in all."""
    summaries: Sequence[tuple[int, Mapping[str, Any]]] = chunks.map("types", _find_types, columns).summaries
    if sum(height for height, _ in summaries) != rows:
        raise fault
    types = {name: common_type([possible[name] for _, possible in summaries]) for name in columns}
    return chunks.map_lazily(_cast_chunk, types)


def _find_types(frame: pl.DataFrame, number: int, columns: Sequence[str]) -> tuple[None, tuple[int, dict[str, Any]]]:
    return None, (frame.height, {name: possible_types(frame[name]) for name in columns})


def _cast_chunk(frame: pl.DataFrame, number: int, types: Mapping[str, str]) -> pl.DataFrame:
    return pl.DataFrame([cast_text(frame[name], type_name) for name, type_name in types.items()])
