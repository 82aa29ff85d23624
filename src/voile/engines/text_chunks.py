"""Chunks of a CSV, whose cells are all text: each column gets the type that reads all of its cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from voile.errors import DataError
from voile.io.conversions.converted_frames import decide_types, summarize_column
from voile.io.conversions.reading_decisions import cast_reading
from voile.io.conversions.text_options import TextOptions
from voile.io.conversions.text_summaries import TextSummary
from voile.io.csv_files import InspectedCsv, trim_cells
from voile.tables.part_protocol import Parts


def cast_chunks(
    chunks: Parts, columns: Sequence[str], inspected: InspectedCsv, how: TextOptions, fault: DataError
) -> Parts:
    """Cast columns of text to their types, chunk by chunk whenever one is needed. `fault` is raised if the chunks do
    not have as many rows in all as the file that was inspected."""
    nulls = tuple(how.null_values) if inspected.scan.has_padding else None
    found: Sequence[ChunkFindings] = chunks.map("types", _summarize_chunk, columns, nulls).summaries
    if sum(one.height for one in found) != inspected.rows:
        raise fault
    types = decide_types({name: [one.texts[name] for one in found] for name in columns}, how, inspected.delimiter)
    padded = {name for one in found for name in one.padded}
    how.record.padded = [name for name in columns if name in padded and types[name] == "text"]
    return chunks.map_lazily(_cast_chunk, types, nulls)


@dataclass(frozen=True)
class ChunkFindings:
    """What a chunk tells about its columns: its rows, what their cells allow, and which have blanks around cells."""

    height: int
    texts: Mapping[str, TextSummary]
    padded: Sequence[str]


def _summarize_chunk(
    frame: pl.DataFrame, number: int, columns: Sequence[str], nulls: Sequence[str] | None
) -> tuple[None, ChunkFindings]:
    trimmed, padded = (frame, []) if nulls is None else trim_cells(frame, nulls)
    return None, ChunkFindings(frame.height, {name: summarize_column(trimmed[name]) for name in columns}, padded)


def _cast_chunk(
    frame: pl.DataFrame, number: int, types: Mapping[str, str], nulls: Sequence[str] | None
) -> pl.DataFrame:
    trimmed = frame if nulls is None else trim_cells(frame, nulls)[0]
    return pl.DataFrame([cast_reading(trimmed[name], type_name) for name, type_name in types.items()])
