"""Variants of a category: values that differ only in case, blanks or invisible characters, such as `M` and `m`.

Nothing is merged unless the user asks for it: two spellings may be two things. Spellings are cells, so they are shown
only of categories that may be published, on which somebody has to decide. Of other columns a count is told at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from voile.errors import option, render
from voile.plugins.counted_nouns import count_noun
from voile.tables.value_text import fold_look

MOST = 2_000  # different values up to which spellings are compared
MOST_CATEGORIES = 100  # different values up to which a column is taken as one of categories
SHARED = 2  # rows that each value of such a column has on average, at least


@dataclass(frozen=True)
class Variants:
    """The variants of one value of a column: their spellings, the one that most rows have first. Where spellings are
    not shown, there are none, and `values` counts the values of the column that have several."""

    column: str
    spellings: tuple[str, ...]
    rows: tuple[int, ...]
    are_categories: bool = False
    values: int = 1

    def describe(self) -> str:
        """Say which spellings may be one value, and how to merge them, in the language of the current surface."""
        written = ", ".join(f"{text!r} ({count:,})" for text, count in zip(self.spellings, self.rows, strict=True))
        told = f"{written} may be one value" if written else self.count()
        return render(f"{self.column}: {told}; {option('merge', [self.column])} merges them")

    def count(self) -> str:
        """Say how many values have several spellings."""
        return f"{count_noun(self.values, 'value has', 'values have')} several spellings"

    def as_json(self) -> dict[str, Any]:
        return {
            "column": self.column,
            "spellings": list(self.spellings),
            "rows": list(self.rows),
            "values": self.values,
            "text": self.describe(),
        }


def hide_cells(variants: Sequence[Variants], decided: Collection[str]) -> list[Variants]:
    """Keep the spellings of categories in the decided columns, and only count those of other columns.

    >>> hide_cells([Variants("note", ("Ann is ill", "ann is ill"), (1, 1))], {"note"})[0].describe()
    "note: 1 value has several spellings; merge=['note'] merges them"
    """
    shown: list[Variants] = []
    hidden: Counter[str] = Counter()
    for one in variants:
        if one.are_categories and one.column in decided:
            shown.append(one)
        else:
            hidden[one.column] += one.values
    return [*shown, *(Variants(column, (), (), values=count) for column, count in hidden.items())]


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
    are_categories = len(values) <= MOST_CATEGORIES and sum(counts) >= SHARED * len(values)
    found = []
    for spellings in by_look.values():
        if len(spellings) > 1:
            spellings.sort()
            texts, rows = tuple(text for _, text in spellings), tuple(-count for count, _ in spellings)
            found.append(Variants(column, texts, rows, are_categories))
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
