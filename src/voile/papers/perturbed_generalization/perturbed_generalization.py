"""Tao, Xiao, Li, Zhang: On Anti-Corruption Privacy Preserving Publication (ICDE 2008), recomputed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from voile.attacks.corruption import Corruption, posterior
from voile.attacks.elimination import after_ruling_out
from voile.flow.publish.publish import publish
from voile.flow.read.read import read
from voile.methods.perturbed_generalization.perturbed_generalization import PerturbedGeneralization
from voile.models.anti_corruption.anti_corruption import AntiCorruption
from voile.models.anti_corruption.privacy_arithmetic import Terms
from voile.models.l_diversity import check_recursive
from voile.models.policy import Policy
from voile.papers.paper import Item, Paper, Run
from voile.papers.perturbed_generalization.utility import KS, PS, make_panels, measure_errors, vary_k, vary_p
from voile.releases.certificate import UNSIGNED
from voile.releases.randomized_response import Channel, exact_fraction
from voile.releases.release import Release
from voile.releases.shapes.generalized import Generalized
from voile.tables.microdata import Microdata
from voile.tables.schema import Schema
from voile.tables.secret_key import Key

PEOPLE = [
    ("Bob", 25, "M", 25000, "bronchitis"),
    ("Calvin", 30, "M", 27000, "pneumonia"),
    ("Debbie", 45, "F", 20000, "pneumonia"),
    ("Ellie", 50, "F", 15000, "breast cancer"),
    ("Fiona", 55, "F", 45000, "ovarian cancer"),
    ("Gloria", 58, "F", 32000, "hypertension"),
    ("Henry", 65, "M", 65000, "Alzheimer"),
    ("Isaac", 80, "M", 55000, "dementia"),
]
EMILY = ("Emily", 52, "F", 28000)
DISEASES = sorted({disease for *_, disease in PEOPLE})
BOXES = {  # Table I(c), by the first person of each group
    "Bob": ("[21, 40]", "M", "[11000, 30999]"),
    "Debbie": ("[41, 60]", "F", "[11000, 30999]"),
    "Fiona": ("[41, 60]", "F", "[31000, 50999]"),
    "Henry": ("[61, 80]", "M", "[51000, 70999]"),
}
QUASI = ("age", "gender", "zipcode")
SCHEMA = Schema(quasi=QUASI, sensitive=["disease"], domains={"disease": DISEASES})
PRINTED_K = {2: (0.69, 0.47), 4: (0.53, 0.31), 6: (0.45, 0.24), 8: (0.40, 0.19), 10: (0.36, 0.16)}
PRINTED_P = {
    0.15: (0.34, 0.12),
    0.2: (0.38, 0.16),
    0.25: (0.41, 0.20),
    0.3: (0.45, 0.24),
    0.35: (0.49, 0.28),
    0.4: (0.52, 0.32),
    0.45: (0.56, 0.36),
}
CLASSES = {2: ("25",), 3: ("25", "37")}
SKEW, RHO1, INCOMES = 0.1, 0.2, 50


def _frame(people: Sequence[tuple[Any, ...]] = PEOPLE) -> pl.DataFrame:
    return pl.DataFrame([row[1:] for row in people], schema=[*QUASI, "disease"], orient="row")


def generalized() -> Generalized:
    """Return Table I(c) as printed."""
    rows = [(*BOXES[PEOPLE[number - number % 2][0]], PEOPLE[number][4]) for number in range(len(PEOPLE))]
    ends = {"age": (21, 80), "zipcode": (11000, 70999)}
    entries: list[dict[str, Any]] = [
        {"name": name, "role": "quasi", "kind": "numeric", "type": "Int64", "shown": "generalized"}
        | {"domain": {"min": low, "max": high, "missing": False}, "cell": ""}
        for name, (low, high) in ends.items()
    ]
    plain = {"kind": "categorical", "type": "String", "shown": "exact", "cell": ""}
    gender = {"name": "gender", "role": "quasi", "domain": {"values": ["F", "M"], "missing": False}, **plain}
    disease = {"name": "disease", "role": "sensitive", "domain": {"values": DISEASES, "missing": False}, **plain}
    columns = [entries[0], gender, entries[1], disease]
    table = pl.DataFrame(rows, schema=[*QUASI, "disease"], orient="row")
    return Generalized({"table": table}, {"format": 1, "columns": columns}, UNSIGNED)


def tables(run: Run) -> pl.DataFrame:
    """Publish the eight patients of Table II by the paper's method, with p = 0.25 and s = 0.5."""
    terms = Terms(2, len(DISEASES), exact_fraction(0.5))
    policy = Policy(AntiCorruption(growth=float(terms.growth(0.25)), skew=0.5))
    method = PerturbedGeneralization(s=0.5, p=0.25)
    release: Release = publish(read(_frame(), SCHEMA), policy, method, key=Key(bytes(32)))
    return release.tables["table"].with_columns(pl.all().exclude("group_size").cast(pl.String))


