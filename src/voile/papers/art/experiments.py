"""The experiments of the ART report on the Adult table: figure 1, and the factors r, query dimensionality and
selectivity, for every method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

import polars as pl

from voile.papers.art.contenders import CONTENDERS, PUBLISHED
from voile.papers.art.stage import ASKED, DEFAULT, DIMENSIONS, SELECTIVITIES, SELECTIVITY, measure_point
from voile.papers.paper import Run

BANDS = ("error", "set_error", "binary", "delta")  # with the least and the greatest of all repetitions
PLAIN = ("contradicted", "withheld", "delta_with_case", "ceiling", "groups", "removed")
TYPES = {
    "method": pl.String,
    "seconds": pl.Float64,
    **{f"{name}{end}": pl.Float64 for name in BANDS for end in ("", "_low", "_high")},
    **dict.fromkeys(("problematic", "problematic_low", "problematic_high", "statistics_alone", "bound"), pl.Float64),
    **dict.fromkeys(PLAIN, pl.Float64),
    "gap": pl.String,
}
TIMES = ("seconds",)


def measure_sizes(run: Run) -> pl.DataFrame:
    """All measures against the number of quasi-identifier columns, r = 10."""
    return _measure(run, "qi_size", [(size, size, 10) for size in ((3, 5, 8) if run.quick else range(3, 9))])


def measure_r(run: Run) -> pl.DataFrame:
    """All measures against r."""
    return _measure(run, "r", [(r, DEFAULT, r) for r in ((2, 6, 10) if run.quick else range(2, 11))])


def ask_dimensions(run: Run) -> pl.DataFrame:
    """The relative error against the number of columns in a query."""
    return _ask(run, "dimensions", [(dimensions, f"{dimensions} {SELECTIVITY:g}") for dimensions in DIMENSIONS])


def ask_selectivity(run: Run) -> pl.DataFrame:
    """The relative error against the expected selectivity of a query."""
    return _ask(run, "selectivity", [(share, f"{DEFAULT} {share:g}") for share in SELECTIVITIES])


def _measure(run: Run, factor: str, places: Sequence[tuple[int, int, int]]) -> pl.DataFrame:
    rows: list[dict[str, Any]] = []
    for number, (x, size, r) in enumerate(places):
        at_x = []
        for place, who in enumerate(CONTENDERS):
            run.step(number * len(CONTENDERS) + place, len(places) * len(CONTENDERS), f"{who.name}, {factor} {x}")
            at_x.append({factor: x, "method": who.name, **_summarize(measure_point(run, who, size, r))})
        bound = next(row["ceiling"] for row in at_x if row["method"] == PUBLISHED)
        rows += [{**row, "bound": bound} for row in at_x]
    run.step(1, 1, "done")
    return pl.DataFrame(rows, schema={factor: pl.Int64, **TYPES})


def _summarize(point: dict[str, Any]) -> dict[str, Any]:
    """Return one row from the repetitions of a point: means, and the least and the greatest. The band around the
    problematic people goes from those who are certain to those whom a sound bound does not clear."""
    several = point["repetitions"]
    row: dict[str, Any] = {"seconds": point["seconds"] if several else None, "gap": point["gap"] or None}
    row["statistics_alone"] = point["statistics_alone"]
    for name in BANDS:
        numbers = [one[name] for one in several if one[name] is not None]
        row |= {f"{name}{end}": take(numbers) for end, take in ENDS.items()} if numbers else {}
    if several:
        row |= {name: _mean([one[name] for one in several]) for name in (*PLAIN, "problematic")}
        row["problematic_low"] = min(one["certain"] for one in several)
        row["problematic_high"] = max(one["possible"] for one in several)
    return row


ENDS: dict[str, Callable[[Sequence[float]], float]] = {"": fmean, "_low": min, "_high": max}


def _mean(numbers: Sequence[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return fmean(known) if known else None


def _ask(run: Run, factor: str, kinds: Sequence[tuple[float, str]]) -> pl.DataFrame:
    rows: list[dict[str, Any]] = []
    for place, who in enumerate(CONTENDERS):
        run.step(place, len(CONTENDERS), f"{who.name}, queries")
        several = measure_point(run, who, *ASKED)["repetitions"]
        for x, name in kinds:
            numbers = [one["asked"][name] for one in several if name in one["asked"]]
            row = {f"error{end}": take(numbers) for end, take in ENDS.items()} if numbers else {}
            rows.append({factor: x, "method": who.name, **row})
    run.step(1, 1, "done")
    kind = pl.Int64 if factor == "dimensions" else pl.Float64
    ends = dict.fromkeys(("error", "error_low", "error_high"), pl.Float64)
    frame = pl.DataFrame(rows, schema={factor: kind, "method": pl.String, **ends})
    return frame.filter(pl.col("error").is_not_null())
