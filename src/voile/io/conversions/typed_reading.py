"""Read a CSV with the types that its first rows suggest, or as text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from voile.io.conversions.text_forms import may_be_eight_digits, may_group_thousands
from voile.io.csv_byte_scan import has_exponent_codes
from voile.io.csv_types import EXACT, certain_type, may_be_time

HEAD = 1_000  # rows that suggest the types; later rows may overrule them


def read_typed(
    source: Path | bytes, first_rows: Path | bytes, options: dict[str, Any], as_text: Sequence[int]
) -> pl.DataFrame | None:
    """Read the table with the types that its first rows suggest; None if a later row does not fit them.

    The columns `as_text` are read as text, such as numbers of which some have leading zeros, and so are numbers that
    might have points before thousands, dates in eight digits, and floats that might be codes or lose digits: there
    every cell is examined.
    """
    try:
        texts = pl.read_csv(first_rows, infer_schema=False, n_rows=HEAD, **options)
        types = _suggest_types(first_rows, texts, options)
        types.update(dict.fromkeys([texts.columns[number] for number in as_text], pl.String()))
        floats = [name for name, dtype in types.items() if dtype.is_float()]
        unclear = [name for name, dtype in types.items() if dtype.is_integer() and may_be_eight_digits(texts[name])]
        if floats and has_exponent_codes(source, options["separator"]):
            unclear += floats
        elif options["separator"] == ";":
            unclear += [name for name in floats if may_group_thousands(texts[name])]
        types.update(dict.fromkeys(unclear, pl.String()))
        frame = pl.read_csv(source, schema_overrides=types, infer_schema=False, **options)
        inexact = _find_inexact(frame)
        if inexact:
            types.update(dict.fromkeys(inexact, pl.String()))
            frame = pl.read_csv(source, schema_overrides=types, infer_schema=False, **options)
        return frame
    except (pl.exceptions.PolarsError, OSError):
        return None


def _find_inexact(frame: pl.DataFrame) -> list[str]:
    """Return the columns of floats with numbers so large that their last digits may be lost."""
    floats = [name for name, dtype in frame.schema.items() if dtype.is_float()]
    if not floats:
        return []
    largest = frame.select(pl.col(floats).abs().max()).row(0)
    return [name for name, value in zip(floats, largest, strict=True) if value is not None and value >= EXACT]


def _suggest_types(first_rows: Path | bytes, texts: pl.DataFrame, options: dict[str, Any]) -> dict[str, pl.DataType]:
    """Return the types that the first rows suggest. polars takes long to try dates, so it does only where cells have
    their form."""
    rows: dict[str, Any] = {"infer_schema_length": HEAD, "n_rows": HEAD}
    guesses = dict(pl.read_csv(first_rows, **rows, **options).schema)
    if any(guess == pl.String and may_be_time(texts[name]) for name, guess in guesses.items()):
        guesses = dict(pl.read_csv(first_rows, try_parse_dates=True, **rows, **options).schema)
    return {name: certain_type(texts[name], guess) for name, guess in guesses.items()}


def read_as_text(source: Path | bytes, options: dict[str, Any]) -> pl.DataFrame | None:
    """Read every column of the table as text."""
    try:
        return pl.read_csv(source, infer_schema=False, **options)
    except (pl.exceptions.PolarsError, OSError):
        return None