def attacks(run: Run) -> pl.DataFrame:
    """Section I: an adversary who knows Bob's value knows Calvin's. Example 1: one who knows Debbie's learns little
    about Ellie's."""
    bob: Microdata = read(_frame(PEOPLE[:1]), Schema(quasi=QUASI, sensitive=["disease"]))
    belief = Corruption(known=bob).guesses(generalized(), None)[0].belief
    rows = [
        {
            "attack": "Calvin in Table I(c), Bob corrupted",
            "value": "pneumonia",
            "prior": 1 / 2,
            "posterior": belief.worst,
        }
    ]
    even = [1 / len(DISEASES)] * len(DISEASES)
    y, known = DISEASES.index("breast cancer"), [DISEASES.index("pneumonia")]
    h, believed = posterior(even, y, Channel(0.25, len(DISEASES)), 2, known)
    title = f"Ellie in Table II(c), Debbie and Emily corrupted (h = {h:.4f})"
    rows += [
        {"attack": title, "value": value, "prior": even[0], "posterior": float(after)}
        for value, after in zip(DISEASES, believed, strict=True)
    ]
    lungs = [DISEASES.index(value) for value in ("bronchitis", "pneumonia")]
    rows.append(
        {
            "attack": title,
            "value": "a respiratory disease",
            "prior": len(lungs) * even[0],
            "posterior": float(believed[lungs].sum()),
        }
    )
    return pl.DataFrame(rows)


def lemma_1(u: int, l: int, domain: int) -> Fraction:  # noqa: E741 - the letter of the literature
    """Return the prior (u-l+2)/(|U|-l+2) from which a (c, l)-diverse table may lead to certainty.

    >>> lemma_1(6, 3, 100)
    Fraction(5, 99)
    """
    return Fraction(u - l + 2, domain - l + 2)


def lemmas(run: Run) -> pl.DataFrame:
    """Section III: what (c, l)-diversity does and does not guarantee, on the group of Figure 1 and on Table I(c)."""
    group = [3, 2, 2, 2, 1, 1]  # pneumonia, HIV, bronchitis, lung cancer, SARS, tuberculosis
    everybody = Corruption(corrupted=1).guesses(generalized(), None)[0].belief
    rows = [
        ("Figure 1 is (1/2, 3)-diverse", "1 if it is", 1.0, float(check_recursive(np.array(group), 0.5, 3))),
        ("pneumonia, HIV ruled out", "belief, at most c/(c+1)", 1 / 3, after_ruling_out(group, 0, [1])),
        ("Lemma 1: a respiratory disease", "prior", 5 / 99, float(lemma_1(6, 3, 100))),
        ("Lemma 1: a respiratory disease", "belief, HIV ruled out", 1.0, (11 - 2) / (11 - 2)),
        (
            "Lemma 2: Table I(c), all others corrupted",
            "least belief in the true value",
            1.0,
            float(everybody.risk.min()),
        ),
    ]
    return pl.DataFrame(rows, schema=["statement", "what", "printed", "computed"], orient="row")


def guarantees(run: Run) -> pl.DataFrame:
    """Compute every cell of Table III: the printed number, and the number that is certified."""
    cells = [("a", 0.3, k, *both) for k, both in PRINTED_K.items()]
    cells += [("b", p, 6, *both) for p, both in PRINTED_P.items()]
    rows = []
    for table, p, k, rho2, growth in cells:
        terms = Terms(k, INCOMES, exact_fraction(SKEW))
        for what, printed, ours in (("rho2", rho2, terms.belief(p, RHO1)), ("growth", growth, terms.growth(p))):
            near = abs(float(ours) - printed) <= 0.005 + 1e-6
            remark = "" if near else "misprint: this much is needed"
            row = {"table": f"III({table})", "p": p, "k": k, "what": what, "printed": printed, "certified": float(ours)}
            rows.append(row | {"printed is enough": float(ours) <= printed, "remark": remark})
    return pl.DataFrame(rows)


UTILITY = (
    "On the census generator, or on a table of the same nine columns that you give. Most incomes of the generator "
    "are in the first class, so always predicting it is right for 89 % of the people; with three classes the "
    "pessimistic tree does just that, because the first class covers half of the domain."
)

PAPER = Paper(
    "pg",
    "On Anti-Corruption Privacy Preserving Publication",
    (
        Item(
            "tables",
            "Table II: perturbed generalization of the patients",
            tables,
            note="The random numbers are our own.",
        ),
        Item(
            "attacks",
            "Section I and Example 1: corruption-aided attacks",
            attacks,
            note="The paper leaves the prior of Example 1 open; here every disease is equally likely.",
        ),
        Item(
            "lemmas",
            "Section III: (c, l)-diversity under attack",
            lemmas,
            note='The exception printed in Lemma 2, "x = 1 and y = 0", should read x = 1 for rho-guarantees and '
            "x - y = 1 for growth.",
        ),
        Item(
            "guarantees",
            "Table III: the guarantees",
            guarantees,
            note="Every cell agrees to two decimals except rho2 at p = 0.3, k = 10: printed 0.36, needed 0.3679. The "
            "paper rounds to the nearest; a promise is rounded up.",
        ),
        Item(
            "figure-2",
            "Figure 2: utility against k (p = 0.3)",
            measure_errors(vary_k),
            make_panels("k", KS),
            UTILITY,
            takes_table=True,
            table="census",
        ),
        Item(
            "figure-3",
            "Figure 3: utility against p (k = 6)",
            measure_errors(vary_p),
            make_panels("p", PS),
            UTILITY,
            takes_table=True,
            table="census",
        ),
    ),
)
