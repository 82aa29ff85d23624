"""A comparison as its user holds it: the table of trials with a page and files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voile.flow.compare.comparison_charts import draw_charts
from voile.flow.compare.trial import Trial
from voile.flow.compare.trial_table import TrialTable
from voile.flow.report.page_rendering import render
from voile.io import text_files
from voile.result_tables import ResultTable

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(TrialTable, ResultTable):
    """Trials on one table, as a page (`html`), as JSON (`as_json`), as a data frame (`frame`), or in files (`save`)."""

    def __repr__(self) -> str:
        kept = sum(row.kept for row in self.rows)
        best = f"best: {self.best.title}" if self.best else "best: none"
        if self.best is not None and self.best.recognisable:
            hiding = self.best_hiding.title if self.best_hiding else "none"
            best += f", in which everyone is recognisable; best that hides people: {hiding}"
        trials = f"{len(self.rows)} trial{'' if len(self.rows) == 1 else 's'}"
        return f"Comparison({trials}, {kept} keep{'s' if kept == 1 else ''} the promise; {best})"

    def _list_rows(self) -> list[dict[str, Any]]:
        return [
            {
                "method": row.title,
                "promise": row.promise,
                "kept": row.kept,
                "groups": None if row.fault else row.groups,
                "withheld": None if row.fault else row.withheld,
                self.by: row.loss(self.by),
                "why not": row.fault.message if row.fault else "",
            }
            for row in self.rows
        ]

    def to_polars(self) -> pl.DataFrame:
        """Return one row per trial and attack, with every loss beside it."""
        return self.frame()

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per trial and attack, with every loss beside it, as a pandas data frame."""
        return self.frame().to_pandas()

    @cached_property
    def html(self) -> str:
        """One self-contained page."""
        charts, content = draw_charts(self), self.as_json()
        trials = [
            {
                **row,
                "number": number,
                "loss": self.rows[number - 1].loss(self.by),
                "attack_faults": [item for item in row["reached"] if item["fault"]],
            }
            for number, row in enumerate(content["trials"], 1)
        ]
        released = [row for row in self.rows if row.fault is None]
        names = dict.fromkeys(item.measure for row in released for item in row.losses)
        measures = [
            {
                "title": self.measure_title(name),
                "decides": name == self.by,
                "values": [row.loss(name) for row in released],
            }
            for name in names
        ]
        return render(
            "comparison.html",
            "voile.flow.compare",
            **{name: content[name] for name in ("tool", "before", "note", "recognisable")},
            unit=self.unit,
            after=self.after,
            allow_lost=self.allow_lost,
            yardsticks=content.get("yardsticks", []),
            yardstick_note=content.get("yardstick_note", ""),
            size=self.unit.count(self.people),
            promises=[{**self._summary(promise), "heat": charts["heat"][promise]} for promise in self.promises],
            trials=trials,
            measures=measures,
            meanings=content["attacks"],
            prices=content["prices"],
            each_column=_list_columns(content["trials"]),
            measured=self.measure_title(self.by),
            risk_before=self.risk_before(),
            silent=self.silent_attacks(),
            drawn=charts,
        )

    def _summary(self, promise: str) -> dict[str, Any]:
        """The outcome for one promise: the best trial, how many keep it, and the reason if none can."""
        trials, best = [row for row in self.rows if row.promise == promise], self.best_for(promise)
        hiding = self.best_for(promise, hiding=True)
        hints = [row.fault.hint for row in trials if row.fault and row.fault.code.startswith("unsatisfiable")]
        return {
            "promise": promise,
            "best": self._name_trial(best),
            "hiding": self._name_trial(hiding),
            "tried": len(trials),
            "kept": sum(row.kept for row in trials),
            "reach": hints[0] if hints else "",
            "only_lost": self.only_lost(promise),
        }

    def _name_trial(self, trial: Trial | None) -> dict[str, Any] | None:
        """Name a trial with its number and its loss."""
        position = self.position(trial)
        if trial is None or position is None:
            return None
        named = {"title": trial.title, "number": position + 1, "recognisable": trial.recognisable}
        return {**named, "loss": trial.loss(self.by)}

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


def _list_columns(trials: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the loss and the share of `*` of each column in each trial that tells columns, as a table."""
    telling = [(number, trial["columns"]["each"]) for number, trial in enumerate(trials, 1) if trial["columns"]["each"]]
    if not telling:
        return None
    names = dict.fromkeys(entry["column"] for _, each in telling for entry in each)
    empty = {"loss": None, "stars": None}
    rows = [
        {
            "column": name,
            "cells": [next((item for item in each if item["column"] == name), empty) for _, each in telling],
        }
        for name in names
    ]
    return {"numbers": [number for number, _ in telling], "rows": rows}
