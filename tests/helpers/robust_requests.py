"""Random requests for r-robust releases, and the worst belief in a release by slow code of its own."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

import voile as vl

VALUES = ["flu", "hiv", "cold", "cancer", "pox", "mumps"]
HEAD = ["columns", "signature", "value", "probability"]
Rates = dict[tuple[str, ...], dict[tuple[str, ...] | None, dict[str, float]]]


@dataclass(frozen=True, eq=False)
class Request:
    """A table with the rates that an adversary knows (signature None: all people who are not listed), and a wish."""

    frame: pl.DataFrame
    data: Any
    model: Any
    method: Any
    key: Any
    rates: Rates


def random_request(seed: int) -> Request:
    rng = np.random.default_rng(seed)
    people, columns, values = int(rng.integers(4, 40)), int(rng.integers(1, 4)), VALUES[: int(rng.integers(2, 7))]
    cells = {f"q{j}": rng.integers(0, int(rng.integers(2, 4)), people).astype(str).tolist() for j in range(columns)}
    shares = rng.dirichlet(np.ones(len(values)))
    frame = pl.DataFrame({**cells, "s": rng.choice(values, people, p=shares).tolist()})
    present = sorted(set(frame["s"]))
    wish: dict[str, Any] = {"r": float(rng.choice([1.3, 1.5, 2, 2, 2.5, 3])), "min_support": int(rng.integers(1, 6))}
    wish |= {"reading": str(rng.choice(["full", "binary"])), "max_columns": [None, 1, 2][int(rng.integers(3))]}
    if rng.random() < 0.7 and len(present) > 1:
        number = int(rng.integers(1, len(present)))
        wish["protect"] = tuple(map(str, rng.choice(present, number, replace=False)))
        wish["protect_as"] = str(rng.choice(["values", "set"]))
    if rng.random() < 0.4:
        rates = _draw_rates(rng, frame, present)
        wish["prior"] = _write_prior(rates)
    else:
        rates = _count_rates(frame, present, wish["min_support"], wish["max_columns"] or columns)
    knobs: dict[str, Any] = {
        "mode": str(rng.choice(["exact", "swap", "paper"])),
        "candidates": str(rng.choice(["min_size", "closest"])),
        "grouping": str(rng.choice(["auto", "greedy", "block"])),
        "leftover": str(rng.choice(["suppress", "absorb", "error"])),
        "frequent": str(rng.choice(["error", "suppress", "suppress", "unprotect"])),
    }
    if wish.get("protect_as") == "set" and rng.random() < 0.5:
        knobs["publish"] = "indicator"
    data = vl.read(frame, vl.Schema(quasi=frame.columns[:-1], sensitive=["s"]))
    return Request(frame, data, vl.RRobustness(**wish), vl.Art(**knobs), vl.Key(rng.bytes(32)), rates)


def _draw_rates(rng: np.random.Generator, frame: pl.DataFrame, present: list[str]) -> Rates:
    """Draw rates of other people: some signatures are not listed, and have those of the rest or of the whole table."""

    def draw() -> dict[str, float]:
        return dict(zip(present, rng.dirichlet(np.full(len(present), 2.0)).tolist(), strict=True))

    rates: Rates = {(): {(): draw()}}
    columns = frame.columns[:-1]
    for size in range(1, min(len(columns), 2) + 1):
        for subset in itertools.combinations(columns, size):
            signatures = sorted(set(frame.select(subset).rows()))
            rates[subset] = {signature: draw() for signature in signatures if rng.random() < 0.8}
            if rng.random() < 0.5:
                rates[subset][None] = draw()
    return {subset: known for subset, known in rates.items() if known}


def _count_rates(frame: pl.DataFrame, present: list[str], support: int, most: int) -> Rates:
    """Count the rates of the table: of every signature with support, and of the people without, if they have it."""

    def share(values: list[str]) -> dict[str, float]:
        return {value: values.count(value) / len(values) for value in present}

    rates: Rates = {(): {(): share(frame["s"].to_list())}}
    for size in range(1, min(most, frame.width - 1) + 1):
        for subset in itertools.combinations(frame.columns[:-1], size):
            values: dict[Any, list[str]] = defaultdict(list)
            for row in frame.iter_rows(named=True):
                values[tuple(row[name] for name in subset)].append(row["s"])
            rates[subset] = {signature: share(found) for signature, found in values.items() if len(found) >= support}
            rare = [value for found in values.values() if len(found) < support for value in found]
            if len(rare) >= support:
                rates[subset][None] = share(rare)
    return rates


def _write_prior(rates: Rates) -> Any:
    rows = [
        ("|".join(subset), "*" if signature is None else "|".join(signature), value, chance)
        for subset, known in rates.items()
        for signature, chances in known.items()
        for value, chance in chances.items()
    ]
    return vl.read_prior(pl.DataFrame(rows, HEAD, orient="row"), "s")


def recount_worst(request: Request, release: Any) -> float | None:
    """Recount the worst belief from the published tables, going through all worlds of every group; None if a group is
    too large for that."""
    claim = release.certificate.claims[0]["parameters"]
    values = sorted(set(request.frame["s"]))
    protect = values if claim["protect"] == "all" else claim["protect"]
    as_set, indicator = claim["protect_as"] == "set", bool(release.dictionary["columns"][-1].get("indicator"))

    def event_of(value: str) -> Any:
        if indicator:
            return "set" if value == "protected values" else None
        return ("set" if as_set else value) if value in protect else None

    def chance(rates: dict[str, float], value: str) -> float:
        if not indicator:
            return rates.get(value, 0.0)
        inside = sum(rates.get(item, 0.0) for item in protect)
        return inside if value == "protected values" else 1 - inside

    groups: dict[int, tuple[list[Any], list[str]]] = defaultdict(lambda: ([], []))
    for row in release.tables["quasi"].iter_rows(named=True):
        groups[row["group"]][0].append(row)
    for row in release.tables["sensitive"].iter_rows(named=True):
        groups[row["group"]][1].extend([str(row["s"])] * row["count"])
    sets = [subset for subset in request.rates if subset] or [()]
    worst = 0.0
    for people, shown in groups.values():
        if len(people) > 6:
            return None
        for subset, event in itertools.product(sets, {event_of(value) for value in shown} - {None}):
            known, whole = request.rates[subset], request.rates[()][()]
            signatures = [tuple(str(person[name]) for name in subset) for person in people]
            rates = [known.get(signature, known.get(None, whole)) for signature in signatures]
            total, cases = 0.0, [0.0] * len(people)
            if claim["reading"] == "binary" and not indicator:
                inside = [sum(r.get(v, 0.0) for v in values if event_of(v) == event) for r in rates]
                count = sum(event_of(value) == event for value in shown)
                worlds: Any = [
                    (math.prod(p if i in chosen else 1 - p for i, p in enumerate(inside)), chosen)
                    for chosen in itertools.combinations(range(len(people)), count)
                ]
            else:
                worlds = [
                    (
                        math.prod(chance(r, value) for r, value in zip(rates, world, strict=True)),
                        [i for i, value in enumerate(world) if event_of(value) == event],
                    )
                    for world in set(itertools.permutations(shown))
                ]
            for weight, chosen in worlds:
                total += weight
                for person in chosen:
                    cases[person] += weight
            worst = max(worst, max(cases) / total)
    return worst
