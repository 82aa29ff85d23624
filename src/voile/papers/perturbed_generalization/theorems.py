"""Sections V and VI: the theorems, checked against every attack on small domains, and the words around them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product

import polars as pl

from voile.models.anti_corruption.privacy_arithmetic import Terms, peak
from voile.papers.paper import Claim, Item, Run

SIZES, KS = (2, 3, 4), (1, 2, 3)
KEEPS = (Fraction(1, 10), Fraction(3, 10), Fraction(1, 2), Fraction(9, 10))
SKEWS = (Fraction(1, 2), Fraction(3, 4), Fraction(1))
PARTS = 8  # priors are multiples of an eighth


def list_priors(size: int, skew: Fraction) -> Iterator[tuple[Fraction, ...]]:
    """List the priors over a domain on the grid, up to order of the values that are not published; the published value
    comes first."""
    for first in range(PARTS + 1):
        for rest in combinations_with_replacement(range(PARTS - first + 1), size - 1):
            if first + sum(rest) == PARTS and max(first, *rest) <= skew * PARTS:
                yield tuple(Fraction(part, PARTS) for part in (first, *rest))


def attack(prior: tuple[Fraction, ...], p: Fraction, alike: int, others: int) -> tuple[Fraction, list[Fraction]]:
    """Return h and the posterior after value 0 is published, by equations 9 to 18. All `others` are corrupted, and
    `alike` of them have the published value."""
    noise = (1 - p) / len(prior)
    mine = p * prior[0] + noise
    theirs = alike * (p + noise) + (others - alike) * noise
    h = mine / (mine + theirs)
    after = [share * (noise + (p if value == 0 else 0)) / mine for value, share in enumerate(prior)]
    return h, [h * new + (1 - h) * old for new, old in zip(after, prior, strict=True)]


def try_all(size: int, k: int, p: Fraction, skew: Fraction) -> dict[str, float]:
    """Try every prior, predicate and corruption; count breaches of what the theorems promise, and find the worst."""
    terms = Terms(k, size, skew)
    found = {"cases": 0, "theorem 1": 0, "theorem 2": 0, "theorem 3": 0, "inequality 20": 0}
    growth, worst = terms.growth(p), Fraction(0)
    for prior, alike in product(list_priors(size, skew), range(k)):
        h, after = attack(prior, p, alike, k - 1)
        found["inequality 20"] += h > terms.ownership(p)
        for members in product((False, True), repeat=size):
            before = sum((share for share, is_in in zip(prior, members, strict=True) if is_in), Fraction(0))
            later = sum((share for share, is_in in zip(after, members, strict=True) if is_in), Fraction(0))
            found["cases"] += 1
            found["theorem 1"] += not members[0] and later > before
            found["theorem 2"] += later > terms.exact_belief(p, before)
            found["theorem 3"] += later - before > growth
            worst = max(worst, later - before)
    return {**found, "worst growth": float(worst), "bound": float(growth)}


def compute(run: Run) -> pl.DataFrame:
    """Check the theorems on all small settings, with exact fractions."""
    rows = []
    for size, k, p, skew in product(SIZES, KS, KEEPS, SKEWS):
        if skew * size >= 1:
            rows.append({"values": size, "k": k, "p": float(p), "skew": float(skew), **try_all(size, k, p, skew)})
    return pl.DataFrame(rows)


def _count(column: str) -> Claim:
    number = column.split()[-1]
    says = {
        "1": "if the published value does not satisfy Q, belief in Q does not grow",
        "2": "no rho1-to-rho2 breach if inequality 23 holds",
        "3": "no growth above h F(min(lambda, w_m))",
        "20": "the row is the victim's with probability at most h, the right side of inequality 20",
    }[number]
    return Claim(
        f"section VI, {column}", f"{says}: breaches in all small cases", 0, lambda frame: int(frame[column].sum())
    )


def _maximise() -> float:
    """Return the largest distance of w_m from the w of a fine grid at which F is largest."""
    farthest = 0.0
    for p, size in product((0.15, 0.3, 0.45), (7, 50)):
        u, steps = (1 - p) / size, 10_000
        best = max(range(1, steps), key=lambda n: (p * n / steps * (1 - n / steps)) / (p * n / steps + u))
        farthest = max(farthest, abs(best / steps - peak(p, size)))
    return farthest


def _find_extreme(p: Fraction) -> bool:
    terms = Terms(6, 50)
    return terms.exact_belief(p, Fraction(1, 5)) <= terms.exact_belief(p + Fraction(1, 100), Fraction(1, 5))


CLAIMS = [
    *(_count(column) for column in ("theorem 1", "theorem 2", "theorem 3", "inequality 20")),
    Claim(
        "section VI, theorem 3",
        "F is largest at w_m",
        "w_m",
        lambda frame: _maximise(),
        agrees=lambda printed, ours: ours <= 1e-4,
    ),
    Claim(
        "section VI, equation 11",
        "the probabilities of what a value becomes sum to 1 (50 values, p = 0.3)",
        1,
        lambda frame: float(Fraction(3, 10) + 50 * (1 - Fraction(3, 10)) / 50),
    ),
    Claim(
        "section V-B",
        "the skew is at least 1/|U|: priors on 4 values with a smaller one",
        0,
        lambda frame: len(list(list_priors(4, Fraction(1, 5)))),
    ),
    Claim(
        "section VI, last paragraph",
        "p is the minimum value that guarantees the absence of breaches",
        "minimum",
        lambda frame: "maximum" if all(_find_extreme(Fraction(step, 100)) for step in range(99)) else "minimum",
        because="both bounds rise with p and p = 0 is always safe: the largest p is sought",
    ),
    Claim(
        "section V-A",
        "property G2 (groups of at least k) makes the crucial tuple unique",
        "G2",
        lambda frame: "G3" if _count_fitting([(1, 3), (3, 5)], 3) == 2 else "G2",
        because="boxes of at least k people may overlap, as [1, 3] and [3, 5] do at 3; property G3 rules that out",
    ),
]


def _count_fitting(boxes: list[tuple[int, int]], value: int) -> int:
    return sum(low <= value <= high for low, high in boxes)


ITEM = Item(
    "theorems",
    "Sections V and VI: the theorems, against every attack on small domains",
    compute,
    note="All priors in eighths, all predicates, every corruption of the other k - 1 people, in exact fractions. The "
    "attack is written from equations 9 to 18; the bounds are those that certificates use. Groups are formed without "
    "looking at the sensitive column.",
    claims=CLAIMS,
)
