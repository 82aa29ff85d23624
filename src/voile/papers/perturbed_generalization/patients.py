"""The patients of Tables I and II, as printed, and the random numbers that lead to Table II."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from voile.releases.certificate import UNSIGNED
from voile.releases.shapes.generalized import Generalized
from voile.tables.schema import Schema
from voile.tables.secret_key import Key

PEOPLE: list[tuple[Any, ...]] = [
    ("Bob", 25, "M", 25000, "bronchitis"),
    ("Calvin", 30, "M", 27000, "pneumonia"),
    ("Debbie", 45, "F", 20000, "pneumonia"),
    ("Ellie", 50, "F", 15000, "breast cancer"),
    ("Fiona", 55, "F", 45000, "ovarian cancer"),
    ("Gloria", 58, "F", 32000, "hypertension"),
    ("Henry", 65, "M", 65000, "Alzheimer"),
    ("Isaac", 80, "M", 55000, "dementia"),
]
NAMES = [name for name, *_ in PEOPLE]
EMILY: tuple[Any, ...] = ("Emily", 52, "F", 28000)
DISEASES = sorted({disease for *_, disease in PEOPLE})
BOXES = {  # Table I(c), by the first person of each group
    "Bob": ("[21, 40]", "M", "[11000, 30999]"),
    "Debbie": ("[41, 60]", "F", "[11000, 30999]"),
    "Fiona": ("[41, 60]", "F", "[31000, 50999]"),
    "Henry": ("[61, 80]", "M", "[51000, 70999]"),
}
# Table II(a): everybody's value after perturbation; II(c): whose row each group shows
PERTURBED = {
    "Bob": "hypertension",
    "Calvin": "pneumonia",
    "Debbie": "breast cancer",
    "Ellie": "bronchitis",
    "Fiona": "bronchitis",
    "Gloria": "hypertension",
    "Henry": "dementia",
    "Isaac": "ovarian cancer",
}
KEPT = ("Calvin", "Gloria")
SAMPLED = ("Bob", "Debbie", "Fiona", "Isaac")
QUASI = ("age", "gender", "zipcode")
SCHEMA = Schema(quasi=QUASI, sensitive=["disease"], domains={"disease": DISEASES})


@dataclass(frozen=True)
class PrintedCoins(Key):
    """A key whose random numbers are those of a printed table, by their purpose."""

    numbers: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def draw_true(self, purpose: str, threshold: int, size: int) -> np.ndarray:
        return np.array(self.numbers[purpose], dtype=bool)

    def draw_below(self, purpose: str, limits: int | np.ndarray, size: int) -> np.ndarray:
        return np.array(self.numbers[purpose], dtype=np.uint64)


def make_coins() -> PrintedCoins:
    """Return the random numbers of Table II: who keeps their value, what the others draw, and whose row is shown."""
    numbers = {
        "perturb keep": [int(name in KEPT) for name in NAMES],
        "perturb redraw": [DISEASES.index(PERTURBED[name]) for name in NAMES],
        "sample": [NAMES.index(name) % 2 for name in SAMPLED],
    }
    return PrintedCoins(bytes(32), numbers)


def make_frame(people: Sequence[tuple[Any, ...]] = PEOPLE) -> pl.DataFrame:
    """Return the microdata, Table I(a), without names."""
    return pl.DataFrame([row[1:] for row in people], schema=[*QUASI, "disease"], orient="row")


def make_generalized() -> Generalized:
    """Return Table I(c) as printed."""
    rows = [(*BOXES[NAMES[number - number % 2]], PEOPLE[number][4]) for number in range(len(PEOPLE))]
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
