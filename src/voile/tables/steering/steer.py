"""The publisher's wishes for one column: its weight, its levels, and how its values are coded before anything else."""

from __future__ import annotations

import datetime
import difflib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from voile.errors import SchemaError, raise_together
from voile.plugins.number_text import parse_fraction, parse_whole

FEWEST_IN_TAIL = 3  # of two people each would know the other's value
FEWEST_IN_MEAN = 5  # of four, somebody between the two ends of a tight range would know the fourth value
PERIODS = ("year", "month")  # that dates are rounded to
Limit = int | float | str | datetime.date  # of a column of numbers or dates


@dataclass(frozen=True)
class Steer:
    """How one column should fare, where columns compete.

    `weight` says how much its loss counts when a method chooses (0: not at all). `finest` and `coarsest` are levels of
    its hierarchy: nothing finer and nothing coarser is published; `coarsest=0` means that it is never coarsened. With
    `by_rank` the loss of a range is measured by how many different values it covers, not by its width.

    `top`, `bottom` and `round` recode the values as the table is read: values above `top` become `top`, those below
    `bottom` become `bottom`, and numbers become the nearest multiple of `round`. With `round="year"` dates become their
    year, a number, and with `round="month"` the first day of their month, so that no exact date is published. With
    `tails=5` at least 5 people share the least and the greatest value of a sensitive column: round bounds that so many
    people reach are chosen from the table, unless `bottom` and `top` give them. With `mean=1` the mean of each group,
    rounded to multiples of 1, is published beside the ranges of a column of numbers.

    >>> Steer(weight=2, top=90)
    Steer(weight=2, top=90)
    >>> Steer(finest=2, coarsest=1)
    Traceback (most recent call last):
    ...
    voile.errors.SchemaError: The finest level (2) is coarser than the coarsest one (1).
    """

    weight: float = 1
    finest: int = 0
    coarsest: int | None = None
    by_rank: bool = False
    bottom: Limit | None = None
    top: Limit | None = None
    round: float | str | None = None
    tails: int | None = None
    mean: float | None = None

    def __post_init__(self) -> None:
        raise_together(SchemaError(fault, code="schema.steering") for fault in self._find_faults())

    def __repr__(self) -> str:
        return f"Steer({', '.join(f'{name}={value!r}' for name, value in self._wishes().items())})"

    def _find_faults(self) -> Iterator[str]:
        if not _is_number(self.weight) or self.weight < 0:
            yield "A weight must be a number from 0 up."
        for what in ("finest", "coarsest"):
            level = getattr(self, what)
            if type(level) is not int and not (what == "coarsest" and level is None):
                yield f"The {what} level must be a whole number."
                return
            if level is not None and level < 0:
                yield f"The {what} level must be 0 or more."
        if self.coarsest is not None and self.finest > self.coarsest:
            yield f"The finest level ({self.finest}) is coarser than the coarsest one ({self.coarsest})."
        if type(self.by_rank) is not bool:
            yield "by_rank must be true or false."
        if self.tails is not None and (type(self.tails) is not int or self.tails < FEWEST_IN_TAIL):
            yield f"The number of people in the tails must be a whole number from {FEWEST_IN_TAIL} up."
        if self.mean is not None and (not _is_number(self.mean) or self.mean <= 0):
            yield "The base to which group means are rounded must be a number above 0."
        if self.mean is not None and self.finest:
            yield "A group mean says more than the finest level allows."
        yield from self._find_coding_faults()

    def _find_coding_faults(self) -> Iterator[str]:
        limits = [value for value in (self.bottom, self.top) if value is not None]
        if not all(_is_number(value) or isinstance(value, (str, datetime.date)) for value in limits):
            yield "The top and the bottom must be numbers or dates."
            return
        if len(limits) == 2 and (_is_number(limits[0]) != _is_number(limits[1])):
            yield "The top and the bottom must be of one kind."
            return
        if len(limits) == 2 and _ordinal(limits[0]) > _ordinal(limits[1]):
            yield "The top lies below the bottom."
        if self.round is None:
            return
        if isinstance(self.round, str):
            yield from self._find_period_faults(limits)
        elif not _is_number(self.round) or self.round <= 0:
            yield "The base of rounding must be a number above 0."
        elif not all(_is_number(value) and _is_multiple(value, self.round) for value in limits):
            yield "With rounding, the top and the bottom must be multiples of its base."

    def _find_period_faults(self, limits: Sequence[Limit]) -> Iterator[str]:
        """Yield what is wrong with dates that are rounded to periods: limits are in the form of rounded values."""
        if self.round not in PERIODS:
            yield "The base of rounding must be a number above 0, or year or month for dates."
        elif self.tails is not None:
            yield "Dates have no tails."
        elif self.round == "year" and not all(type(value) is int for value in limits):
            yield "With dates rounded to years, the top and the bottom must be years, such as 1930."
        elif self.round == "month" and not all(str(value)[7:] == "-01" for value in limits):
            yield "With dates rounded to months, the top and the bottom must be first days of a month."

    def _wishes(self) -> dict[str, Any]:
        """Return the wishes that are not the usual ones."""
        return {
            each.name: getattr(self, each.name) for each in fields(self) if getattr(self, each.name) != each.default
        }

    @property
    def is_coded(self) -> bool:
        """Whether values are recoded as the table is read."""
        return (self.bottom, self.top, self.round, self.tails) != (None, None, None, None)

    @property
    def steers_loss(self) -> bool:
        """Whether it asks something of the method."""
        return bool(self._wishes().keys() - {"bottom", "top", "round", "tails"})

    @property
    def has_levels(self) -> bool:
        """Whether it names levels of a hierarchy; level 0 needs none."""
        return self.finest > 0 or bool(self.coarsest)

    def as_json(self) -> dict[str, Any]:
        """Return the wishes as a document states them: only those that are not the usual ones."""
        return {
            name: value.isoformat() if isinstance(value, datetime.date) else value
            for name, value in self._wishes().items()
        }


