"""The results of a comparison: the trials, the best of those that keep the promise, the frontier of risk and loss."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import polars as pl

from voile.errors import FIXED_BEFOREHAND, RECOGNISABLE
from voile.flow.compare.attack_meanings import explain_attacks
from voile.flow.compare.trial import AttackResult, Trial
from voile.flow.compare.yardstick import NOTE, YardstickResult
from voile.flow.measure.size_losses import StepPrice
from voile.tables.unit import ONE_ROW, Unit
from voile.version import __version__

FORMAT = 1


@dataclass(frozen=True, eq=False, repr=False)
class TrialTable:
    """Trials on one table. `by` is the measure that decides; `before` are the same attacks on the original table.
    `people` counts the rows that every trial starts from, and `unit` says how many of them a person may have; `after`
    counts the earlier releases that every trial was published after. A release that has lost a column wins only with
    `allow_lost`. `yardsticks` are synthetic tables, which never win. `prices` say what the steps nearest to the first
    policy would cost, by the sizes of groups alone."""

    rows: tuple[Trial, ...]
    before: tuple[AttackResult, ...]
    by: str
    people: int
    unit: Unit = ONE_ROW
    after: int = 0
    allow_lost: bool = False
    yardsticks: tuple[YardstickResult, ...] = ()
    prices: tuple[StepPrice, ...] = ()

    def with_trial(self, trial: Trial) -> Self:
        """Return the table with one trial more. Of trials that gave the same release, the one stays of which attacks
        learn least, and names the others."""
        for position, row in enumerate(self.rows):
            if row.equals(trial):
                kept, other = (row, trial) if row.exposure <= trial.exposure else (trial, row)
                named = replace(kept, also=(*row.also, other.title))
                return replace(self, rows=(*self.rows[:position], named, *self.rows[position + 1 :]))
        return replace(self, rows=(*self.rows, trial))

    @property
    def promises(self) -> tuple[str, ...]:
        """The policies that were compared, in the order of the request."""
        return tuple(dict.fromkeys(row.promise for row in self.rows))

    @property
    def best(self) -> Trial | None:
        """The trial that keeps the promise at the least loss; with several promises, the first one requested."""
        return self.best_for(self.promises[0]) if self.rows else None

    def best_for(self, promise: str, *, hiding: bool = False) -> Trial | None:
        """The trial that keeps one promise at the least loss; None if none keeps it without losing a column. Between
        equals the one that withholds fewer rows wins, then the one that was run first. With `hiding`, only trials
        count in which nobody is recognisable by exact quasi-identifiers."""
        able = [row for row in self.rows if self.may_win(row) and not (hiding and row.recognisable)]
        fit = [(row.loss(self.by), row) for row in able if row.promise == promise]
        order = [(loss, row.withheld, position) for position, (loss, row) in enumerate(fit) if loss is not None]
        return fit[min(order)[2]][1] if order else None

    @property
    def best_hiding(self) -> Trial | None:
        """The best trial in which nobody is recognisable by exact quasi-identifiers."""
        return self.best_for(self.promises[0], hiding=True) if self.rows else None

    def may_win(self, row: Trial) -> bool:
        """Whether a trial keeps its promise and, unless that is allowed, has lost no column."""
        return row.kept and (self.allow_lost or not row.lost)

    def only_lost(self, promise: str) -> bool:
        """Whether trials keep a promise, and each of them has lost a column."""
        kept = [row for row in self.rows if row.kept and row.promise == promise]
        return bool(kept) and not any(map(self.may_win, kept))

    def frontier(self, attack: str | None = None, measure: str | None = None) -> list[Trial]:
        """The trials that no other beats in both risk and loss, by rising loss. Risk is the average belief of the
        strongest attack inside the promise, or of the named one."""
        points = []
        for row in self.rows:
            loss, risk = row.loss(measure or self.by), row.risk(attack)
            if row.fault is None and loss is not None and risk is not None:
                points.append((loss, risk, row))
        unbeaten: list[tuple[float, float, Trial]] = []
        for loss, risk, row in sorted(points, key=lambda point: point[:2]):
            if not unbeaten or risk < unbeaten[-1][1]:
                unbeaten.append((loss, risk, row))
        return [row for _, _, row in unbeaten]

    def measure_title(self, measure: str) -> str:
        return next((item.title for row in self.rows for item in row.losses if item.measure == measure), measure)

    def risk_before(self, attack: str | None = None) -> float | None:
        """The risk of the original table, by the attacks that `Trial.risk` looks at."""
        inside = {item.title for row in self.rows for item in row.reached if item.inside}
        chosen = [
            item
            for item in self.before
            if item.is_bet and (item.attack == attack if attack else item.title in inside or not inside)
        ]
        return max((item.mean for item in chosen if item.mean is not None), default=None)

    def silent_attacks(self) -> list[str]:
        """The attacks that apply to no release of any trial."""
        results = [item for row in self.rows for item in row.reached]
        spoken = {item.attack for item in results if item.worst is not None or item.fault is not None}
        return [name for name in dict.fromkeys(item.attack for item in results) if name not in spoken]

    def position(self, trial: Trial | None) -> int | None:
        """Where a trial is in `rows`."""
        return None if trial is None else next(position for position, row in enumerate(self.rows) if row is trial)

    def as_json(self) -> dict[str, Any]:
        best = {promise: self.position(self.best_for(promise)) for promise in self.promises}
        return {
            "format": FORMAT,
            "tool": f"voile {__version__}",
            "people": self.people,
            "unit": self.unit.as_json(),
            **({"after": self.after} if self.after else {}),
            "by": self.by,
            "allow_lost": self.allow_lost,
            "best": self.position(self.best),
            "best_for": best,
            "best_hiding": self.position(self.best_hiding),
            "frontier": [self.position(row) for row in self.frontier()],
            "trials": [{**row.as_json(), "columns": self._describe_columns(row)} for row in self.rows],
            "attacks": [item.as_json() for item in explain_attacks(self.rows)],
            "prices": [item.as_json() for item in self.prices],
            "before": [asdict(item) for item in self.before],
            **self._list_yardsticks(),
            "note": FIXED_BEFOREHAND,
            "recognisable": RECOGNISABLE,
            "only_lost": [promise for promise in self.promises if self.only_lost(promise)],
        }

    def _list_yardsticks(self) -> dict[str, Any]:
        listed = [item.as_json() for item in self.yardsticks]
        return {"yardsticks": listed, "yardstick_note": NOTE} if listed else {}

    def _describe_columns(self, row: Trial) -> dict[str, Any]:
        """The loss of the median and of the worst column, where the measure that decides tells columns; and of each
        column its loss and its share of `*`."""
        named = dict(zip(("median", "worst", "worst_loss"), row.column_losses(self.by), strict=True))
        return {**named, "each": row.describe_columns(self.by)}

    def frame(self) -> pl.DataFrame:
        """One row per trial and attack (one per trial if nothing was attacked), with every loss beside it."""
        measures = list(dict.fromkeys(item.measure for row in self.rows for item in row.losses))
        table = []
        for row in self.rows:
            trial = {
                "method": row.title,
                "promise": row.promise,
                "kept": row.kept,
                "best": any(row is self.best_for(promise) for promise in self.promises),
                "verified": row.verified,
                "seconds": row.seconds,
                "people": row.people,
                "groups": row.groups,
                "withheld": row.withheld,
                "lost columns": ", ".join(row.lost),
                "recognisable": row.recognisable,
                "fault": row.fault.code if row.fault else None,
            }
            losses = {f"loss {name}": row.loss(name) for name in measures}
            median, worst, most = row.column_losses(self.by)
            losses |= {"loss median column": median, "worst column": worst, "loss worst column": most}  # type: ignore[dict-item]
            for item in row.reached or (None,):
                table.append({**trial, **_attack_fields(item), **losses})
        return pl.DataFrame(table, infer_schema_length=None)


def _attack_fields(item: AttackResult | None) -> dict[str, Any]:
    return {
        "attack": item.attack if item else None,
        "title": item.title if item else None,
        "column": item.column if item else None,
        "worst": item.worst if item else None,
        "mean": item.mean if item else None,
        "guessing": item.baseline if item else None,
        "bound": item.bound if item else None,
        "share above": item.share if item else None,
        "inside the promise": item.inside if item else None,
        "passed": item.passed if item else None,
    }
