"""Sections II and III: what the two guarantees mean, and what (c, l)-diversity and generalization do not give."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import polars as pl

from voile.attacks.corruption import Corruption
from voile.attacks.elimination import after_ruling_out
from voile.models.l_diversity import check_recursive
from voile.papers.paper import Claim, Item, Run
from voile.papers.perturbed_generalization.patients import PEOPLE, QUASI, make_generalized
from voile.papers.table_lookup import look_up

# Figure 1: pneumonia, HIV, bronchitis, lung cancer, SARS, tuberculosis
GROUP, HIV, RESPIRATORY, DOMAIN = (3, 2, 2, 2, 1, 1), 1, (0, 2, 3, 4, 5), 100
C, L = Fraction(1, 2), 3
GRID = [Fraction(step, 10) for step in range(11)]


def lemma_1(u: int, l: int, domain: int) -> Fraction:  # noqa: E741 - the letter of the literature
    """Return the prior (u-l+2)/(|U|-l+2) from which a (c, l)-diverse table may lead to certainty.

    >>> lemma_1(6, 3, 100)
    Fraction(5, 99)
    """
    return Fraction(u - l + 2, domain - l + 2)


def compare_definitions() -> dict[str, float]:
    """Count, on a grid of priors and posteriors, how the guarantees of Section II imply each other."""
    pairs = list(product(GRID, GRID))
    levels = [(low, high) for low, high in product(GRID, GRID) if low < high]

    def breaches(prior: Fraction, post: Fraction, low: Fraction, high: Fraction) -> bool:
        return prior <= low and post > high

    growth_implies = all(
        not breaches(prior, post, low, high)
        for low, high in levels
        for prior, post in pairs
        if post - prior <= high - low
    )
    limits = (Fraction(3, 10), Fraction(1, 2))
    converse = [pair for pair in pairs if not breaches(*pair, *limits) and pair[1] - pair[0] > limits[1] - limits[0]]
    # a guarantee holds for a predicate and for its negation, whose beliefs are the complements
    downward = all(
        not (prior >= 1 - low and post < 1 - high)
        for low, high in levels
        for prior, post in pairs
        if not breaches(1 - prior, 1 - post, low, high)
    )
    return {
        "growth implies rho1-to-rho2": float(growth_implies),
        "rho1-to-rho2 without growth": float(len(converse)),
        "posterior from prior 0 without a 0.3-to-0.5 breach": float(
            max(post for prior, post in converse if prior == 0)
        ),
        "upward implies downward": float(downward),
    }


def know_all_others(diseases: Sequence[str], sample: Sequence[int]) -> float:
    """Return the least belief in the true value of a sampled person, if the values of all others are known."""
    least = 1.0
    for victim in sample:
        rest = [diseases[place] for place in sample]
        for other in sample:
            if other != victim:
                rest.remove(diseases[other])
        least = min(least, rest.count(diseases[victim]) / len(rest))
    return least


def compute(run: Run) -> pl.DataFrame:
    """Check Figure 1 and both lemmas, and compare the definitions."""
    others = Corruption(corrupted=1).guesses(make_generalized(), None)[0].belief
    without_hiv = [count for value, count in enumerate(GROUP) if value != HIV]
    diseases = [disease for *_, disease in PEOPLE]
    samples = [sample for size in range(1, len(diseases) + 1) for sample in combinations(range(len(diseases)), size)]
    prior = Fraction(1, DOMAIN - L + 2)
    table = make_generalized().tables["table"]
    values = table.group_by(QUASI).agg(pl.col("disease").n_unique())["disease"]
    levels = list(combinations(GRID, 2))
    facts: dict[str, float] = compare_definitions() | {
        "Figure 1: people": sum(GROUP),
        "Figure 1: values": len(GROUP),
        "Figure 1: c (n_l + ... + n_l')": float(C * sum(GROUP[L - 1 :])),
        "Figure 1: (1/2, 3)-diverse": float(check_recursive(np.array(GROUP), float(C), L)),
        "Figure 1: prior of pneumonia, not HIV": float(prior),
        "Figure 1: rows that are not HIV": sum(without_hiv),
        "Figure 1: belief in pneumonia, not HIV": after_ruling_out(list(GROUP), 0, [HIV]),
        "Figure 1: growth": after_ruling_out(list(GROUP), 0, [HIV]) - float(prior),
        "bound c / (c + 1)": float(C / (C + 1)),
        "Lemma 1: prior of a respiratory disease": float(lemma_1(len(GROUP), L, DOMAIN)),
        "Lemma 1: belief in a respiratory disease": sum(GROUP[v] for v in RESPIRATORY) / sum(without_hiv),
        "Table I(c): least number of values in a group": float(values.min()),  # type: ignore[arg-type]
        "Lemma 2: least belief, all others corrupted": float(others.risk.min()),
        "Lemma 2: least belief in a sample": min(know_all_others(diseases, sample) for sample in samples),
        # belief is 1 whatever the prior is: which guarantees does that not break?
        "Lemma 2: y-to-x guarantees that hold, x < 1": sum(x == 1 for y, x in levels if x < 1),
        "Lemma 2: y-to-1 guarantees that hold, y > 0": sum(x == 1 for y, x in levels if y > 0),
        "Lemma 2: growth guarantees that hold, x - y < 1": sum(
            all(1 - q <= x - y for q in GRID) for y, x in levels if x - y < 1
        ),
    }
    return pl.DataFrame({"fact": list(facts), "value": [float(value) for value in facts.values()]})


def _state(where: str, says: str, printed: float, fact: str, **more: float) -> Claim:
    return Claim(where, says, printed, look_up("value", fact=fact), **more)  # type: ignore[arg-type]


EXACT = 1e-6  # fractions are printed as such: ours must be the same number
CLAIMS = [
    _state(
        "section II, definition 3",
        "no growth above rho2 - rho1 means no rho1-to-rho2 breach",
        1,
        "growth implies rho1-to-rho2",
    ),
    Claim(
        "section II, definition 3",
        "the reverse is not true",
        "not true",
        look_up("value", fact="rho1-to-rho2 without growth"),
        agrees=lambda printed, ours: ours > 0,
    ),
    _state(
        "section II",
        "belief may rise from 0 to 0.5 without a 0.3-to-0.5 breach",
        0.5,
        "posterior from prior 0 without a 0.3-to-0.5 breach",
    ),
    _state(
        "section II, footnote 1",
        "no upward breach means no (1 - rho1)-to-(1 - rho2) downward breach",
        1,
        "upward implies downward",
    ),
    _state(
        "section III-A",
        "each group of Table I(c) has at least 2 values",
        2,
        "Table I(c): least number of values in a group",
    ),
    _state("figure 1", "the group has 11 people", 11, "Figure 1: people"),
    _state("figure 1", "it has 6 values", 6, "Figure 1: values"),
    _state("section III-A, inequality 1", "3 is at most 1/2 (2 + 2 + 1 + 1) = 3", 3, "Figure 1: c (n_l + ... + n_l')"),
    _state("figure 1", "the group is (1/2, 3)-diverse", 1, "Figure 1: (1/2, 3)-diverse"),
    _state(
        "section III-A, equation 2",
        "the prior of pneumonia is 1/99",
        1 / 99,
        "Figure 1: prior of pneumonia, not HIV",
        within=EXACT,
    ),
    _state("section III-A", "9 rows are not HIV", 9, "Figure 1: rows that are not HIV"),
    _state(
        "section III-A",
        "belief in pneumonia becomes 3/9",
        1 / 3,
        "Figure 1: belief in pneumonia, not HIV",
        within=EXACT,
    ),
    _state(
        "section III-A, inequality 3", "belief is at most c/(c + 1) = 1/3", 1 / 3, "bound c / (c + 1)", within=EXACT
    ),
    _state("section III-A", "belief grows by c/(c + 1) - 1/99", 1 / 3 - 1 / 99, "Figure 1: growth", within=EXACT),
    _state(
        "section III-A, lemma 1",
        "the prior of a respiratory disease is 5/99",
        5 / 99,
        "Lemma 1: prior of a respiratory disease",
        within=EXACT,
    ),
    _state(
        "section III-A, lemma 1",
        "belief in a respiratory disease becomes 1",
        1,
        "Lemma 1: belief in a respiratory disease",
    ),
    _state(
        "section III-B, lemma 2",
        "whoever knows all others knows everybody of Table I(c)",
        1,
        "Lemma 2: least belief, all others corrupted",
    ),
    _state("section III-B", "lemma 2 still applies to a random sample", 1, "Lemma 2: least belief in a sample"),
    _state(
        "section III-B, lemma 2",
        "no y-to-x guarantee with x below 1 holds",
        0,
        "Lemma 2: y-to-x guarantees that hold, x < 1",
    ),
    _state(
        "section III-B, lemma 2",
        "no (x - y)-growth guarantee below 1 holds",
        0,
        "Lemma 2: growth guarantees that hold, x - y < 1",
    ),
    Claim(
        "section III-B, lemma 2",
        "no y-to-1 guarantee with y above 0 holds (unless x = 1 and y = 0)",
        0,
        look_up("value", fact="Lemma 2: y-to-1 guarantees that hold, y > 0"),
        because="belief 1 breaks no y-to-1 guarantee, whatever y is; the exception should read x = 1",
    ),
]

ITEM = Item("lemmas", "Sections II and III: guarantees, and (c, l)-diversity under attack", compute, claims=CLAIMS)
