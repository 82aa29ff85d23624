"""Bounds of a sensitive column of numbers that enough people reach: nobody's extreme value is published.

A bound is an order statistic, so it is rounded: it tells that at least n people reach it and that fewer reach the next
round number, and nothing else about any of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

import polars as pl

from voile.errors import DataError, option
from voile.flow.read.chunk_coding import clip_chunk
from voile.tables.part_protocol import Parts
from voile.tables.schema import Schema
from voile.tables.steering.steer import Steer
from voile.tables.steering.value_coding import code_values

SHARE_OF_RANGE, SHARE_OF_BOUND = Fraction(1, 20), Fraction(1, 10)  # at most so much is lost by rounding a bound


def bound_tails(
    coded: Parts, values: Mapping[str, pl.DataFrame], schema: Schema
) -> tuple[Parts, dict[str, pl.DataFrame], Schema]:
    """Choose the bounds of the columns whose tails are to be bounded; apply them to the values and to the chunks, and
    state them in the schema."""
    steering = {name: schema.steer(name) for name in schema.steering}
    bounds = {
        name: choose_bounds(name, values[name], steer)
        for name, steer in steering.items()
        if steer.tails is not None and values[name]["value"].dtype.is_numeric()
    }
    if not bounds:
        return coded, dict(values), schema
    bounded = dict(values)
    for name, steer in bounds.items():
        table = values[name].with_columns(code_values(name, values[name]["value"], steer).alias("value"))
        bounded[name] = table.group_by("value").agg(pl.col("count").sum()).sort("value", nulls_last=True)
    return coded.map_lazily(clip_chunk, bounds), bounded, replace(schema, steering={**steering, **bounds})


def choose_bounds(name: str, table: pl.DataFrame, steer: Steer) -> Steer:
    """Return the wishes with a bottom and a top that at least `tails` people reach. An end that so many people share
    needs none, and an end that is given is only checked.

    >>> table = pl.DataFrame({"value": [*range(0, 2000, 10), 98_765], "count": [1] * 201})
    >>> choose_bounds("income", table, Steer(tails=5))
    Steer(bottom=40, top=1950, tails=5)
    """
    table = table.drop_nulls("value").sort("value")
    people, fewest = int(table["count"].sum()), steer.tails or 0
    if people < 2 * fewest:
        raise DataError(
            f"The tails of {name!r} cannot have {fewest} people each: only {people} have a value.",
            code="data.tails",
            hint="Ask for fewer people in the tails, or leave the column out.",
        )
    upto = table["count"].cum_sum()
    low = table["value"].filter(upto >= fewest)[0]
    high = table["value"].filter(people - upto + table["count"] >= fewest)[-1]
    base = Fraction(str(steer.round)) if steer.round is not None else None
    base = Fraction(1) if base is None and table["value"].dtype.is_integer() else base
    bottom, top = (_round_bound(low, high - low, base, math.ceil), _round_bound(high, high - low, base, math.floor))
    whole = table["value"].dtype.is_integer()
    return replace(
        steer,
        bottom=_settle(name, "bottom", steer, table[0], int(bottom) if whole else float(bottom)),
        top=_settle(name, "top", steer, table[-1], int(top) if whole else float(top)),
    )


def _settle(name: str, what: str, steer: Steer, end: pl.DataFrame, bound: float) -> float | None:
    """Return the bound of one end, whose outermost value and its people are given: none if enough people share it."""
    given, (value, people) = getattr(steer, what), end.row(0)
    if people >= (steer.tails or 0) and given in (None, value):
        return given  # type: ignore[no-any-return]  # a number, as the column
    if given is None:
        return bound
    raise DataError(
        f"Fewer than {steer.tails} people reach the {what} of {name!r}.",
        code="data.tails",
        hint=f"Choose another {what}, or leave it out: a round one that enough people reach is then chosen.",
    )


def _round_bound(value: float, width: float, base: Fraction | None, towards: Callable[[Fraction], int]) -> Fraction:
    """Round a bound inwards to a multiple of 1, 2 or 5 times a power of ten (times the base), where little is lost."""
    exact = Fraction(value)
    limits = [Fraction(width) * SHARE_OF_RANGE, *([abs(exact) * SHARE_OF_BOUND] if exact else [])]
    limit = min(limits)
    if not limit or (base is not None and limit < base):
        return exact
    unit = base or Fraction(1)
    power = math.floor(math.log10(limit / unit))
    steps = [unit * digit * Fraction(10) ** (power + more) for more in (-1, 0, 1) for digit in (1, 2, 5)]
    step = max(step for step in steps if step <= limit and (base is None or step >= base))
    return towards(exact / step) * step


def check_people_in_tails(schema: Schema, rows: int, people: int) -> None:
    """Refuse to count the people of a tail where somebody has several rows, of which some are drawn later."""
    names = [name for name in schema.steering if schema.steer(name).tails is not None]
    if names and rows > people:
        raise DataError(
            f"The table has {rows:,} rows of {people:,} people, so its rows do not tell how many people are in the "
            f"tails of {names[0]!r}.",
            code="data.tails",
            hint=f"Give the column a bottom and a top instead of tails ({option('steering')}).",
        )
