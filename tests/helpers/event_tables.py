"""Random tables of events: people with several rows, and requests to publish them."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

import voile as vl

PERSON = "patient"
CITIES = ["Bern", "Graz", "Lyon", "Nice", "Oslo", "Riga", "Turin"]
DISEASES = ["acne", "asthma", "cold", "flu", "gout", "HIV", "lupus", "mumps", "rubella", "scurvy", "typhus", "zoster"]


@dataclass(frozen=True)
class EventRequest:
    """A table of events, and how to publish it."""

    frame: pl.DataFrame
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    rows_per_person: int
    k: int
    diversity: int | None
    alpha: float | None
    method: Any
    key: vl.Key

    @property
    def schema(self) -> vl.Schema:
        return vl.Schema(
            quasi=self.quasi, sensitive=self.sensitive, person=PERSON, rows_per_person=self.rows_per_person
        )

    @property
    def policy(self) -> vl.Policy:
        models: list[Any] = [vl.KAnonymity(k=self.k)] if self.alpha is None else []
        models += [vl.AlphaK(alpha=self.alpha, k=self.k)] if self.alpha is not None else []
        models += [vl.LDiversity(l=self.diversity)] if self.diversity is not None else []
        return vl.Policy(*models)

    def rows_left(self) -> int:
        """Count the rows that may be published, by hand."""
        return sum(min(rows, self.rows_per_person) for rows in Counter(self.frame[PERSON].to_list()).values())


def random_request(seed: int, tiny: bool = False) -> EventRequest:
    """Draw a table of events and a request that can often be met. `tiny`: at most 4 people and 6 rows."""
    rng = np.random.default_rng([seed, tiny])
    rows = draw_row_counts(rng, tiny)
    owner = rng.permutation(np.repeat(np.arange(len(rows)), rows))
    columns: dict[str, list[Any]] = {PERSON: name_people(rng, len(rows), owner)}
    quasi = tuple(f"quasi {number}" for number in range(rng.integers(1, 4)))
    for name in quasi:
        columns[name] = draw_quasi(rng, len(rows), owner)
    sensitive = tuple(f"sensitive {number}" for number in range(rng.integers(1, 3)))
    for name in sensitive:
        columns[name] = draw_diseases(rng, len(rows), owner, tiny)
    frame = pl.DataFrame(columns)
    # a tiny table of 6 rows has no group of 2 people with 4 rows each
    limit = int(rng.integers(1, 4 if tiny else 6))
    key = vl.Key(hashlib.sha256(f"{seed} {tiny}".encode()).digest())
    left = sum(min(int(own), limit) for own in rows)
    top = max(max(Counter(columns[name]).values()) / len(owner) for name in sensitive)
    most_diverse, least_alpha = int(1 / (top * limit)), top * limit
    alphas = [share for share in (0.3, 0.5, 0.7, 1.0) if share >= least_alpha]
    if rng.random() < 0.1:  # a request that can hardly be met
        most_diverse, alphas = 4, [0.3]
    return EventRequest(
        frame,
        quasi,
        sensitive,
        limit,
        k=int(rng.integers(2, max(3, min(6, left // limit + 1)))),
        diversity=int(rng.integers(2, min(most_diverse, 4) + 1)) if most_diverse > 1 and rng.random() < 0.6 else None,
        alpha=float(rng.choice(alphas)) if alphas and rng.random() < 0.3 else None,
        method=draw_method(rng),
        key=key,
    )


def draw_row_counts(rng: np.random.Generator, tiny: bool) -> np.ndarray:
    """Draw how many rows each person has: from 1 to 20."""
    if tiny:
        rows = rng.integers(1, 4, rng.integers(2, 5))
        while rows.sum() > 6:
            rows[rows.argmax()] -= 1
        return rows
    people = int(rng.integers(2, 25))
    if rng.random() < 0.5:
        return rng.integers(1, rng.integers(2, 6), people)
    return np.minimum(rng.geometric(0.3, people), 20) if rng.random() < 0.8 else rng.integers(1, 21, people)


def name_people(rng: np.random.Generator, people: int, owner: np.ndarray) -> list[Any]:
    """Name the person of each row: by a number, or by a text that is hard to read."""
    numbers = rng.permutation(people) * int(rng.choice([1, 7, 10**12])) - int(rng.choice([0, 3]))
    match rng.integers(3):
        case 0:
            return numbers[owner].tolist()
        case 1:
            return [f"p{numbers[one]}" for one in owner]
    names = ["", " ", "0", "00", "é", "e\u0301", "a,b", "null", *(f"{number:03}" for number in range(people))]
    return [names[one] for one in owner]


def draw_quasi(rng: np.random.Generator, people: int, owner: np.ndarray) -> list[Any]:
    """Draw a quasi-identifier column: numbers or words; the same in all rows of a person, or not."""
    who = owner if rng.random() < 0.5 else np.arange(len(owner))
    size = max(people, len(owner))
    if rng.random() < 0.5:
        return rng.integers(20, 20 + int(rng.choice([1, 4, 60])), size)[who].tolist()
    return rng.choice(CITIES[: int(rng.integers(1, 8))], size)[who].tolist()


def draw_diseases(rng: np.random.Generator, people: int, owner: np.ndarray, tiny: bool) -> list[str]:
    """Draw a sensitive column: each row by itself, or the same value in most rows of a person (a chronic disease)."""
    known = DISEASES[: int(rng.integers(4 if tiny else 2, 13))]
    own = rng.choice(known, len(owner))
    chronic = rng.choice(known, people)[owner]
    return np.where(rng.random(len(owner)) < rng.choice([0.0, 0.0, 0.8, 1.0]), chronic, own).tolist()


def draw_method(rng: np.random.Generator) -> Any:
    if rng.random() < 0.8:
        return vl.Mondrian(recoding=str(rng.choice(["tight", "tight", "hierarchy"])))
    return vl.FullDomain(suppression=float(rng.choice([0, 0.1, 0.5])))
