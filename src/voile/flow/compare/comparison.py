"""A comparison: the trials, which of them keep the promise, the best one, and the frontier of risk and loss."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from voile.flow.compare.trial import Reached, Trial
from voile.io import text_files
from voile.version import __version__

FORMAT = 1


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Trials on one table. `by` is the measure that decides, `before` what the attacks reach on the table as it is."""

    rows: tuple[Trial, ...]
    before: tuple[Reached, ...]
    by: str
    people: int

    def __repr__(self) -> str:
        kept = sum(row.kept for row in self.rows)
        best = f"best: {self.best.title}" if self.best else "best: none"
        trials = f"{len(self.rows)} trial{'' if len(self.rows) == 1 else 's'}"
        return f"Comparison({trials}, {kept} keep{'s' if kept == 1 else ''} the promise; {best})"

    @property
    def promises(self) -> tuple[str, ...]:
        """The policies that were compared, in the order they were asked for."""
        return tuple(dict.fromkeys(row.promise for row in self.rows))

    @property
    def best(self) -> Trial | None:
        """The trial that keeps the promise at the least loss; of several promises, the one that was asked for first."""
        return self.best_for(self.promises[0]) if self.rows else None

    def best_for(self, promise: str) -> Trial | None:
        """The trial that keeps one promise at the least loss; None where none keeps it. What was withheld, then the
        time, decides between equals."""
        fit = [(row.loss(self.by), row) for row in self.rows if row.kept and row.promise == promise]
        order = [(loss, row.withheld, number) for number, (loss, row) in enumerate(fit) if loss is not None]
        return fit[min(order)[2]][1] if order else None

    def frontier(self, attack: str | None = None, measure: str | None = None) -> list[Trial]:
        """The trials that no other beats in both risk and loss, in rising loss. Risk is the average belief of the
        strongest attack inside the promise, or of the named one."""
        placed = [(row.loss(measure or self.by), row.risk(attack), row) for row in self.rows if row.fault is None]
        found: list[tuple[float, float, Trial]] = []
        for loss, risk, row in sorted(_complete(placed), key=lambda item: (item[0], item[1])):
            if not found or risk < found[-1][1]:
                found.append((loss, risk, row))
        return [row for _, _, row in found]

    def as_json(self) -> dict[str, Any]:
        best = {promise: self._place(self.best_for(promise)) for promise in self.promises}
        return {
            "format": FORMAT,
            "tool": f"voile {__version__}",
            "people": self.people,
            "by": self.by,
            "best": self._place(self.best),
            "best_for": best,
            "frontier": [self._place(row) for row in self.frontier()],
            "trials": [row.as_json() for row in self.rows],
            "before": [asdict(item) for item in self.before],
        }

    def frame(self) -> pl.DataFrame:
        """One row for every trial and attack (or one, where nothing was attacked), with every loss beside it."""
        measures = list(dict.fromkeys(item.measure for row in self.rows for item in row.losses))
        table = []
        for row in self.rows:
            fault = row.fault.code if row.fault else None
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
                "fault": fault,
            }
            losses = {f"loss {name}": row.loss(name) for name in measures}
            for item in row.reached or (None,):
                table.append({**trial, **_attack(item), **losses})
        return pl.DataFrame(table, infer_schema_length=None)

    def measured(self, measure: str) -> str:
        """The title of a measure."""
        return next((item.title for row in self.rows for item in row.losses if item.measure == measure), measure)

    def risk_before(self, attack: str | None = None) -> float | None:
        """The risk of the table as it is, by the attacks that `Trial.risk` looks at."""
        inside = {item.title for row in self.rows for item in row.reached if item.inside}
        chosen = [
            item
            for item in self.before
            if item.limits not in ("gain", "distance")
            and (item.attack == attack if attack else item.title in inside or not inside)
        ]
        return max((item.mean for item in chosen if item.mean is not None), default=None)

    def charts(self, attack: str | None = None) -> dict[str, Any]:
        """The drawings as SVG at two widths: the frontier, and for every promise the matrix as a heat map."""
        from voile.flow.compare import comparison_charts
        from voile.flow.report import charts

        some = bool(self.frontier(attack))
        return {
            "frontier": charts.both(lambda width: comparison_charts.frontier(self, width, attack)) if some else None,
            "heat": {
                promise: {size: comparison_charts.heat(self, promise, size) for size in charts.WIDTHS}
                for promise in self.promises
            },
        }

    @cached_property
    def html(self) -> str:
        """One page with everything inside it."""
        from voile.flow.report.page_rendering import render

        drawn, told = self.charts(), self.as_json()
        trials = [
            {**row, "number": number, "attack_faults": [item for item in row["reached"] if item["fault"]]}
            for number, row in enumerate(told["trials"], 1)
        ]
        done = [row for row in self.rows if row.fault is None]
        names = dict.fromkeys(item.measure for row in done for item in row.losses)
        measures = [
            {"title": self.measured(name), "decides": name == self.by, "values": [row.loss(name) for row in done]}
            for name in names
        ]
        return render(
            "comparison.html",
            "voile.flow.compare",
            **{name: told[name] for name in ("tool", "people", "before")},
            promises=[{**self._summary(promise), "heat": drawn["heat"][promise]} for promise in self.promises],
            trials=trials,
            measures=measures,
            measured=self.measured(self.by),
            risk_before=self.risk_before(),
            silent=self._silent(),
            drawn=drawn,
        )

    def _silent(self) -> list[str]:
        """The attacks that apply to no release of any trial."""
        every = [item for row in self.rows for item in row.reached]
        spoken = {item.attack for item in every if item.worst is not None or item.fault is not None}
        return [name for name in dict.fromkeys(item.attack for item in every) if name not in spoken]

    def _summary(self, promise: str) -> dict[str, Any]:
        own, best = [row for row in self.rows if row.promise == promise], self.best_for(promise)
        place = self._place(best)
        named = (
            {"title": best.title, "loss": best.loss(self.by), "number": place + 1}
            if best and place is not None
            else None
        )
        reach = [row.fault.hint for row in own if row.fault and row.fault.code.startswith("unsatisfiable")]
        kept = sum(row.kept for row in own)
        return {"promise": promise, "best": named, "tried": len(own), "kept": kept, "reach": reach[0] if reach else ""}

    def save(self, folder: str | Path) -> Path:
        """Write comparison.json, comparison.csv and comparison.html. Returns the page."""
        place = Path(folder)
        texts = {
            place / "comparison.html": self.html,
            place / "comparison.json": json.dumps(self.as_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n",
            place / "comparison.csv": self.frame().write_csv(),
        }
        text_files.write_texts(texts, "comparison")
        return place / "comparison.html"

    def _place(self, trial: Trial | None) -> int | None:
        return None if trial is None else next(number for number, row in enumerate(self.rows) if row is trial)


def _complete(placed: Sequence[tuple[float | None, float | None, Trial]]) -> list[tuple[float, float, Trial]]:
    return [(loss, risk, row) for loss, risk, row in placed if loss is not None and risk is not None]


def _attack(item: Reached | None) -> dict[str, Any]:
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
