"""The values that a column may hold, in order. Once a table is read, a cell is a code: the position of its value."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from voile.errors import DataError, SchemaError
from voile.plugins.counted_nouns import count_noun
from voile.tables.value_text import MISSING, format_value, parse_values
from voile.tables.value_types import normalize_type, type_name

KINDS = ("categorical", "ordered", "numeric", "date")


@dataclass(frozen=True, eq=False)
class Domain:
    """Distinct values in order, with their own type. `missing` adds a last code for missing cells.

    >>> Domain(pl.Series([17, 23, 90]), "numeric")
    Domain(3 numeric values)
    """

    values: pl.Series
    kind: str
    missing: bool = False
    declared: bool = False

    def __repr__(self) -> str:
        return f"Domain({self.size} {self.kind} values)"

    @property
    def size(self) -> int:
        return len(self.values) + self.missing

    @property
    def uses_intervals(self) -> bool:
        """Whether a set of neighbours is written as an interval of numbers or dates."""
        return self.kind in ("numeric", "date")

    @cached_property
    def numeric_values(self) -> np.ndarray:
        """The values as numbers: days for dates, microseconds for times, codes for categories."""
        if self.kind == "numeric":
            return self.values.to_numpy()
        if self.kind == "date":
            return self.values.to_physical().to_numpy()
        return np.arange(len(self.values))

    @cached_property
    def labels(self) -> list[str]:
        """The values as a reader sees them, the missing one last."""
        return [format_value(value) for value in self.values] + [MISSING] * self.missing

    def code_of(self, value: Any) -> int:
        """Return the code of a value, or -1."""
        return self._positions.get(value, -1)

    @cached_property
    def _positions(self) -> dict[Any, int]:
        return {value: code for code, value in enumerate(self.values.to_list())}

    def decode(self, codes: np.ndarray) -> pl.Series:
        """Turn codes back into values of the column's own type; missing becomes null."""
        values = pl.concat([self.values, pl.Series([None], dtype=self.values.dtype)]) if self.missing else self.values
        return values.gather(codes)

    def as_json(self) -> dict[str, Any]:
        """Return the part that a recipient needs: the list of categories, or the range of numbers and dates. A declared
        domain is listed and marked: it is public, whether its values occur or not."""
        if self.declared:
            return {"values": [json_value(value) for value in self.values], "missing": self.missing, "declared": True}
        if self.uses_intervals:
            ends = {"min": json_value(self.values[0]), "max": json_value(self.values[-1])} if len(self.values) else {}
            return {**ends, "missing": self.missing}
        return {"values": [json_value(value) for value in self.values], "missing": self.missing}


def infer_kind(values: pl.Series) -> str:
    """Return the kind of a column for which the schema names none."""
    if values.dtype.is_numeric():
        return "numeric"
    if values.dtype in (pl.Date, pl.Datetime):
        return "date"
    return "categorical"


def encode_column(
    column: str, values: pl.Series, kind: str, declared: Sequence[Any] | None
) -> tuple[Domain, np.ndarray]:
    """Return a column's domain and its codes, which follow the order of the values, never their order of appearance."""
    values = normalize_type(column, values)
    domain = build_domain(column, values, kind, declared)
    return domain, encode_values(domain, values)


def build_domain(
    column: str, values: pl.Series, kind: str, declared: Sequence[Any] | None, counts: np.ndarray | None = None
) -> Domain:
    """Return the domain of values whose type is normalized. Value i stands for `counts[i]` cells, by default one."""
    if kind == "numeric" and not values.dtype.is_numeric():
        raise SchemaError(
            f"Column {column!r} is marked numeric but holds {type_name(values.dtype)}.",
            code="schema.kind",
            hint="Mark it categorical or ordered, or clean the column.",
        )
    if kind == "date" and values.dtype not in (pl.Date, pl.Datetime):
        raise SchemaError(
            f"Column {column!r} is marked date but holds {type_name(values.dtype)}.",
            code="schema.kind",
            hint="Write dates as 2025-12-31, or convert the column before reading.",
        )
    missing = values.null_count() > 0
    if declared is not None:
        distinct = _declared_values(column, values, declared, kind, counts)
    elif isinstance(values.dtype, pl.Enum):
        distinct = _occurring_categories(values)
    else:
        distinct = _distinct_values(values)
    return Domain(distinct, kind, missing, declared is not None)


def _distinct_values(values: pl.Series) -> pl.Series:
    """Return the values that occur, in order: whole numbers of a narrow range are counted, which is faster."""
    present = values.drop_nulls()
    if values.dtype != pl.Int64 or not len(present):
        return present.unique().sort()
    low, high = int(present.min()), int(present.max())  # type: ignore[arg-type]
    if high - low > len(present):
        return present.unique().sort()
    return pl.Series(values.name, np.flatnonzero(np.bincount(present.to_numpy() - low)) + low, dtype=pl.Int64)


def _occurring_categories(values: pl.Series) -> pl.Series:
    """Return the categories of an Enum that occur, in the order of the Enum."""
    counts = np.bincount(values.drop_nulls().to_physical().to_numpy(), minlength=len(values.dtype.categories))  # type: ignore[attr-defined]
    return narrow_categories(values.dtype.categories.filter(pl.Series(counts > 0)).cast(values.dtype))  # type: ignore[attr-defined]


