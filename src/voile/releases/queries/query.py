"""COUNT queries: conditions on single columns, all of which must hold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from voile.errors import SchemaError, SpecError
from voile.releases.cells.cells import Cells
from voile.releases.cells.label_meanings import prefix_share
from voile.releases.queries.query_literals import (
    TRUTH,
    comparable_value,
    is_text,
    numeric_point,
    typed_literal,
    unreadable_query,
    whole_number_end,
)
from voile.tables.schema import suggest_name
from voile.tables.value_text import format_value


@dataclass(frozen=True)
class Condition:
    """A set of values, or a range with optional ends."""

    values: tuple[Any, ...] | None = None
    low: Any = None
    high: Any = None
    above: bool = False  # the low end is left out
    below: bool = False  # the high end is left out

    def matches(self, column: pl.Series, missing: bool = False) -> np.ndarray:
        """Which values satisfy the condition; a missing value never does."""
        shown = column.cast(pl.String) if is_text(column.dtype) else column
        if self.values is not None:
            wanted = pl.concat(
                [pl.Series([], dtype=shown.dtype), *(typed_literal(v, shown.dtype) for v in self.values)]
            )
            result = shown.is_in(wanted.implode())
        else:
            result = pl.repeat(True, len(column), eager=True)
            ends = column.to_physical() if column.dtype.is_temporal() else shown
            ends = ends.cast(pl.Int128) if ends.dtype.is_integer() else ends  # so that every literal fits
            if self.low is not None:
                low = comparable_value(self.low, column.dtype)
                result &= (ends > low) if self.above else (ends >= low)
            if self.high is not None:
                high = comparable_value(self.high, column.dtype)
                result &= (ends < high) if self.below else (ends <= high)
        return np.append(result.fill_null(False).to_numpy(), [False] * missing).astype(bool)

    def overlap(
        self, low: np.ndarray, high: np.ndarray, dtype: pl.DataType, step: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """How much of each interval low..high satisfies the condition, and how much there is.

        Whole numbers and days are counted (step 1); real intervals are measured by length, a point as 1.
        """
        a, b = low.astype(np.float64), high.astype(np.float64)
        width = b - a + step if step else np.where(b > a, b - a, 1.0)
        if self.values is not None:
            inside = np.zeros(len(a))
            for point in {numeric_point(value, dtype) for value in self.values}:
                hit = (a <= point) & (point <= b)
                inside += hit & point.is_integer() if step else hit & (a == b)
            return inside, width
        least = -np.inf if self.low is None else numeric_point(self.low, dtype)
        most = np.inf if self.high is None else numeric_point(self.high, dtype)
        if step:
            left = np.maximum(a, whole_number_end(least, 1, self.above))
            right = np.minimum(b, whole_number_end(most, -1, self.below))
            return np.maximum(right - left + step, 0.0), width
        lies = (a > least if self.above else a >= least) & (b < most if self.below else b <= most)
        return np.where(b > a, np.maximum(np.minimum(b, most) - np.maximum(a, least), 0), lies), width


def cell_shares(cells: Cells, condition: Condition) -> np.ndarray:
    """The share of each cell that satisfies a condition, its values taken as equally likely. `*` is taken as any of the
    values that the release names."""
    if not cells.domain.uses_intervals:
        shares = cells.shares(condition.matches(cells.domain.values, cells.domain.missing))
        if cells.prefixes and condition.values is not None:
            texts = [format_value(value) for value in condition.values]
            starred = [prefix_share(label, texts) if label in cells.prefixes else np.nan for label in cells.labels]
            shares = np.where(np.isnan(starred), shares, starred)
        return shares
    assert cells.low is not None and cells.high is not None and cells.missing is not None
    points = cells.domain.numeric_values
    if not len(points):
        return np.zeros(len(cells))
    step = 0 if cells.domain.values.dtype.is_float() else 1
    low, high = points[np.clip(cells.low, 0, None)], points[np.clip(cells.high, 0, None)]
    inside, width = condition.overlap(low, high, cells.domain.values.dtype, step)
    none = cells.high < cells.low
    share = np.where(width > 0, inside / np.where(width > 0, width, 1), 0.0)
    # a cell that may also be a missing value: taken as one more value
    share = np.where(cells.missing & ~none, share * width / (width + 1), share)
    return np.where(none, 0.0, share)


@dataclass(frozen=True)
class Query:
    """Conditions by column, and whether rows count their survey weight."""

    conditions: Mapping[str, Condition]
    weighted: bool = False

    def check(self, known: Sequence[str]) -> None:
        for name in self.conditions:
            if name not in known:
                raise SchemaError(
                    f"The release has no column {name!r}.", code="schema.unknown-column", hint=suggest_name(name, known)
                )


def parse_query(query: str | Mapping[str, Any] | None, where: Mapping[str, Any]) -> Query:
    """A query from SQL text, a dict, or keywords; keywords add to the other two.

    >>> parse_query("select count(*) from t where age >= 30 and sex = 'F'", {}).conditions["age"]
    Condition(values=None, low=30, high=None, above=False, below=False)
    >>> parse_query({"age": (30, 40)}, {"sex": "F"}).conditions["sex"].values
    ('F',)
    """
    if isinstance(query, str):
        found = _parse_sql(query)
    elif query is None or isinstance(query, Mapping):
        found = {str(name): _make_condition(wanted) for name, wanted in (query or {}).items()}
    else:
        raise unreadable_query(f"it is of type {type(query).__name__}")
    for name, wanted in where.items():
        if name in found:
            raise unreadable_query("a column has two conditions")
        found[name] = _make_condition(wanted)
    return Query(found)


def _make_condition(wanted: Any) -> Condition:
    if isinstance(wanted, tuple):
        if len(wanted) != 2:
            raise unreadable_query("a range is written (low, high)")
        return Condition(low=wanted[0], high=wanted[1])
    values = tuple(wanted) if isinstance(wanted, (range, list, set, frozenset)) else (wanted,)
    if any(value is None for value in values):
        raise unreadable_query("None is no value to ask for")
    return Condition(values=values)


_TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^']|'')*')|(?P<name>"(?:[^"]|"")*"|`[^`]*`|[^\W\d][\w\-]*)"""
    r"""|(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?P<sign><=|>=|<>|!=|=|<|>|\(|\)|,|\*|;))"""
)


