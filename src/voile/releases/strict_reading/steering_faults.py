"""Faults in what a dictionary says about the publisher's wishes: above all, values that cannot have been coded so."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import polars as pl

from voile.errors import SchemaError
from voile.releases.cells.column_types import parse_type
from voile.tables.steering.steer import Steer
from voile.tables.steering.value_coding import breaks_coding, check_coding, describe_coding, read_wishes
from voile.tables.value_text import parse_values


def steering_faults(entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the wishes of an entry whose other parts are right."""
    try:
        steer = read_wishes(entry)
        dtype = parse_type(entry["type"])
        assert dtype is not None, "checked with the entry"
        check_coding("", str(entry["kind"]), dtype, steer)
    except (SchemaError, TypeError, AttributeError):
        yield "'steering' holds something else than wishes for such a column"
        return
    if "steering" in entry and (entry["steering"] != steer.as_json() or not entry["steering"]):
        yield "'steering' lists wishes that are the usual ones"
    if entry.get("coded", "") != describe_coding(steer):
        yield "'coded' says something else than how values are coded"
    elif steer.steers_loss and entry["role"] != "quasi":
        yield "'steering' weighs a column that is not coarsened"
    elif steer.tails is not None and entry["role"] != "sensitive":
        yield "'steering' bounds the tails of a column that is not sensitive"
    elif _breaks_coding(entry, steer, dtype):
        yield "its domain holds values that are not coded as it says"


def _breaks_coding(entry: Mapping[str, Any], steer: Steer, dtype: pl.DataType) -> bool:
    """Whether a column of single values has some that the coding rules out. Ranges may end at labels of a hierarchy,
    which know nothing of the coding."""
    domain = entry["domain"]
    ends = [*domain.get("values", ()), *(domain[end] for end in ("min", "max") if end in domain)]
    if not steer.is_coded or entry["shown"] != "exact" or domain.get("declared") or not ends:
        return False
    values = pl.Series(ends, dtype=dtype) if dtype.is_numeric() else parse_values(pl.Series(map(str, ends)), dtype)
    return breaks_coding(steer, dtype, values)


def shows_uncoded_values(entry: Mapping[str, Any], labels: Collection[str]) -> bool:
    """Whether some label of a generalized column is a single value that the stated coding rules out."""
    steer, dtype = read_wishes(entry), parse_type(entry["type"])
    if not steer.is_coded or dtype is None:
        return False
    values = parse_values(pl.Series(sorted(labels), dtype=pl.String), dtype).drop_nulls()
    return len(values) > 0 and breaks_coding(steer, dtype, values)
