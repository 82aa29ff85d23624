"""The experiments of the ART papers on the Adult table: four measures against four factors, for every method.

A method that cannot serve a point leaves a gap there, and the `gap` column says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import polars as pl

from voile.flow.report.figures import Figure
from voile.papers.art.contest import DEFAULT, Contender, Stage, contenders, deviations, problematic, query_error, stage
from voile.papers.paper import Item, Run

SELECTIVITY = 0.05
TYPES = {
    "method": pl.String,
    "seconds": pl.Float64,
    "prior_seconds": pl.Float64,
    "error": pl.Float64,
    "problematic_full": pl.Float64,
    "at_least_full": pl.Float64,
    "undecided_full": pl.Float64,
    "problematic_binary": pl.Float64,
    "at_least_binary": pl.Float64,
    "undecided_binary": pl.Float64,
    "average_delta": pl.Float64,
    "delta_with_case": pl.Float64,
    "ceiling_with_case": pl.Float64,
    "groups": pl.Int64,
    "withheld_protected": pl.Int64,
    "gap": pl.String,
}


def against_size(run: Run, r: int) -> pl.DataFrame:
    """All measures against the number of quasi-identifier columns."""
    points = (3, 5, 7) if run.quick else range(3, 9)
    return _measured(run, "qi_size", [(size, size, r) for size in points])


def against_r(run: Run) -> pl.DataFrame:
    """All measures against r."""
    points = (2, 3, 5, 10) if run.quick else range(2, 11)
    return _measured(run, "r", [(r, DEFAULT, r) for r in points])


def against_dimensions(run: Run, r: int) -> pl.DataFrame:
    """The relative error against the number of columns in a query."""
    return _asked(run, r, "dimensions", [(qd, qd, SELECTIVITY) for qd in range(1, DEFAULT + 1)])


def against_selectivity(run: Run, r: int) -> pl.DataFrame:
    """The relative error against the expected selectivity of a query."""
    points = (0.02, 0.05, 0.1) if run.quick else (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1)
    return _asked(run, r, "selectivity", [(share, DEFAULT, share) for share in points])


def _measured(run: Run, factor: str, points: Sequence[tuple[int, int, int]]) -> pl.DataFrame:
    here, who = stage(run), contenders()
    rows = []
    for number, (x, size, r) in enumerate(points):
        for place, one in enumerate(who):
            run.step(number * len(who) + place, len(points) * len(who), f"{one.name}, {factor} {x}")
            rows.append({factor: x, **_row(run, here, one, size, r)})
    run.step(1, 1, "done")
    return pl.DataFrame(rows, schema={factor: pl.Int64, **TYPES})


def _row(run: Run, here: Stage, who: Contender, size: int, r: int) -> dict[str, Any]:
    data, prior, seconds = here.table(size)
    outcome = here.outcome(who, size, r)
    most = 5_000 if run.quick else 200_000
    return {
        "method": who.name,
        "seconds": outcome.seconds,
        "prior_seconds": seconds,
        "error": query_error(run, data, outcome, size, SELECTIVITY),
        **problematic(data, prior, outcome, r, "full", most),
        **problematic(data, prior, outcome, r, "binary", 2_000_000),
        **deviations(data, prior, outcome, r),
        "groups": None if outcome.release is None else outcome.release.groups,
        "withheld_protected": None if outcome.release is None else outcome.withheld,
        "gap": outcome.gap or None,
    }


def _asked(run: Run, r: int, factor: str, points: Sequence[tuple[float, int, float]]) -> pl.DataFrame:
    here, who = stage(run), contenders()
    data, _, _ = here.table(DEFAULT)
    rows = []
    for place, one in enumerate(who):
        outcome = here.outcome(one, DEFAULT, r)
        for number, (x, dimensions, share) in enumerate(points):
            run.step(place * len(points) + number, len(points) * len(who), f"{one.name}, {factor} {x:g}")
            error = query_error(run, data, outcome, dimensions, share)
            rows.append({factor: x, "method": one.name, "error": error, "gap": outcome.gap or None})
    run.step(1, 1, "done")
    kind = pl.Int64 if factor == "dimensions" else pl.Float64
    return pl.DataFrame(rows, schema={factor: kind, "method": pl.String, "error": pl.Float64, "gap": pl.String})


def _figures(x: str, title: str) -> tuple[Figure, ...]:
    """Return the four plots of figure 1: the third in both readings, the fourth also for groups with a case only."""
    return (
        Figure(x, "seconds", "method", title, "execution time (s), grouping alone", log_y=True),
        Figure(x, "error", "method", title, "average relative error"),
        Figure(x, "problematic_full", "method", title, "problematic / sensitive tuples (full reading)"),
        Figure(x, "problematic_binary", "method", title, "problematic / sensitive tuples (binary reading)"),
        Figure(x, "average_delta", "method", title, "average deviation"),
        Figure(x, "delta_with_case", "method", title, "average deviation in groups with a case"),
    )


HOW = (
    "Adult, quasi-identifier in the order age, work class, marital status, occupation, race, sex, country, salary "
    "class (the first five by default); education is sensitive, the set below secondary education protected. The "
    "adversary's statistics are the table's own, for every set of columns and every signature with 30 people. Times "
    "are of grouping alone, once compiled; prior_seconds is the time to learn the statistics. Queries ask all columns "
    "with selectivity 0.05 unless the axis says otherwise, 2,000 in each of 5 runs (the papers: 10,000, averaged over "
    "100); in a quick run 300 once, on a sample of 4,000 rows. t-closeness is by Mondrian, not by global recoding. "
)
GAPS = (
    "Gaps: Anatomy and Injector need a most frequent value below 1/l, and education allows l = 3 at most on Adult; the "
    "papers print lines for them at l = r = 10 and do not say how. "
)
CONTRADICTS = (
    "Problematic tuples: the papers find none in ART. For ART as published (mode paper, closest candidates) we find "
    "none in the binary reading, but some in the full reading, which is the papers' own equations 1 to 3, because "
    "Theorem 1 does not hold there (see counterexamples). ART exact, which accepts a group by its exact posterior, "
    "leaves none in the full reading; it is no promise about the binary one, and an adversary who knows less may "
    "believe more: the binary column shows it. Groups with too many states are judged by a sound upper bound; whom it "
    "does not clear is undecided, and with more than 5 % undecided only at_least is stated (t-closeness in the full "
    "reading: its groups are too large). Withheld people are counted in withheld_protected: they are not "
    "problematic, and not published; the published algorithm withholds many, whom its closest candidates do not help. "
    "ART keeps rows without a protected value alone where nobody needs them, so its average deviation over all groups "
    "is that of many groups of one; delta_with_case takes the groups that hold a case, ceiling_with_case is the mean "
    "ceiling of Theorem 1 there."
)
ERROR_NOTE = HOW + GAPS

ITEMS = (
    Item(
        "qi-size-r10",
        "Effect of the size of the quasi-identifier, r = 10 (figure 1)",
        partial(against_size, r=10),
        _figures("qi_size", "size of the quasi-identifier"),
        HOW + GAPS + CONTRADICTS,
        takes_table=True,
    ),
    Item(
        "qi-size-r2",
        "Effect of the size of the quasi-identifier, r = 2",
        partial(against_size, r=2),
        _figures("qi_size", "size of the quasi-identifier"),
        HOW + CONTRADICTS,
        takes_table=True,
    ),
    Item("r", "Effect of r", against_r, _figures("r", "r"), HOW + GAPS + CONTRADICTS, takes_table=True),
    *(
        Item(
            f"dimensions-r{r}",
            f"Effect of query dimensionality, r = {r}",
            partial(against_dimensions, r=r),
            (Figure("dimensions", "error", "method", "query dimensionality qd", "average relative error"),),
            ERROR_NOTE,
            takes_table=True,
        )
        for r in (2, 10)
    ),
    *(
        Item(
            f"selectivity-r{r}",
            f"Effect of query selectivity, r = {r}",
            partial(against_selectivity, r=r),
            (Figure("selectivity", "error", "method", "selectivity s", "average relative error"),),
            ERROR_NOTE,
            takes_table=True,
        )
        for r in (2, 10)
    ),
)
