"""COUNT queries: conditions on single columns, all of which must hold."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from voile.core.schema import nearest
from voile.errors import SchemaError, SpecError


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
        if self.values is not None:
            texts = column.dtype in (pl.String, pl.Categorical) or isinstance(column.dtype, pl.Enum)
            wanted = [_as(value, column.dtype) for value in self.values]
            shown = column.cast(pl.String) if texts else column
            result = shown.is_in(pl.Series(wanted, dtype=shown.dtype, strict=False).implode())
        else:
            result = pl.repeat(True, len(column), eager=True)
            if self.low is not None:
                low = _as(self.low, column.dtype)
                result &= (column > low) if self.above else (column >= low)
            if self.high is not None:
                high = _as(self.high, column.dtype)
                result &= (column < high) if self.below else (column <= high)
        return np.append(result.fill_null(False).to_numpy(), [False] * missing)

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
            for value in set(self.values):
                point = _point(value, dtype)
                hit = (a <= point) & (point <= b)
                inside += hit if step else hit & (a == b)
            return inside, width
        left = a if self.low is None else np.maximum(a, _point(self.low, dtype) + (step if self.above else 0))
        right = b if self.high is None else np.minimum(b, _point(self.high, dtype) - (step if self.below else 0))
        inside = (
            np.maximum(right - left + step, 0.0)
            if step
            else np.where(b > a, np.maximum(right - left, 0), right >= left)
        )
        return inside, width


@dataclass(frozen=True)
class Query:
    """Conditions by column."""

    conditions: Mapping[str, Condition]

    def check(self, known: Sequence[str]) -> None:
        for name in self.conditions:
            if name not in known:
                raise SchemaError(
                    f"The release has no column {name!r}.", code="schema.unknown-column", hint=nearest(name, known)
                )


def parse(query: str | Mapping[str, Any] | None, where: Mapping[str, Any]) -> Query:
    """A query from SQL text, a dict, or keywords.

    >>> parse("select count(*) from t where age >= 30 and sex = 'F'", {}).conditions["age"]
    Condition(values=None, low=30, high=None, above=False, below=False)
    >>> parse({"age": (30, 40)}, {"sex": "F"}).conditions["sex"].values
    ('F',)
    """
    if isinstance(query, str):
        found = _sql(query)
    else:
        found = {name: _condition(wanted) for name, wanted in {**(query or {}), **where}.items()}
    return Query(found)


def _condition(wanted: Any) -> Condition:
    if isinstance(wanted, tuple) and len(wanted) == 2:
        return Condition(low=wanted[0], high=wanted[1])
    if isinstance(wanted, range):
        return Condition(values=tuple(wanted))
    if isinstance(wanted, (list, set, frozenset)):
        return Condition(values=tuple(wanted))
    return Condition(values=(wanted,))


_TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^']|'')*')|(?P<name>"(?:[^"]|"")*"|`[^`]*`|[A-Za-z_][\w\-]*)|(?P<number>-?\d+(?:\.\d+)?)"""
    r"""|(?P<sign><=|>=|<>|!=|=|<|>|\(|\)|,|\*|;))"""
)


def _tokens(query: str) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    place = 0
    query = query.rstrip()
    while place < len(query):
        match = _TOKEN.match(query, place)
        if not match:
            raise _unread("it has a sign that is not understood")
        kind, raw = str(match.lastgroup), match.group(str(match.lastgroup))
        if kind == "text":
            found.append(("value", raw[1:-1].replace("''", "'")))
        elif kind == "number":
            found.append(("value", float(raw) if "." in raw else int(raw)))
        elif kind == "name" and raw[0] in '"`':
            found.append(("name", raw[1:-1].replace('""', '"')))
        else:
            found.append((kind, raw))
        place = match.end()
    return found


def _unread(why: str) -> SpecError:
    return SpecError(
        f"The query cannot be read: {why}.",
        code="spec.query",
        hint="Write conditions joined by AND: column = value, column in (...), column between a and b, column >= a.",
    )


def _sql(query: str) -> dict[str, Condition]:
    """`[select count(*) from t] where c1 and c2 ...`, each condition on one column."""
    tokens = _tokens(query)
    words = [str(raw).lower() if kind == "name" else raw for kind, raw in tokens]
    if "where" in words:
        tokens = tokens[words.index("where") + 1 :]
    elif "select" in words[:1]:
        tokens = []
    tokens = [token for token in tokens if token != ("sign", ";")]
    found: dict[str, Condition] = {}
    place = 0

    def take(kind: str, text: str | None = None) -> Any:
        nonlocal place
        if place >= len(tokens):
            raise _unread("it ends too early")
        got, raw = tokens[place]
        if got != kind or (text is not None and str(raw).lower() != text):
            raise _unread("only conditions joined by AND are understood")
        place += 1
        return raw

    while place < len(tokens):
        if found:
            take("name", "and")
        name = take("name")
        if place >= len(tokens):
            raise _unread("it ends too early")
        kind, raw = tokens[place]
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
            raise _unread("only =, <, <=, >, >=, in and between are understood")
        found[name] = _both(found[name], new) if name in found else new
    return found


def _both(first: Condition, second: Condition) -> Condition:
    """Two conditions on one column: `age >= 30 and age < 40`."""
    if first.values is None and second.values is None and (first.low is None) != (second.low is None):
        low, high = (first, second) if first.low is not None else (second, first)
        if low.high is None and high.low is None:
            return Condition(low=low.low, high=high.high, above=low.above, below=high.below)
    raise _unread("a column has two conditions that are not the two ends of a range")


def _as(value: Any, dtype: pl.DataType) -> Any:
    """A literal as a value of the column: dates may be written as text."""
    if isinstance(value, str) and dtype == pl.Date:
        return datetime.date.fromisoformat(value)
    if isinstance(value, str) and dtype == pl.Datetime:
        return datetime.datetime.fromisoformat(value)
    if dtype == pl.String or isinstance(dtype, (pl.Enum, pl.Categorical)):
        return str(value)
    return value


def _point(value: Any, dtype: pl.DataType) -> float:
    """A literal as a number: days for dates, microseconds for times."""
    try:
        value = _as(value, dtype)
        return float(pl.Series([value], dtype=dtype, strict=False).to_physical()[0])
    except (ValueError, TypeError):
        raise _unread("a value does not have the type of its column") from None
