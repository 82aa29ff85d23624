"""Features of a column: counts and shares that suggest what it is for. They hold no cell of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import polars as pl

from voile.tables.domain import Domain
from voile.tables.roles.check_digits import DATES, GENERAL, PERSONAL
from voile.tables.roles.column_words import find_meanings, find_word_meanings, split_words
from voile.tables.roles.name_lexicon import looks_like_name

LABELS = 40  # different texts up to which they may be labels of categories
LEAST_LABELS = 0.3  # share of labels from which a meaning is kept
SAMPLE = 400  # different values that are looked at one by one, evenly spread over all
LONG = "long numbers"  # no amount is that large in every row; numbers of accounts and papers are
RANGES = {"yes or no": (0, 1), "age": (0, 120), "year": (1850, 2100), LONG: (10_000_000, float("inf"))}


@dataclass(frozen=True)
class ColumnFeatures:
    """What the guess of a role rests on: how many rows are `filled` with how many `distinct` values, how many values
    are `alone` in one row, how many cells are `missing`, the average length and number of words of texts, the share of
    different values that look like `names` of people or like each of several `codes`, or whose words have each of some
    meanings (`labels`, measured where the name says nothing), the `ranges` that hold all numbers, whether numbers are
    whole and some negative, the `title` that a file gives to the column beside its name, and whether the traits of
    people never change within a value."""

    name: str
    kind: str
    type: str
    filled: int
    distinct: int
    alone: int
    length: float = 0.0
    words: float = 0.0
    names: float = 0.0
    codes: Mapping[str, float] = field(default_factory=dict)
    labels: Mapping[str, float] = field(default_factory=dict)
    ranges: tuple[str, ...] = ()
    is_whole: bool = False
    is_negative: bool = False
    title: str = ""
    keeps_traits: bool = False
    missing: int = 0

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "ranges": list(self.ranges)}

    @staticmethod
    def parse(content: Mapping[str, Any]) -> ColumnFeatures:
        """Read features from their JSON."""
        return ColumnFeatures(**{**content, "ranges": tuple(content.get("ranges", ()))})


def measure_features(
    name: str, domain: Domain, counts: np.ndarray, keeps_traits: Callable[[], bool] = lambda: False, title: str = ""
) -> ColumnFeatures:
    """Measure the features of a column from its values and the number of rows that have each; a last count is that of
    missing cells, where there are any. `keeps_traits` is asked only about a column that may number people."""
    missing = int(counts[-1]) if domain.missing else 0
    counts = counts[:-1] if domain.missing else counts
    present = counts > 0
    values, dtype = domain.values.filter(pl.Series(present)), domain.values.dtype
    filled, distinct = int(counts.sum()), int(present.sum())
    base: dict[str, Any] = {
        "name": name,
        "title": title,
        "kind": domain.kind,
        "type": str(dtype.base_type()),
        "filled": filled,
        "distinct": distinct,
        "alone": int((counts == 1).sum()),
        "missing": missing,
    }
    is_whole = dtype.is_integer() or (dtype.is_float() and bool((values == values.round()).all()))
    may_number = dtype == pl.String or is_whole
    if may_number and 1 < distinct < filled:
        base["keeps_traits"] = keeps_traits()
    if dtype in (pl.String, pl.Enum):
        is_unnamed = distinct <= LABELS and not find_meanings(name)
        labels = _share_meanings(values.cast(pl.String).to_list()) if is_unnamed else {}
        return ColumnFeatures(**base, **_measure_texts(values.cast(pl.String)), labels=labels)
    if dtype.is_numeric():
        return ColumnFeatures(**base, **_measure_numbers(values))
    return ColumnFeatures(**base)


def _measure_texts(values: pl.Series) -> dict[str, Any]:
    texts = _spread(values)
    shares = {code: _share(texts, test) for code, test in {**PERSONAL, **GENERAL}.items()}
    return {
        "length": round(float(values.str.len_chars().mean() or 0), 1),  # type: ignore[arg-type]
        "words": round(float(values.str.split(" ").list.len().mean() or 0), 1),  # type: ignore[arg-type]
        "names": _share(texts, looks_like_name),
        "codes": {code: share for code, share in shares.items() if share >= 0.05},
    }


def _share_meanings(texts: list[str]) -> dict[str, float]:
    """Return the share of labels that have each meaning: `divorced` and `widowed` are about the family."""
    found = Counter(meaning for text in texts for meaning in find_word_meanings(split_words(text)))
    return {
        meaning: round(count / len(texts), 3) for meaning, count in found.items() if count >= LEAST_LABELS * len(texts)
    }


def _measure_numbers(values: pl.Series) -> dict[str, Any]:
    if not len(values):
        return {}
    low, high = float(values.min()), float(values.max())  # type: ignore[arg-type]
    is_whole = values.dtype.is_integer() or bool((values == values.round()).all())
    ranges = [name for name, (least, greatest) in RANGES.items() if least <= low and high <= greatest]
    codes = {}
    if is_whole and high > 999_999:
        texts = [str(int(value)) for value in _spread(values)]
        tests = {**PERSONAL, DATES: GENERAL[DATES]}
        codes = {code: share for code, test in tests.items() if (share := _share(texts, test)) >= 0.05}
    return {"ranges": tuple(ranges), "is_whole": is_whole, "is_negative": low < 0, "codes": codes}


def _spread(values: pl.Series) -> list[Any]:
    """Return some values, evenly spread over all."""
    if len(values) <= SAMPLE:
        return values.to_list()
    return values.gather(np.linspace(0, len(values) - 1, SAMPLE).astype(np.int64)).to_list()


def _share(texts: Sequence[str], test: Callable[[str], bool]) -> float:
    return round(sum(map(test, texts)) / len(texts), 3) if texts else 0.0
