"""The tables and small examples of the ART papers, and counterexamples to their theorem. They need no data."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from voile.papers.art.bounds import (
    delta_ceil,
    delta_condition,
    expected_min_size,
    linkage_binary,
    linkage_exact,
    omega_estimate,
    ratio_limit,
    swap_bound,
)
from voile.papers.art.example_claims import (
    FOUR_PEOPLE,
    LEMMA_1,
    ONE_PASS,
    SIZES,
    SPLIT,
    THEOREM_1,
    TWO_PEOPLE,
    list_ceilings,
)
from voile.papers.paper import Figure, Item, Run

GENDER = {"Male": (0.1, 0.9), "Female": (0.003, 0.997)}  # lung cancer or not: table IV of the short paper
FRENCH = 0.05  # table 4 of the report
FOUR = [[0.5, 0.5], [0.5, 0.5], [0.2, 0.8], [0.2, 0.8]]  # table 5(a) of the report
WORLDS = {"xxyy": 0.43, "xyxy": 0.12, "xyyx": 0.12, "yxxy": 0.12, "yxyx": 0.12, "yyxx": 0.03}  # table 5(b), printed
CEILINGS = [  # N, r, f_max and the printed ceiling: table 7 of the report, table V of the short paper
    (3, 2, 0.1, 0.0474),
    (3, 2, 0.3, 0.1235),
    (3, 2, 0.5, 0.1667),
    (3, 2, 0.9, 0.0818),
    (4, 2, 0.3, 0.1750),
    (6, 2, 0.3, 0.2211),
    (6, 3, 0.3, 0.1537),
    (6, 4, 0.3, 0.0955),
]
FIRST, SECOND = (0.2047, 0.1579, 0.2188, 0.0823), (0.1333, 0.2426, 0.1766, 0.2811)  # f_x and f_y of four tuples, r = 2


def two_people(run: Run) -> pl.DataFrame:
    """Alan and Betty share a group with one case of lung cancer."""
    beliefs = linkage_exact(list(GENDER.values()), [0, 1])
    rows = [
        (name, sex, prior[0], 0.5, belief[0])
        for (name, (sex, prior)), belief in zip(
            zip(("Alan", "Betty"), GENDER.items(), strict=True), beliefs, strict=True
        )
    ]
    names = ["person", "signature", "prior of lung cancer", "belief by 2-diversity", "belief with the prior"]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    # the report's table 4 says the same of an American and a Japanese, and lists a third nationality
    third = pl.DataFrame({"person": ["nobody"], "signature": ["French"], "prior of lung cancer": [FRENCH]})
    return pl.concat([frame, third], how="diagonal")


def four_people(run: Run) -> pl.DataFrame:
    """Example 4: the six worlds of a group with x, x, y, y, and what they say about each tuple."""
    weights = {
        world: math.prod(row["xy".index(value)] for row, value in zip(FOUR, world, strict=True)) for world in WORLDS
    }
    total = sum(weights.values())
    rows: list[tuple[str, float | None, float, float]] = [
        (f"world {number}: {' '.join(world)}", weights[world], weights[world] / total, printed)
        for number, (world, printed) in enumerate(WORLDS.items(), 1)
    ]
    rows.append(("belief that t1 has x", None, linkage_exact(FOUR, [0, 0, 1, 1])[0][0], 0.72))
    return pl.DataFrame(rows, schema=["what", "weight", "probability", "printed"], orient="row")


def ceilings(run: Run) -> pl.DataFrame:
    """Compute the table of ceilings."""
    rows = [(n, r, f, delta_ceil(n, r, f), printed) for n, r, f, printed in CEILINGS]
    frame = pl.DataFrame(rows, schema=["N", "r", "f_max", "ceiling", "printed"], orient="row")
    return frame.with_columns(agrees=(pl.col("ceiling").round(4) - pl.col("printed")).abs() < 1e-9)


def ceiling_curves(run: Run) -> pl.DataFrame:
    """Lemma 1: the ceiling against the size of the group, up to a size that stands for infinity."""
    sizes_ = [*range(2, 61), 10**7]
    rows = [
        (f"f = {f:g}", n, r, f, delta_ceil(n, r, f), (n <= r + 3 or n % 5 == 0) and n <= 60 and 0 < f < 1)
        for r, f, n in itertools.product((2, 5, 10), (0.0, 0.02, 0.1, 0.3, 0.5, 0.9, 0.98, 1.0), sizes_)
        if n >= r
    ]
    return pl.DataFrame(rows, schema=["line", "N", "r", "f_max", "ceiling", "drawn"], orient="row")


def split_group(run: Run) -> pl.DataFrame:
    """Two women and two men with two cases: together they break privacy, each pair on its own does not."""
    women, men = [GENDER["Female"]] * 2, [GENDER["Male"]] * 2
    rows = []
    for name, people, values in (
        ("two women and two men", [*women, *men], [0, 0, 1, 1]),
        ("two women", women, [0, 1]),
        ("two men", men, [0, 1]),
    ):
        belief = max(row[0] for row in linkage_exact(people, values))
        rows.append((name, len(people), 0.5, belief, bool(belief <= 0.5 + 1e-9)))
    return pl.DataFrame(rows, schema=["group", "N", "bound", "greatest belief", "r-robust"], orient="row")


def sizes(run: Run) -> pl.DataFrame:
    """The running examples of the deviation and of the least size."""
    rows = []
    for what, f, r in (("a man and a woman", (0.1, 0.003), 2.0), ("three alike", (0.1, 0.08, 0.09), 2.0)):
        spread, size = max(f) - min(f), len(f)
        needed = expected_min_size(r, max(f), spread)
        ceiling = delta_ceil(size, r, max(f))
        within = spread <= ceiling + 1e-12
        rows.append((what, size, r, max(f), 0.0, spread, ceiling, within, needed, max(linkage_binary(f))))
    names = ["group", "N", "r", "f_max", "least deviation", "deviation", "ceiling", "within", "least N"]
    names += ["greatest belief (binary)"]
    return pl.DataFrame(rows, schema=names, orient="row")


@dataclass(frozen=True)
class Case:
    """A group to which the papers' theorem applies: all values occur once; the first is x."""

    what: str
    priors: Sequence[Sequence[float]]
    r: float


