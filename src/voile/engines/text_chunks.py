"""Chunks of a CSV, whose cells are all text: each column gets the type that reads all of its cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from voile.errors import DataError
from voile.io.conversions.converted_frames import decide_types, summarize_column
from voile.io.conversions.reading_decisions import cast_reading
from voile.io.conversions.text_options import TextOptions
from voile.io.conversions.text_summaries import TextSummary
from voile.io.csv_files import InspectedCsv
from voile.tables.part_protocol import Parts


def cast_chunks(
    chunks: Parts, columns: Sequence[str], inspected: InspectedCsv, how: TextOptions, fault: DataError
) -> Parts:
    """Cast columns of text to their types, chunk by chunk whenever one is needed. `fault` is raised if the chunks do
    not have as many rows in all as the file that was inspected."""
    found: Sequence[tuple[int, Mapping[str, TextSummary]]] = chunks.map("types", _summarize_chunk, columns).summaries
    if sum(height for height, _ in found) != inspected.rows:
        raise fault
    types = decide_types({name: [chunk[name] for _, chunk in found] for name in columns}, how, inspected.delimiter)
    return chunks.map_lazily(_cast_chunk, types)


def _summarize_chunk(
    frame: pl.DataFrame, number: int, columns: Sequence[str]
) -> tuple[None, tuple[int, dict[str, TextSummary]]]:
    return None, (frame.height, {name: summarize_column(frame[name]) for name in columns})


def _cast_chunk(frame: pl.DataFrame, number: int, types: Mapping[str, str]) -> pl.DataFrame:
    return pl.DataFrame([cast_reading(frame[name], type_name) for name, type_name in types.items()])
