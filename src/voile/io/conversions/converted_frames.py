"""Columns of text in a frame, or in the chunks of one, read as what they stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from voile.io.conversions.reading_decisions import cast_reading, decide_reading, refuse_second_header
from voile.io.conversions.text_options import TextOptions
from voile.io.conversions.text_summaries import TextSummary, summarize_text


def summarize_column(values: pl.Series) -> TextSummary:
    """Summarize a column; one that is no text has nothing to convert."""
    if values.dtype == pl.String:
        return summarize_text(values)
    nothing, filled = frozenset[str](), len(values) - values.null_count()
    words = False if len(values) and values[0] is not None else None
    return TextSummary(frozenset({"number"}), nothing, nothing, filled, 0, 0, words)


def decide_types(summaries: Mapping[str, Sequence[TextSummary]], how: TextOptions, delimiter: str) -> dict[str, str]:
    """Decide how each column of text is read, from the summaries of its chunks; what is worth a word is recorded."""
    refuse_second_header(summaries, how.convert)
    readings = {
        name: decide_reading(name, chunks, how.convert.get(name), delimiter) for name, chunks in summaries.items()
    }
    how.record.columns += [reading for reading in readings.values() if not reading.is_native]
    return {name: reading.type for name, reading in readings.items()}


def convert_frame(frame: pl.DataFrame, how: TextOptions, delimiter: str = ",") -> pl.DataFrame:
    """Convert the columns of text of a whole table."""
    types = decide_types({name: [summarize_column(frame[name])] for name in frame.columns}, how, delimiter)
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String and types[name] != "text"]
    return frame.with_columns(*(cast_reading(frame[name], types[name]) for name in texts))
