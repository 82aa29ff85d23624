"""The choice of how many rows per person to publish: each choice publishes the table, in memory only, and is counted.

With few rows per person many rows are left out; with many, groups must be larger, because a promise about people needs
that many times more rows per group. A table of the choices shows both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from voile.errors import SpecError, Unsatisfiable
from voile.flow.measure.measure import measure
from voile.flow.publish.publish import publish
from voile.measures.certainty import Certainty
from voile.methods.base import Method
from voile.methods.mondrian.mondrian import Mondrian
from voile.models.base import Model
from voile.models.policy import Policy
from voile.result_tables import ResultTable
from voile.tables.microdata import Microdata, require_people
from voile.tables.secret_key import Key
from voile.tables.unit import PERSON_COLUMN, Unit


@dataclass(frozen=True)
class RowLimitTrial:
    """The release with at most `rows_per_person` rows per person: how many `rows` it shows, how many are `left_out`
    because their people have more and `withheld` to keep the promise, its `groups` and its `loss` (certainty penalty).
    Where there is no such release, `fault` says why and `best` what could be promised instead."""

    rows_per_person: int
    left_out: int
    rows: int | None = None
    withheld: int | None = None
    groups: int | None = None
    loss: float | None = None
    fault: str = ""
    best: str = ""

    @property
    def explanation(self) -> str:
        """Why there is no release, in a few words."""
        return f"out of reach: {self.best}" if self.best else self.fault


@dataclass(frozen=True)
class RowLimitComparison(ResultTable):
    """The result of `compare_rows_per_person`: the table has `rows` rows of `people` people, of whom somebody has
    `most`; one trial per choice."""

    people: int
    rows: int
    most: int
    trials: tuple[RowLimitTrial, ...]

    def __str__(self) -> str:
        title = f"{self.rows:,} rows of {self.people:,} people, at most {self.most:,} each"
        heads = _write_line("rows per person", "rows", "left out", "withheld", "groups", "loss")
        return "\n".join([title, heads, *map(_write_trial, self.trials)])

    def _list_rows(self) -> list[dict[str, Any]]:
        return [asdict(trial) for trial in self.trials]

    def _write_caption(self) -> str:
        return str(self).partition("\n")[0]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def _write_trial(trial: RowLimitTrial) -> str:
    limit, left_out = str(trial.rows_per_person), f"{trial.left_out:,}"
    if trial.loss is None:
        return f"{_write_line(limit, '–', left_out)}  {trial.explanation}"
    counts = (f"{count:,}" for count in (trial.withheld, trial.groups))
    return _write_line(limit, f"{trial.rows:,}", left_out, *counts, f"{trial.loss:.4f}")


def _write_line(limit: str, *cells: str) -> str:
    return limit.rjust(15) + "".join(cell.rjust(11) for cell in cells)


def compare_rows_per_person(
    data: Microdata,
    policy: Policy | Model,
    method: Method | None = None,
    choices: Sequence[int] | None = None,
    *,
    key: Key | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> RowLimitComparison:
    """Publish a table with different numbers of rows per person, in memory, and count what each choice costs.

    `data` must name a column that tells people apart. The choices are 1, 2, 3, 5, 8 and so on, up to the most rows that
    anybody has, unless they are given; the method is Mondrian by default. All releases are made with the same key.
    `progress` is told how many choices are tried, of how many, and the next one.

    >>> import polars as pl
    >>> import voile as vl
    >>> frame = pl.DataFrame({"patient": [n % 40 for n in range(100)], "age": [n % 40 + 20 for n in range(100)]})
    >>> data = vl.read(frame, vl.Schema(quasi=["age"], person="patient"))
    >>> print(vl.compare_rows_per_person(data, vl.KAnonymity(k=5)))
    100 rows of 40 people, at most 3 each
    rows per person       rows   left out   withheld     groups       loss
                  1         40         60          0          8     0.1026
                  2         80         20          0          8     0.1026
                  3        100          0          0          4     0.2303
    """
    table, key = require_people(data), key or Key.fresh()
    if any(limit < 1 for limit in choices or ()):
        raise SpecError("Less than 1 row per person would publish nobody.", code="spec.choices", hint="Start with 1.")
    most = len(table.people_by_rows) - 1
    limits, trials = choices or list_choices(most), list[RowLimitTrial]()
    for limit in limits:
        if progress is not None:
            progress(len(trials), len(limits), f"At most {limit} rows per person")
        trials.append(_try_limit(data, policy, method or Mondrian(), limit, key))
    return RowLimitComparison(table.people, table.total, most, tuple(trials))


def list_choices(most: int) -> list[int]:
    """List the Fibonacci numbers below the most rows that anybody has, and that number.

    >>> list_choices(20)
    [1, 2, 3, 5, 8, 13, 20]
    """
    choices, after = [1], 2
    while after < most:
        choices.append(after)
        after += choices[-2] if len(choices) > 1 else 1
    return choices if most <= 1 else [*choices, most]


def _try_limit(data: Microdata, policy: Policy | Model, method: Method, limit: int, key: Key) -> RowLimitTrial:
    data = replace(data, unit=Unit(limit, PERSON_COLUMN))
    left_out = data.count_left_out()
    try:
        release = publish(data, policy, method, key=key)
    except Unsatisfiable as error:
        return RowLimitTrial(limit, left_out, fault=error.message, best=error.best)
    except SpecError as error:
        if any(problem.code != "policy.rows-per-person" for problem in error.problems):
            raise  # the request is wrong, whatever the choice
        return RowLimitTrial(limit, left_out, fault=error.message)
    (loss,) = measure(data, release, [Certainty()]).items
    withheld = int(release.dictionary.get("withheld", 0))
    return RowLimitTrial(limit, left_out, release.people, withheld, release.groups, loss.value)
