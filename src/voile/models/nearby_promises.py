"""Nearby promises: how far a parameter can go on a table, and what can be promised instead of what is out of reach.

Merging groups never breaks a monotone promise, so one that fails for the whole table as one group fails for every
grouping, and one count of the table decides it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial

import numpy as np

from voile.errors import PolicyError, VoileError
from voile.models.abilities import check_fit
from voile.models.alpha_k import AlphaK
from voile.models.base import Model
from voile.models.k_anonymity import KAnonymity
from voile.models.kinds import SizeModel, SpansReleases
from voile.models.t_closeness.t_closeness import TCloseness
from voile.plugins.parameters import Limits
from voile.plugins.registry import knob_fields
from voile.tables.group_counts import Counts, sizes_only
from voile.tables.schema import Column, Columns

DIGITS = 3  # decimals of a parameter that is not an integer
FARTHEST = 1 << 40  # where the search for the largest value ends
BELIEFS = ("belief", "protected belief")
Choice = tuple[tuple[Model, ...], str]  # models, and why they are proposed


@dataclass(frozen=True)
class Reach:
    """How far one parameter of a model can go on a table while the others stay the same. If `most` is true, `value` is
    the largest value that can be kept, else the smallest. Reaching it may take a single group of everybody, which is
    a great loss."""

    knob: str
    value: float
    most: bool

    def __str__(self) -> str:
        return f"the {'largest' if self.most else 'smallest'} possible {self.knob} is {self.value:g}"


@dataclass(frozen=True)
class WholeTable:
    """A table as one group of everybody: its columns, how often each sensitive value occurs, and its rows."""

    columns: Columns
    tallies: Mapping[str, Counts]
    total: int

    def keeps(self, model: Model) -> bool:
        """Return whether the table in one group keeps a promise; a model that does not fit a column keeps nothing."""
        try:
            return all(self._holds(model, column) for column in model.targets(self.columns))
        except VoileError:
            return False

    def _holds(self, model: Model, column: Column | None) -> bool:
        check_fit(model, column)
        counts = self.tallies[column.name] if column else sizes_only(np.array([self.total]))
        return bool(model.holds(counts)[0])

    def largest_share(self, model: Model) -> float:
        """Return the share of the most frequent value, in the column of the model's where it is greatest."""
        names = [column.name for column in model.targets(self.columns) if column is not None]
        most = max((int(self.tallies[name].totals.max(initial=0)) for name in names), default=0)
        return most / max(self.total, 1)


def is_decided_by_counts(model: Model) -> bool:
    """Return whether one group of everybody decides the model: it counts, is monotone, and is about this table only."""
    return (
        model.monotone
        and model.basis == "counts"
        and not isinstance(model, SpansReleases)
        and not any(isinstance(getattr(model, field.name), Model) for field in fields(model))
    )


def find_reach(model: Model, table: WholeTable) -> tuple[Reach, ...]:
    """Return how far each numeric parameter of a model can go, where counts decide it."""
    results = []
    for field in knob_fields(type(model)) if is_decided_by_counts(model) else ():
        limits, value = field.metadata.get("limits"), getattr(model, field.name)
        if limits is None or isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        limit = _find_limit(partial(_holds_with, model, field.name, table.keeps), limits, isinstance(value, int))
        if limit is not None:
            reached, most = limit
            # the largest number in the unit of the values, such as the width of their range, would tell a cell
            in_their_unit = most and "float" in str(field.type) and limits.high is None
            results.append(Reach(field.name, _round_off(reached) if in_their_unit else reached, most))
    return tuple(results)


def propose_models(models: Sequence[Model], table: WholeTable) -> list[Choice]:
    """Propose what can be promised instead of models of which some are out of reach: the nearest proposal first, each
    with the reason. Every proposal holds for the table as one group; models that counts do not decide stay."""
    choices: list[list[Choice]] = [
        [((model,), "")]
        if not is_decided_by_counts(model) or table.keeps(model)
        else list(_list_choices(model, models, table))
        for model in models
    ]
    if not all(choices) or all(len(options) == 1 and not options[0][1] for options in choices):
        return []
    proposals = []
    for number in range(max(map(len, choices))):
        chosen = [options[min(number, len(options) - 1)] for options in choices]
        proposals.append(
            (tuple(model for some, _ in chosen for model in some), " ".join(why for _, why in chosen if why))
        )
    return proposals