def _read_tokens(query: str) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    place = 0
    query = query.rstrip()
    while place < len(query):
        match = _TOKEN.match(query, place)
        if not match:
            raise unreadable_query("it has a sign that is not understood")
        kind, raw = str(match.lastgroup), match.group(str(match.lastgroup))
        if kind == "text":
            found.append(("value", raw[1:-1].replace("''", "'")))
        elif kind == "number":
            found.append(("value", int(raw) if raw.lstrip("+-").isdigit() else float(raw)))
        elif kind == "name" and raw[0] in '"`':
            found.append(("quoted", raw[1:-1].replace('""', '"')))
        elif kind == "name" and raw.lower() in TRUTH:
            found.append(("value", TRUTH[raw.lower()]))
        else:
            found.append((kind, raw))
        place = match.end()
    return found


def _parse_sql(query: str) -> dict[str, Condition]:
    """`[select count(*) from t where] c1 and c2 ...`, each condition on one column."""
    return _parse_conditions(_strip_prefix(_read_tokens(query)))


def _parse_conditions(tokens: list[tuple[str, Any]]) -> dict[str, Condition]:
    """Conditions on single columns, joined by AND."""
    found: dict[str, Condition] = {}
    place = 0

    def take(kind: str, text: str | None = None) -> Any:
        nonlocal place
        if place >= len(tokens):
            raise unreadable_query("it ends too early")
        got, raw = tokens[place]
        if got != kind or (text is not None and str(raw).lower() != text):
            raise unreadable_query("only conditions joined by AND are understood")
        place += 1
        return raw

    while place < len(tokens):
        if found:
            take("name", "and")
        name = take("quoted" if tokens[place : place + 1] and tokens[place][0] == "quoted" else "name")
        kind, raw = tokens[place] if place < len(tokens) else ("", "")
        place += 1
        word = str(raw).lower()
        if kind == "name" and word == "in":
            take("sign", "(")
            values = [take("value")]
            while tokens[place : place + 1] == [("sign", ",")]:
                place += 1
                values.append(take("value"))
            take("sign", ")")
            new = Condition(values=tuple(values))
        elif kind == "name" and word == "between":
            low = take("value")
            take("name", "and")
            new = Condition(low=low, high=take("value"))
        elif kind == "sign" and word == "=":
            new = Condition(values=(take("value"),))
        elif kind == "sign" and word in (">", ">="):
            new = Condition(low=take("value"), above=word == ">")
        elif kind == "sign" and word in ("<", "<="):
            new = Condition(high=take("value"), below=word == "<")
        else:
            raise unreadable_query("only =, <, <=, >, >=, in and between are understood")
        found[name] = _merge_conditions(found[name], new) if name in found else new
    return found


def find_conjunction(query: str) -> dict[str, Condition] | None:
    """Return the conditions of a SELECT whose WHERE joins conditions on single columns by AND; None for any other.

    >>> sorted(find_conjunction("select sex, count(*) from t where age >= 30 and sex = 'F' group by sex"))
    ['age', 'sex']
    >>> find_conjunction("select count(*) from t where age > 30 or sex = 'F'")
    """
    try:
        tokens = _read_tokens(query)
        words = [str(raw).lower() if kind == "name" else "" for kind, raw in tokens]
        end = words.index("group") if "group" in words else len(words)
        tokens = [token for token in tokens[:end] if token != ("sign", ";")]
        if "where" not in words[:end]:
            return {}
        return _parse_conditions(tokens[words.index("where") + 1 :])
    except SpecError:
        return None


def _strip_prefix(tokens: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """What follows WHERE. Nothing but counting is answered, so nothing but `select count(*) from t` may come first."""
    if tokens[-1:] == [("sign", ";")]:
        tokens = tokens[:-1]
    words = [str(raw).lower() if kind in ("name", "sign") else kind for kind, raw in tokens]
    if words[:1] == ["select"]:
        if words[1:6] != ["count", "(", "*", ")", "from"] or words[6:7] in ([], ["value"]):
            raise unreadable_query("only select count(*) from a table is answered")
        tokens, words = tokens[7:], words[7:]
        if not tokens:
            return []
        if words[:1] != ["where"]:
            raise unreadable_query("only WHERE may follow the table")
    if words[:1] == ["where"]:
        tokens = tokens[1:]
    if not tokens:
        raise unreadable_query("it has no condition")
    return tokens


def _merge_conditions(first: Condition, second: Condition) -> Condition:
    """Two conditions on one column: `age >= 30 and age < 40`."""
    if first.values is None and second.values is None and (first.low is None) != (second.low is None):
        low, high = (first, second) if first.low is not None else (second, first)
        if low.high is None and high.low is None:
            return Condition(low=low.low, high=high.high, above=low.above, below=high.below)
    raise unreadable_query("a column has two conditions that are not the two ends of a range")
