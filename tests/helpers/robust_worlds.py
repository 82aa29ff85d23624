"""Tiny tables under given statistics: every assignment of values, what each of them publishes, and what is believed.

Written apart from the product: groups and caps are read off published releases, and beliefs are sums over all worlds.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import polars as pl

import voile as vl
from voile.errors import VoileError

Rows = tuple[tuple[str, ...], ...]
Shown = tuple[tuple[Rows, tuple[tuple[str, int], ...]], ...]  # per group: its people, and its values with their counts


@dataclass(frozen=True)
class RobustTable:
    """A few people, the chance of each under every set of columns, and what is asked."""

    rows: Rows
    names: tuple[str, ...]
    prior: pl.DataFrame
    chances: np.ndarray  # sets of columns x people
    r: float
    lift: float
    method: vl.CappedCounts

    @property
    def model(self) -> vl.RRobustness:
        statistics = vl.read_prior(self.prior, "s")
        return vl.RRobustness(r=self.r, lift=self.lift, protect=("hiv",), protect_as="set", prior=statistics)

    def publish(self, world: tuple[int, ...]) -> Shown | str:
        """Publish one assignment (1 is hiv), and return what is shown, or the words of a refusal."""
        columns = {name: [row[j] for row in self.rows] for j, name in enumerate(self.names)}
        frame = pl.DataFrame({**columns, "s": ["hiv" if value else "none" for value in world]})
        schema = vl.Schema(quasi=list(self.names), sensitive=["s"])
        try:
            release = vl.publish(vl.read(frame, schema), self.model, self.method)
        except VoileError as error:
            return str(error)
        shown: dict[int, tuple[list[tuple[str, ...]], list[tuple[str, int]]]] = {}
        for group, *row in release.tables["quasi"].select("group", *self.names).iter_rows():
            shown.setdefault(group, ([], []))[0].append(tuple(row))
        for group, value, count in release.tables["sensitive"].select("group", "s", "count").iter_rows():
            shown[group][1].append((value, count))
        return tuple(sorted((tuple(sorted(people)), tuple(sorted(values))) for people, values in shown.values()))


def draw_table(rng: np.random.Generator) -> RobustTable:
    """Draw 4 to 7 people, one to three sets of columns, and rates with zeros, ones and skew."""
    people, names = int(rng.integers(4, 8)), ("a", "b")[: int(rng.integers(1, 3))]
    rows = tuple(tuple(f"{name}{rng.integers(0, 4)}" for name in names) for _ in range(people))
    subsets = [subset for size in (1, 2) for subset in itertools.combinations(names, size)]
    chosen = [subsets[j] for j in sorted(rng.choice(len(subsets), rng.integers(1, len(subsets) + 1), replace=False))]
    top = rng.choice([0.1, 0.3, 0.7, 1.0])
    never = {row for row in rows if rng.random() < 0.1}  # people of whom every set says the same
    lines, chances = [("", "", "hiv", 0.2), ("", "", "none", 0.8)], []
    for subset in chosen:
        places = [names.index(name) for name in subset]
        signatures = sorted({tuple(row[j] for j in places) for row in rows})
        rates = {}
        for signature in signatures:
            concerned = {row for row in rows if tuple(row[j] for j in places) == signature}
            rate = round(float(rng.choice([rng.random(), rng.random() ** 3, 0.05, 0.5, 1.0])) * top, 3)
            rates[signature] = 0.0 if concerned <= never else min(max(rate, 0.001), 1.0 if len(chosen) == 1 else 0.999)
            pairs = ("hiv", rates[signature]), ("none", round(1 - rates[signature], 3))
            lines += [("|".join(subset), "|".join(signature), value, rate) for value, rate in pairs]
        chances.append([rates[tuple(row[j] for j in places)] for row in rows])
    prior = pl.DataFrame(lines, ["columns", "signature", "value", "probability"], orient="row")
    method = vl.CappedCounts(min_group=int(rng.integers(1, 4)), deviations=float(rng.choice([0.0, 0.5, 1.0])))
    r, lift = float(rng.choice([1.5, 2, 3, 4, 6])), float(rng.choice([1.0, 1.2, 1.5, 2, 3]))
    return RobustTable(rows, names, prior, np.array(chances), r, lift, method)


def worst_excess(table: RobustTable, outputs: dict[tuple[int, ...], object]) -> tuple[float, int]:
    """Return by how much a belief exceeds its bound, over all outputs, people and sets of columns; and the number of
    outputs. `outputs` has what each world publishes, refusals included."""
    worlds = np.array(list(outputs))
    numbers = {output: number for number, output in enumerate(dict.fromkeys(outputs.values()))}
    output = np.array([numbers[shown] for shown in outputs.values()])
    worst = -1.0
    for chances in table.chances:
        weight = np.where(worlds == 1, chances, 1 - chances).prod(axis=1)
        total = np.bincount(output, weight, minlength=len(numbers))
        for person, chance in enumerate(chances):
            inside = np.bincount(output, weight * worlds[:, person], minlength=len(numbers))
            possible = total > 0
            belief = inside[possible] / total[possible]
            worst = max(worst, float(belief.max()) - max(1 / table.r, table.lift * chance))
    return worst, len(numbers)


def predict_outputs(table: RobustTable, sample: int, rng: np.random.Generator) -> dict[tuple[int, ...], object]:
    """Return what every possible world publishes. Groups and caps are read off the release of the world in which all
    who can be ill are ill; `sample` other worlds are published to see that they give what these groups and caps say."""
    options = [
        [value for value, fits in ((0, least < 1), (1, most > 0)) if fits]
        for least, most in zip(table.chances.min(axis=0), table.chances.max(axis=0), strict=True)
    ]
    worlds = list(itertools.product(*options))
    ill = table.publish(worlds[-1])
    if isinstance(ill, str):
        outputs: dict[tuple[int, ...], object] = dict.fromkeys(worlds, ill)
    else:
        outputs = {world: _apply(table, ill, world) for world in worlds}
    for place in rng.choice(len(worlds), min(sample, len(worlds)), replace=False):
        assert table.publish(worlds[place]) == outputs[worlds[place]], (table, worlds[place])
    return outputs


def _apply(table: RobustTable, ill: Shown, world: tuple[int, ...]) -> Shown:
    """Show a world in the groups of another release, in which every group has as many cases as it can."""
    home = {row: number for number, (people, _) in enumerate(ill) for row in people}
    cases = [0] * len(ill)
    for row, value in zip(table.rows, world, strict=True):
        cases[home[row]] += value
    shown = []
    for number, (people, values) in enumerate(ill):
        cap = dict(values).get("protected values", 0) if "not shown" in dict(values) else len(people) + 1
        hidden = cases[number] >= cap
        number_shown = cap if hidden else cases[number]
        rest = "not shown" if hidden else "other values"
        counts = {"protected values": number_shown, rest: len(people) - number_shown}
        shown.append((people, tuple(sorted((value, count) for value, count in counts.items() if count))))
    return tuple(sorted(shown))