def _list_choices(model: Model, models: Sequence[Model], table: WholeTable) -> Iterator[Choice]:
    """Yield models that hold where this one does not: itself with another number, then others of its kind."""
    limits = {field.name: field.metadata.get("limits") or Limits() for field in knob_fields(type(model))}
    for reach in find_reach(model, table):
        changed = replace(
            model,
            **{reach.knob: _leave_room(reach, limits[reach.knob], table.total // getattr(model, "rows_per_person", 1))},
        )
        if table.keeps(changed):
            yield (changed,), f"{str(reach)[:1].upper()}{str(reach)[1:]}."
    if model.limits not in BELIEFS or isinstance(model, AlphaK):
        return
    rows, column = getattr(model, "rows_per_person", 1), getattr(model, "column", None)
    share = table.largest_share(model)
    alpha, size = room_above(share * rows), max(other.smallest() for other in models) // rows
    bounded = AlphaK(alpha=alpha, k=max(size, 2), column=column, rows_per_person=rows) if alpha < 1 else None
    if bounded is not None and table.keeps(bounded):
        yield (bounded,), f"One value covers {100 * share:.0f} % of rows; belief in a value stays at most {alpha:g}."
    ordered = all(target is not None and target.kind != "categorical" for target in model.targets(table.columns))
    close = TCloseness(distance="ordered" if ordered else "equal", column=column)
    if rows == 1 and table.keeps(close):
        effect = "" if ordered else f", so belief in a value changes by at most {close.t:g}"
        sizes = () if any(isinstance(other, SizeModel) for other in models) else (KAnonymity(k=max(size, 2)),)
        yield (*sizes, close), f"The values of every group are distributed nearly as in the whole table{effect}."


def room_above(share: float) -> float:
    """Return a bound half way between a share and 1, so that groups may differ from the whole table; 1 if the share
    is so near to 1 that no bound is left.

    >>> room_above(0.76), room_above(0.99), room_above(1.2)
    (0.88, 0.995, 1.0)
    """
    middle = (1 + share) / 2
    rounded = (math.ceil(round(middle * 10**digits, 6)) / 10**digits for digits in (2, 3, 4))
    return next((bound for bound in rounded if bound < 1), 1.0)


def _round_off(value: float) -> float:
    """Round down to two digits.

    >>> _round_off(31337.42)
    31000.0
    """
    unit = 10.0 ** (math.floor(math.log10(value)) - 1) if value > 0 else 1.0
    return round(math.floor(value / unit) * unit, DIGITS)


def _leave_room(reach: Reach, limits: Limits, people: int) -> float:
    """Return a value within reach that does not take a single group of everybody, where there is one. A number that can
    be as large as the number of people is the size of a group: half of it leaves two groups."""
    if not reach.most:
        return room_above(reach.value) if limits.high == 1 else 2 * reach.value
    halved = people // 2
    return halved if reach.value == people and halved >= (limits.low or 0) else reach.value


def _holds_with(model: Model, name: str, keeps: Callable[[Model], bool], value: float) -> bool:
    try:
        return keeps(replace(model, **{name: value}))
    except PolicyError:
        return False


def _find_limit(holds_at: Callable[[float], bool], limits: Limits, whole: bool) -> tuple[float, bool] | None:
    """Find the last value on a grid that holds, and whether it is the largest; None if all or no values hold."""
    unit = 1 if whole else 10**DIGITS
    low = math.ceil((limits.low if limits.low is not None else limits.above or 0) * unit)
    low += limits.low is None
    value: Callable[[int], float] = (lambda step: step) if whole else (lambda step: step / unit)
    far = math.floor(limits.high * unit) if limits.high is not None else max(low, 1)
    while limits.high is None and far < FARTHEST and holds_at(value(far)):
        far *= 2
    holds_low, holds_far = holds_at(value(low)), holds_at(value(far))
    if holds_low == holds_far:
        return None
    inside, outside = (low, far) if holds_low else (far, low)
    while abs(outside - inside) > 1:
        middle = (inside + outside) // 2
        inside, outside = (middle, outside) if holds_at(value(middle)) else (inside, middle)
    return value(inside), holds_low
