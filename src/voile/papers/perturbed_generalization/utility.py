"""Figures 2 and 3: the errors of decision trees learned from releases, for two and three classes of income."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import polars as pl

from voile import datasets
from voile.flow.publish.publish import publish
from voile.flow.read.read import read
from voile.measures.certainty import Certainty
from voile.measures.classification import Classification
from voile.methods.perturbed_generalization.perturbed_generalization import PerturbedGeneralization
from voile.models.anti_corruption.anti_corruption import AntiCorruption
from voile.models.anti_corruption.privacy_arithmetic import Terms
from voile.models.policy import Policy
from voile.papers.paper import Figure, Run
from voile.releases.release import Release
from voile.tables.microdata import Microdata
from voile.tables.schema import Schema
from voile.tables.secret_key import Key

INCOMES, SKEW, RHO1 = 50, Fraction(1, 10), 0.2
KS, PS = (2, 4, 6, 8, 10), (0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45)
USUAL_K, USUAL_P = 6, 0.3
CLASSES = {2: ("25",), 3: ("25", "37")}
SPLITTERS = {"PG, top-down specialization": "specialization", "PG, blind Mondrian": "mondrian"}
ROWS, SEEDS = 700_000, 5
QUICK_KS, QUICK_PS, QUICK_SEEDS = (2, 6, 10), (0.15, 0.45), 1  # all rows: with fewer, noise decides


def read_census(run: Run) -> Microdata:
    """Read the user's SAL table, or people of the census generator with the same nine columns."""
    names = datasets.census(1).columns
    schema = Schema(quasi=names[:-1], sensitive=names[-1:], domains={names[-1]: list(range(INCOMES))})
    source = run.data if run.data is not None else datasets.census(ROWS)
    data: Microdata = read(source, schema)
    return data


def publish_incomes(data: Microdata, k: int, p: float, splitter: str, seed: int) -> tuple[Release, Terms]:
    """Publish with the paper's p, and the guarantee that is true for the way in which people are grouped."""
    terms = Terms(k, INCOMES, SKEW, blind=splitter == "mondrian")
    policy = Policy(AntiCorruption(rho1=RHO1, rho2=float(terms.belief(p, RHO1)), skew=float(SKEW)))
    method = PerturbedGeneralization(s=1 / k, p=p, splitter=splitter)
    # a public key: an experiment on a synthetic table should give the same figures every time
    return publish(data, policy, method, key=Key(bytes([seed]) * 32)), terms


def measure_point(data: Microdata, k: int, p: float, seed: int) -> dict[str, float]:
    """Publish once with each splitter; return every error, guarantee and extent, by "method, m"."""
    found: dict[str, float] = {}
    for method, splitter in SPLITTERS.items():
        release, terms = publish_incomes(data, k, p, splitter, seed)
        found[f"{method}, rho2"], found[f"{method}, growth"] = float(terms.belief(p, RHO1)), float(terms.growth(p))
        found[f"{method}, covered"] = Certainty()(data, release).value
        found[f"{method}, rows"] = release.tables["table"].height
        found[f"{method}, incomes"] = release.tables["table"]["income"].n_unique()
        for m, starts in CLASSES.items():
            loss = Classification(starts=starts, seed=seed)(data, release)
            found[f"{method}, {m}"] = loss.value
            # both yardsticks are as large as the release: those of the last splitter stay
            found |= {f"{name}, {m}": loss.parts[name] for name in ("optimistic", "pessimistic", "most common class")}
    return found


def measure_errors(settings: Callable[[bool], Sequence[tuple[int, float]]]) -> Callable[[Run], pl.DataFrame]:
    """Make the computation of a figure: the errors for every (k, p), with the lowest and the highest of all seeds."""

    def compute(run: Run) -> pl.DataFrame:
        asked, tables = settings(run.quick), []
        table: list[Microdata] = []

        def measure(k: int, p: float, seed: int) -> dict[str, float]:
            if not table:
                table.append(read_census(run))
            return measure_point(table[0], k, p, seed)

        seeds = range(QUICK_SEEDS if run.quick else SEEDS)
        for number, (k, p) in enumerate(asked):
            points = []
            for seed in seeds:
                run.step(number * len(seeds) + seed, len(asked) * len(seeds), f"k = {k}, p = {p:g}, seed {seed}")
                key = {"k": k, "p": p, "seed": seed}
                points.append(run.point(key, lambda k=k, p=p, seed=seed: measure(k, p, seed)))  # type: ignore[misc]
            tables += _list_lines(k, p, points)
        return pl.DataFrame(tables)

    return compute


def _list_lines(k: int, p: float, points: Sequence[dict[str, float]]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for m in CLASSES:
        for method in (*SPLITTERS, "optimistic", "pessimistic"):
            errors = [point[f"{method}, {m}"] for point in points]
            row = {"k": k, "p": p, "m": m, "method": method, "error": float(np.mean(errors))}
            row |= {"low": min(errors), "high": max(errors), "most_common": points[0][f"most common class, {m}"]}
            row |= {
                fact: points[0].get(f"{method}, {fact}") for fact in ("rho2", "growth", "covered", "rows", "incomes")
            }
            rows.append(row)
    return rows


def vary_k(quick: bool) -> list[tuple[int, float]]:
    return [(k, USUAL_P) for k in (QUICK_KS if quick else KS)]


def vary_p(quick: bool) -> list[tuple[int, float]]:
    return [(USUAL_K, p) for p in (QUICK_PS if quick else PS)]


def make_panels(x: str, ticks: Sequence[float]) -> list[Figure]:
    """Draw the two panels of a figure: (a) for two classes, (b) for three."""
    return [
        Figure(
            x,
            "error",
            "method",
            x,
            "classification error",
            letter=letter,
            title=f"m = {m}",
            ticks=ticks,
            low="low",
            high="high",
            bound="most_common",
            bound_title="always the most common class",
            where={"m": m},
        )
        for letter, m in zip("ab", CLASSES, strict=True)
    ]