def narrow_categories(values: pl.Series) -> pl.Series:
    """Return distinct values of an Enum with a type that has no other categories: files list those of the type."""
    if not isinstance(values.dtype, pl.Enum):
        return values
    texts = values.cast(pl.String)
    return texts.cast(pl.Enum(texts))


def _declared_values(
    column: str, values: pl.Series, declared: Sequence[Any], kind: str, counts: np.ndarray | None
) -> pl.Series:
    """Return the declared values in order and in the type of the column, all of whose values must be among them."""
    texts = values.dtype.categories if isinstance(values.dtype, pl.Enum) else values
    listed = _cast_declared(declared, texts.dtype)
    if listed is None or listed.null_count() or listed.n_unique() != len(listed):
        raise SchemaError(
            f"The declared domain of {column!r} has duplicates or values of another type.",
            code="schema.domain",
            hint="List each value once, with the type of the column.",
        )
    outside = ~texts.is_in(listed.implode()).fill_null(True).to_numpy()
    if outside.any() and texts is not values:
        outside = outside[values.to_physical().fill_null(0).to_numpy()] & values.is_not_null().to_numpy()
    if outside.any():
        cells = int(outside.sum() if counts is None else counts[outside].sum())
        raise DataError(
            f"{column!r} has {count_noun(cells, 'cell')} outside its declared domain.",
            code="data.domain",
            hint="Add the values to the domain or clean the column.",
        )
    return listed.sort() if kind in ("numeric", "date") else listed


def _cast_declared(declared: Sequence[Any], dtype: pl.DataType) -> pl.Series | None:
    """Return declared values in the type of the column, or None if they cannot have that type."""
    try:
        raw = pl.Series(list(declared), strict=False)
        listed = parse_values(raw, dtype) if raw.dtype == pl.String else raw.cast(dtype, strict=False)
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        return None
    must_be_whole = raw.dtype.is_float() and dtype.is_integer()
    return None if must_be_whole and bool((raw != raw.floor()).any()) else listed


def encode_values(domain: Domain, values: pl.Series) -> np.ndarray:
    """Return the codes of values in a domain; null takes the last code."""
    dtype = _narrowest_type(domain.size)
    distinct = domain.values
    if len(values) == 0 or len(distinct) == 0:
        return np.full(len(values), max(domain.size - 1, 0), dtype=dtype)
    if distinct.dtype in (pl.String, pl.Enum):
        texts = distinct.cast(pl.String)
        if isinstance(values.dtype, pl.Enum):
            lookup = texts.to_frame("v").with_row_index("code")
            order = values.dtype.categories.to_frame("v").join(lookup, on="v", how="left", maintain_order="left")[
                "code"
            ]
            physical = values.to_physical().fill_null(0).to_numpy()
            codes = order.fill_null(0).to_numpy().astype(dtype)[physical]
        else:
            codes = values.cast(pl.Enum(texts)).to_physical().fill_null(0).to_numpy().astype(dtype)
    elif distinct.dtype.is_integer() or distinct.dtype in (pl.Date, pl.Datetime):
        codes = _integer_codes(values.to_physical().fill_null(distinct.to_physical()[0]), distinct, dtype)
    else:
        filled = values.fill_null(distinct[0])
        codes = (
            distinct.search_sorted(filled).to_numpy().astype(dtype)
            if distinct.is_sorted()
            else _encode_by_join(filled, distinct, dtype)
        )
    if domain.missing:
        codes = np.where(values.is_null().to_numpy(), domain.size - 1, codes).astype(dtype)
    return np.asarray(codes)


def _integer_codes(values: pl.Series, distinct: pl.Series, dtype: Any) -> np.ndarray:
    """Encode integers: by a lookup table if their range is narrow, by binary search if it is wide."""
    numbers, present = values.to_numpy(), distinct.to_physical().to_numpy()
    low, high = int(present.min()), int(present.max())
    if high - low <= 4 * len(numbers) + 1000 and bool((present[1:] > present[:-1]).all()):
        if high < 1 << 63:  # differences of small types would overflow
            numbers, present = numbers.astype(np.int64, copy=False), present.astype(np.int64, copy=False)
        table = np.zeros(high - low + 1, dtype=dtype)
        table[present - low] = np.arange(len(present), dtype=dtype)
        return np.asarray(table[numbers - low])
    if distinct.is_sorted():
        return np.asarray(np.searchsorted(present, numbers).astype(dtype))
    return _encode_by_join(values, distinct.to_physical(), dtype)


def _encode_by_join(values: pl.Series, distinct: pl.Series, dtype: Any) -> np.ndarray:
    lookup = distinct.alias("v").to_frame().with_row_index("code")
    return (
        values.alias("v")
        .to_frame()
        .join(lookup, on="v", how="left", maintain_order="left")["code"]
        .to_numpy()
        .astype(dtype)
    )


def _narrowest_type(size: int) -> Any:
    return np.uint8 if size <= 1 << 8 else np.uint16 if size <= 1 << 16 else np.uint32


def json_value(value: Any) -> Any:
    """Return a value as it is written in a JSON document: dates and times as text."""
    return format_value(value) if isinstance(value, (datetime.date, datetime.datetime, datetime.time)) else value