def parse_steering(steering: Mapping[str, Any]) -> tuple[dict[str, Steer], list[SchemaError]]:
    """Return the wishes for each column, and the problems with those that cannot be read."""
    parsed, problems = dict[str, Steer](), list[SchemaError]()
    for column, wishes in steering.items():
        try:
            parsed[column] = parse_steer(column, wishes)
        except SchemaError as error:
            problems.append(error)
    return parsed, problems


def parse_steer(column: str, wishes: Any) -> Steer:
    """Return the wishes for a column from a mapping, whose values may be text. SchemaError says what is wrong.

    >>> parse_steer("age", {"weight": "2", "top": "90"})
    Steer(weight=2, top=90)
    """
    if isinstance(wishes, Steer):
        return wishes
    known = [each.name for each in fields(Steer)]
    if not isinstance(wishes, Mapping) or not all(isinstance(name, str) for name in wishes):
        raise SchemaError(
            f"The wishes for {column!r} must be a table.", code="schema.steering", hint=f"It may have {_list(known)}."
        )
    unknown = [name for name in wishes if name not in known]
    if unknown:
        near = difflib.get_close_matches(unknown[0], known, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"There are {_list(known)}."
        raise SchemaError(f"Column {column!r} cannot be steered by {unknown[0]!r}.", code="schema.steering", hint=hint)
    try:
        return Steer(**{name: _parse_wish(name, value) for name, value in wishes.items()})
    except SchemaError as error:
        raise SchemaError(f"Column {column!r}: {error.message}", code="schema.steering", hint=error.hint) from None


def _parse_wish(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if name == "by_rank":
        return {"true": True, "yes": True, "false": False, "no": False}.get(value.strip().lower(), value)
    try:
        return parse_whole(value)
    except ValueError:
        pass
    try:
        return float(parse_fraction(value)) if name not in ("finest", "coarsest", "tails") else value
    except (ValueError, OverflowError):
        return value  # a date, or nothing that fits


def _list(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1]


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _is_multiple(value: Any, base: float) -> bool:
    return (Fraction(str(value)) / Fraction(str(base))).denominator == 1


def _ordinal(value: Limit) -> Any:
    return value if _is_number(value) else str(value)


USUAL = Steer()
