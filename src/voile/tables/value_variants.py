"""Variants of a category: values that differ only in case, blanks or invisible characters, such as `M` and `m`.

Nothing is merged unless the user asks for it: two spellings may be two things.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from voile.errors import option, render
from voile.tables.value_text import fold_look

MOST = 2_000  # different values up to which a column is taken as one of categories


@dataclass(frozen=True)
class Variants:
    """The variants of one value of a column: their spellings, the one that most rows have first."""

    column: str
    spellings: tuple[str, ...]
    rows: tuple[int, ...]

    def describe(self) -> str:
        """Say which spellings may be one value, and how to merge them, in the language of the current surface."""
        written = ", ".join(f"{text!r} ({count:,})" for text, count in zip(self.spellings, self.rows, strict=True))
        return render(f"{self.column}: {written} may be one value; {option('merge', [self.column])} merges them")

    def as_json(self) -> dict[str, Any]:
        return {
            "column": self.column,
            "spellings": list(self.spellings),
            "rows": list(self.rows),
            "text": self.describe(),
        }


def find_variants(column: str, values: pl.Series, counts: Sequence[int]) -> list[Variants]:
    """Find the values of a column that differ only in case and blanks; none in a column of very many values.

    >>> [one.spellings for one in find_variants("sex", pl.Series(["M", "m", "F"]), [9, 2, 8])]
    [('M', 'm')]
    """
    if values.dtype not in (pl.String, pl.Enum) or len(values) > MOST:
        return []
    by_look: dict[str, list[tuple[int, str]]] = {}
    for text, count in zip(values.cast(pl.String).to_list(), counts, strict=True):
        if text is not None:
            by_look.setdefault(fold_look(text).casefold(), []).append((-int(count), text))
    found = []
    for spellings in by_look.values():
        if len(spellings) > 1:
            spellings.sort()
            found.append(
                Variants(column, tuple(text for _, text in spellings), tuple(-count for count, _ in spellings))
            )
    return sorted(found, key=lambda one: one.spellings)


def map_variants(variants: Sequence[Variants]) -> Mapping[str, str]:
    """Map each rarer spelling to the one that most rows have."""
    return {text: one.spellings[0] for one in variants for text in one.spellings[1:]}


def merge_values(values: pl.Series, mapping: Mapping[str, str]) -> pl.Series:
    """Replace spellings in a column; categories keep their order."""
    if not mapping:
        return values
    merged = values.cast(pl.String).replace(list(mapping), list(mapping.values()))
    if not isinstance(values.dtype, pl.Enum):
        return merged
    return merged.cast(pl.Enum([text for text in values.dtype.categories if text not in mapping]))


def find_table_variants(frame: pl.DataFrame) -> list[Variants]:
    """Find the variants of all columns of a table."""
    found: list[Variants] = []
    for name in (name for name, dtype in frame.schema.items() if dtype in (pl.String, pl.Enum)):
        counted = frame[name].drop_nulls().alias("value").value_counts(name="count")
        found += find_variants(name, counted["value"], counted["count"].to_list())
    return found


def merge_table_variants(frame: pl.DataFrame, variants: Sequence[Variants], merge: Sequence[str]) -> pl.DataFrame:
    """Merge the variants of some columns of a table."""
    mappings = {name: map_variants([one for one in variants if one.column == name]) for name in merge}
    return frame.with_columns(*(merge_values(frame[name], mapping).alias(name) for name, mapping in mappings.items()))
