"""The items of the experiments: figure 1 with its four parts, and the factors r, qd and s."""

from __future__ import annotations

from voile.papers.art import experiments, printed_merging, settings
from voile.papers.art.figure_claims import FACTOR_R, FIGURE_1
from voile.papers.paper import Figure, Item

HOW = (
    "Adult, quasi-identifier in the order age, work class, marital status, occupation, race, sex, country, salary "
    "class (the first five by default); education is sensitive, the set below secondary education protected. The "
    "adversary's statistics are the table's own, for every set of columns and every signature with 30 people. Means "
    "over three keys, with 10,000 new queries each (a quick run: two keys, 1,000 queries, a sample of 6,000 rows); "
    "bands are the range over the keys. Anatomy and Injector protect the set: groups of l = r rows with at most one "
    "of its cases. t-closeness is by global recoding with the hierarchies beside the table, t = 0.2. Capped counts, "
    "the default for r-robustness, shows how many people of a group are protected and no other value: it answers "
    "queries about the set only, and allows 1.5 times what the statistics alone say where that is more than 1/r. "
)
READING = (
    "(c) counts people whose belief exceeds 1/r by equations 1 to 3. A group with more than 20,000 states is "
    "estimated by scaling its people and values in turn; the band goes from the people who are certain to those "
    "whom a sound bound does not clear. Groups of which a column set says that their values are impossible (MASK "
    "alters values) are in the column contradicted; beliefs there are those of the other column sets. The dashed "
    "line is the share of protected people of whom the statistics alone say more than 1/r: no release brings them "
    "below it, but withholding looks like safety, so (e) shows who is withheld. (f) is the binary reading, in which "
    "Theorem 1 holds. The bound in (d) is the mean ceiling of the groups of ART as published that hold a case. (g) "
    "asks about the protected set. "
)
SEED = "keys derived from a fixed one; queries from seeds 0, 1, 2"


def _draw_panels(x: str, title: str, ticks: tuple[int, ...]) -> tuple[Figure, ...]:
    def panel(letter: str, y: str, what: str, **more: object) -> Figure:
        return Figure(x, y, "method", title, what, letter=letter, title=what, ticks=ticks, **more)  # type: ignore[arg-type]

    def band(letter: str, y: str, what: str, **more: object) -> Figure:
        return panel(letter, y, what, low=f"{y}_low", high=f"{y}_high", **more)

    alone = {"bound": "statistics_alone", "bound_title": "statistics alone"}
    return (
        panel("a", "seconds", "execution time (CPU seconds)", log_y=True),
        band("b", "error", "average relative error", log_y=True),
        band("c", "problematic", "problematic / sensitive tuples", **alone),
        band("d", "delta", "average deviation", log_y=True, bound="bound", bound_title="bound of theorem 1"),
        panel("e", "withheld", "withheld / sensitive tuples"),
        band("f", "binary", "problematic, binary reading", **alone),
        band("g", "set_error", "error of queries about the set", log_y=True),
    )


def _draw_error(x: str, title: str, ticks: tuple[float, ...]) -> tuple[Figure, ...]:
    what = "average relative error"
    return (Figure(x, "error", "method", title, what, log_y=True, ticks=ticks, low="error_low", high="error_high"),)


ITEMS = (
    Item(
        "setting",
        "The table and the parameters of the experiments (section 5 of the report)",
        settings.describe_table,
        note="The machine of the report (Pentium IV, 2.2 GHz, 1 GB) enters no claim: times are only put in order.",
        table="adult",
        claims=settings.CLAIMS,
    ),
    Item(
        "figure-1",
        "Figure 1: effect of the size of the quasi-identifier, r = 10",
        experiments.measure_sizes,
        _draw_panels("qi_size", "QI size", (3, 4, 5, 6, 7, 8)),
        HOW + READING,
        table="adult",
        claims=FIGURE_1,
        times=experiments.TIMES,
        seed=SEED,
    ),
    Item(
        "factor-r",
        "Effect of r, five columns",
        experiments.measure_r,
        _draw_panels("r", "r", (2, 4, 6, 8, 10)),
        HOW + READING,
        table="adult",
        claims=FACTOR_R,
        times=experiments.TIMES,
        seed=SEED,
    ),
    Item(
        "factor-qd",
        "Effect of query dimensionality, r = 10",
        experiments.ask_dimensions,
        _draw_error("dimensions", "query dimensionality qd", (1, 2, 3, 4, 5)),
        HOW,
        table="adult",
        seed=SEED,
    ),
    Item(
        "factor-s",
        "Effect of query selectivity, r = 10",
        experiments.ask_selectivity,
        _draw_error("selectivity", "selectivity s", (0.01, 0.02, 0.04, 0.06, 0.08, 0.1)),
        HOW,
        table="adult",
        seed=SEED,
    ),
    Item(
        "printed-merging",
        "Algorithm ART as it is printed: formed groups are merged, one pass for each value",
        printed_merging.measure_merging,
        note="Five columns. For the set no formed group can be merged, because every one holds a case; for the four "
        "values of the set some are, and such a merger may break the condition of a value that was finished (see "
        "one-pass). Groups of 10 r rows that still fail are given up, and their protected rows withheld.",
        table="adult",
        claims=printed_merging.CLAIMS,
        seed="one fixed key",
    ),
)