def cases() -> list[Case]:
    """Return groups that satisfy the condition of Theorem 1, for x alone or for all of their values."""
    n, r = 10, 2.0
    low = 0.1 - delta_ceil(n, r, 0.1) + 1e-12
    family = [[0.1, *[low] * (n - 1)]] + [[low, *[0.1] * (n - 1)]] * (n - 1)
    shares = (0.5, 0.3, 0.2)
    proportional = [[f, *[(1 - f) * share for share in shares]] for f in (0.1, 0.09, 0.08, 0.085)]
    return [
        Case("condition on x alone", [[0.1, 0.001, 0.001], [0.1, 0.4, 0.4], [0.1, 0.4, 0.4]], 2),
        Case("condition on every value", [[0.1, 0.053, 0.053], [0.053, 0.1, 0.1], [0.053, 0.1, 0.1]], 2),
        Case("condition on every value, ten tuples", family, r),
        Case("other values in proportion: the theorem holds", proportional, r),
    ]


def counterexamples(run: Run) -> pl.DataFrame:
    """What the theorem promises, and what an adversary who knows all probabilities believes."""
    rows = []
    for case in cases():
        values = list(range(len(case.priors)))
        f = [row[0] for row in case.priors]
        alone = max(f) - min(f) <= delta_ceil(len(f), case.r, max(f)) + 1e-12
        exact = linkage_exact(case.priors, values)[0][0]
        rows.append(
            {
                "group": case.what,
                "N": len(f),
                "r": case.r,
                "bound": 1 / case.r,
                "condition for x": alone,
                "condition for every value": delta_condition(case.priors, values, case.r),
                "belief, binary reading": max(linkage_binary(f)),
                "belief, full reading": exact,
                "swap bound": swap_bound(case.priors, values, 0)[0],
                "estimate of Li and others": omega_estimate(case.priors, values)[0][0],
                "ratio limit": ratio_limit(len(f), case.r),
                "r-robust": bool(exact <= 1 / case.r + 1e-9),
            }
        )
    return pl.DataFrame(rows)


def family_limit(run: Run) -> pl.DataFrame:
    """How far belief may go in groups that satisfy the condition for every value: 1 / (1 + (r-1)^2 / (N-1))."""
    rows = [
        (n, r, 1 / r, 1 / (1 + (r - 1) ** 2 / (n - 1)))
        for r, n in itertools.product((2.0, 5.0, 10.0), (3, 5, 10, 20, 50))
        if n > r
    ]
    return pl.DataFrame(rows, schema=["N", "r", "bound", "belief that is approached"], orient="row")


