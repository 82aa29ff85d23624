"""Section I and Example 1: what an adversary who has corrupted people learns about the others."""

from __future__ import annotations

import polars as pl

from voile.attacks.corruption import Corruption, posterior
from voile.flow.read.read import read
from voile.papers.paper import Claim, Item, Run
from voile.papers.perturbed_generalization.patients import (
    BOXES,
    DISEASES,
    EMILY,
    NAMES,
    PEOPLE,
    QUASI,
    make_frame,
    make_generalized,
)
from voile.papers.perturbed_generalization.publication import P
from voile.papers.table_lookup import look_up, select_rows
from voile.releases.randomized_response import Channel
from voile.tables.microdata import Microdata
from voile.tables.schema import Schema

RESPIRATORY = ("bronchitis", "pneumonia")
ALONE, CORRUPTED, EXAMPLE = "Table I(c), nobody corrupted", "Table I(c), Bob corrupted", "Example 1"


def find_box(age: int, gender: str, zipcode: int) -> int:
    """Return the number of the only printed box that holds a person of the register, from 0."""
    fitting = [
        number
        for number, (ages, sex, codes) in enumerate(BOXES.values())
        if _is_within(age, ages) and gender == sex and _is_within(zipcode, codes)
    ]
    assert len(fitting) == 1, "the boxes of Table I(c) do not overlap"
    return fitting[0]


def _is_within(number: int, interval: str) -> bool:
    low, high = interval.strip("[]").split(", ")
    return int(low) <= number <= int(high)


def attack(run: Run) -> pl.DataFrame:
    """Compute beliefs about Debbie, Calvin and Ellie, before and after the release is seen."""
    rows = []
    for victim in ("Debbie", "Calvin"):
        box = find_box(*PEOPLE[NAMES.index(victim)][1:4])
        listed = [disease for _, *place, disease in PEOPLE if find_box(*place) == box]
        rows += [(ALONE, victim, value, 1 / len(DISEASES), listed.count(value) / len(listed)) for value in listed]
    bob: Microdata = read(make_frame(PEOPLE[:1]), Schema(quasi=QUASI, sensitive=["disease"]))
    belief = Corruption(known=bob).guesses(make_generalized(), None)[0].belief
    rows.append((CORRUPTED, "Calvin", "pneumonia", 1 / 2, float(belief.worst)))
    even = [1 / len(DISEASES)] * len(DISEASES)
    published, known = DISEASES.index("breast cancer"), [DISEASES.index("pneumonia")]
    owns, after = posterior(even, published, Channel(P, len(DISEASES)), 2, known)
    rows += [
        (EXAMPLE, "Ellie", value, prior, float(belief))
        for value, prior, belief in zip(DISEASES, even, after, strict=True)
    ]
    lungs = [DISEASES.index(value) for value in RESPIRATORY]
    rows.append((EXAMPLE, "Ellie", "a respiratory disease", len(lungs) * even[0], float(after[lungs].sum())))
    rows.append((EXAMPLE, "Ellie", "the row is hers", 1 / 2, owns))
    return pl.DataFrame(rows, schema=["attack", "victim", "value", "prior", "posterior"], orient="row")


def _list_possible(name: str, printed: str) -> Claim:
    return Claim(
        "section I",
        f"Table I(c) leaves two diseases for {name}: {printed}",
        printed,
        lambda frame: ", ".join(sorted(select_rows(frame, attack=ALONE, victim=name)["value"])),
    )


def _growth(frame: pl.DataFrame) -> bool:
    row = select_rows(frame, attack=EXAMPLE, value="a respiratory disease")
    return bool((row["posterior"] <= row["prior"]).item())


REGISTER = [(name, age, gender, zipcode) for name, age, gender, zipcode, _ in PEOPLE] + [EMILY]
NEIGHBOURS = [name for name, *place in REGISTER if find_box(*place) == find_box(50, "F", 15000) and name != "Ellie"]
CLAIMS = [
    _list_possible("Debbie", "breast cancer, pneumonia"),
    _list_possible("Calvin", "bronchitis, pneumonia"),
    Claim(
        "section I-A",
        "an adversary who knows Bob's disease is sure of Calvin's pneumonia",
        1.0,
        look_up("posterior", attack=CORRUPTED, value="pneumonia"),
    ),
    Claim(
        "example 1, step A1",
        "the crucial tuple of Ellie is the second row",
        2,
        lambda frame: find_box(50, "F", 15000) + 1,
    ),
    Claim(
        "example 1, step A2",
        "e = 2 other people of the register fit it, Debbie and Emily",
        "Debbie, Emily",
        lambda frame: ", ".join(sorted(NEIGHBOURS)),
    ),
    Claim(
        "section V-A",
        "e + 1 is at least the size of the group",
        "3 >= 2",
        lambda frame: f"{len(NEIGHBOURS) + 1} >= 2",
    ),
    Claim(
        "example 1",
        "two people may own the row, Debbie and Ellie",
        2,
        lambda frame: len([name for name in (*NEIGHBOURS, "Ellie") if name in NAMES]),
    ),
    Claim(
        "example 1",
        "Debbie may own the row, although it shows another disease than hers",
        "more than 0",
        lambda frame: 1 - float(select_rows(frame, value="the row is hers")["posterior"].item()),
        agrees=lambda printed, ours: 0 < ours < 1,
    ),
    Claim(
        "section VI, after theorem 1",
        "the attack of example 1 raises no belief in a respiratory disease",
        "not raised",
        _growth,
    ),
]

ITEM = Item(
    "attacks",
    "Section I and Example 1: corruption-aided attacks",
    attack,
    note="The paper leaves the prior of Example 1 open; here every disease is equally likely.",
    claims=CLAIMS,
)