def one_pass(run: Run) -> pl.DataFrame:
    """Serve one value after another in one pass: the row that mends y breaks x, which was finished."""
    rows = []
    for many in (3, 4):
        for name, f in (("x", FIRST[:many]), ("y", SECOND[:many])):
            spread, ceiling = max(f) - min(f), delta_ceil(many, 2, max(f))
            rows.append((many, name, spread, ceiling, bool(spread <= ceiling + 1e-12)))
    return pl.DataFrame(rows, schema=["tuples", "value", "deviation", "ceiling", "condition"], orient="row")


def robust(run: Run) -> pl.DataFrame:
    """The corrected condition at its edge: one tuple likelier by the ratio limit in x, less likely in the others."""
    rows = []
    for n, r in ((5, 2.0), (10, 2.0), (10, 5.0), (20, 5.0)):
        ratio = ratio_limit(n, r)
        priors = np.full((n, 2), 0.05)
        priors[0, 0], priors[1:, 1] = 0.05 * ratio, 0.05 * ratio
        belief = linkage_exact(priors.tolist(), [0] + [1] * (n - 1))[0][0]
        rows.append((n, r, ratio, belief, 1 / r))
    names = ["N", "r", "ratio limit", "belief in x", "bound"]
    return pl.DataFrame(rows, schema=names, orient="row")


ITEMS = (
    Item(
        "two-people",
        "Two people and the statistics of gender (example 1, table IV)",
        two_people,
        note="The papers illustrate such statistics with one more number, 0.21 for flu (for hypertension in the short "
        "paper); nothing is computed from it.",
        claims=TWO_PEOPLE,
    ),
    Item(
        "example-4",
        "Example 4: the worlds of a group of four (table 5)",
        four_people,
        note="The report's table prints 0.16/0.33 = 0.43; it is 0.4848, and its text says 0.48. The sum is 24/33 = "
        "0.7273; the report adds rounded terms and prints 0.72.",
        claims=FOUR_PEOPLE,
    ),
    Item(
        "split-group",
        "A group that violates privacy, and its halves that do not",
        split_group,
        note="Belief that somebody has lung cancer, with the statistics of table IV and one case for every two people.",
        claims=SPLIT,
    ),
    Item("sizes", "Deviations of the running examples, and the least group size", sizes, claims=SIZES),
    Item(
        "ceilings",
        "Ceilings of the deviation (table 7 of the report, table V of the short paper)",
        ceilings,
        claims=list_ceilings(CEILINGS),
    ),
    Item(
        "lemma-1",
        "Lemma 1: the ceiling rises with the size of the group",
        ceiling_curves,
        tuple(
            Figure(
                "N",
                "ceiling",
                "line",
                "N",
                "ceiling of the deviation",
                letter=letter,
                title=f"r = {r}",
                where={"r": r, "drawn": True},
                ticks=(2, 10, 20, 30, 40, 50, 60),
            )
            for letter, r in (("a", 2), ("b", 5), ("c", 10))
        ),
        claims=LEMMA_1,
    ),
    Item(
        "counterexamples",
        "Groups that satisfy the condition of Theorem 1",
        counterexamples,
        note="Theorem 1 holds where the adversary weighs x only against its contrary (binary reading), or where the "
        "other values are in proportion. By the papers' own equations 1 to 3 (full reading) it does not: belief "
        "exceeds 1/r in groups that satisfy the condition, even for every value. The proof takes the probabilities of "
        "the group's other values to sum to 1 - f, which they need not.",
        claims=THEOREM_1,
    ),
    Item(
        "family-limit",
        "How far belief may go under the condition of Theorem 1",
        family_limit,
        note="Approached for small probabilities. Larger groups are worse, not better.",
    ),
    Item(
        "one-pass",
        "Why one pass for each value does not do",
        one_pass,
        note="Three tuples satisfy the condition for x and not for y; the fourth mends y and breaks x.",
        claims=ONE_PASS,
    ),
    Item(
        "corrected",
        "The corrected condition at its edge",
        robust,
        note="If every value's probabilities differ by at most the ratio sqrt((N-1)/(r-1)), the group is r-robust in "
        "the full reading. No larger ratio does: here belief reaches 1/r exactly.",
    ),
)
