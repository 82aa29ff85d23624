"""The experiment on Adult: how well each release answers counting queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from voile.flow.publish.publish import publish
from voile.flow.read.read import read
from voile.measures.base import View
from voile.measures.query_error.query_error import Questions
from voile.methods.anatomy import Anatomy, optimal_l
from voile.methods.decompose.decompose import Decompose
from voile.methods.mondrian.mondrian import Mondrian
from voile.models.k_anonymity import KAnonymity
from voile.models.l_diversity import LDiversity
from voile.models.multi_diversity import MultiDiversity
from voile.models.policy import Policy
from voile.papers.paper import Figure, Item, Run
from voile.tables.schema import Schema
from voile.tables.secret_key import Key

QUASI = ("age", "sex", "race", "marital-status", "workclass", "native-country")
SENSITIVE = ("occupation", "salary-class", "education")
SEEDS, QUICK_SEEDS = 2, 1
QUERIES, QUICK_QUERIES, QUICK_ROWS = 1_000, 200, 10_000
ROUNDS = 40
SELECTIVITY = 0.05
TICKS = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
Setting = tuple[int | None, int, int]  # l of the occupation (by default that of Corollary 2), and columns in a query


def read_adult(run: Run) -> pl.DataFrame:
    """Read the Adult table, in the quick form a sorted sample of it."""
    frame = pl.read_csv(run.source("the Adult table")).select(*QUASI, *SENSITIVE)
    frame = frame.sort(pl.all())
    return frame.sample(min(QUICK_ROWS, frame.height), seed=1) if run.quick else frame


def choose_levels(frame: pl.DataFrame, l: int | None) -> dict[str, int]:  # noqa: E741 - the letter of the literature
    """Return the l of every sensitive column: floor(n / n_1) by Corollary 2, at most the given one."""
    levels = {name: optimal_l(frame[name].value_counts()["count"].to_numpy()) for name in SENSITIVE}
    return levels if l is None else {name: min(level, l) for name, level in levels.items()}


class Contest:
    """All releases for one l and one key, and their answers to the same queries."""

    def __init__(self, frame: pl.DataFrame, l: int | None, seed: int) -> None:  # noqa: E741
        self.data, levels = read(frame, Schema(quasi=QUASI, sensitive=SENSITIVE)), choose_levels(frame, l)
        key, asked = Key(bytes([seed]) * 32), MultiDiversity(levels)  # a public key: the table is public as well
        variants = {
            "decompose": Decompose(primary="occupation"),
            "decompose, no joint table": Decompose(primary="occupation", publish_joint=False),
            "decompose, the poster's noise": Decompose(primary="occupation", noise="paper"),
        }
        diverse = [name for name in SENSITIVE if levels[name] > 1]
        each = [LDiversity(l=levels[name], column=name) for name in diverse]
        mixed = LDiversity(l=2, form="distinct", column="salary-class")
        boxes = Policy(KAnonymity(k=levels["occupation"]), *each, mixed)
        releases = {name: publish(self.data, asked, method, key=key) for name, method in variants.items()}
        releases["mondrian, l-diversity of each"] = publish(self.data, boxes, Mondrian(), key=key)
        self.views = {name: View(self.data, release) for name, release in releases.items()}
        self.alone = {}
        for name in diverse:
            one = read(frame, Schema(quasi=QUASI, sensitive=[name]))
            self.alone[name] = View(one, publish(one, LDiversity(l=levels[name]), Anatomy(), key=key))

    def measure_errors(self, dimensions: int, sensitive: int, queries: int) -> dict[str, float]:
        """Return the mean relative error of each release on the same random queries that somebody satisfies."""
        first = Questions(self.data.columns, dimensions, SELECTIVITY, False, sensitive)
        names = [column.name for column in first.columns]
        rng = np.random.default_rng([dimensions, sensitive])
        found: dict[str, list[np.ndarray]] = {name: [] for name in (*self.views, "anatomy of each alone")}
        done = 0
        for _ in range(ROUNDS):
            chosen = first.draw(queries, rng)
            actual = self.data.rows.count_matches(names, first.offset, chosen)
            chosen, actual = chosen[actual > 0], actual[actual > 0]
            for name, view in self.views.items():
                found[name].append(np.abs(view.estimates.answers(chosen) - actual) / actual)
            found["anatomy of each alone"].append(np.abs(self._answer_separately(first, chosen) - actual) / actual)
            done += len(actual)
            if done >= queries:
                break
        return {name: float(np.concatenate(parts)[:queries].mean()) for name, parts in found.items()}

    def _answer_separately(self, first: Questions, chosen: np.ndarray) -> np.ndarray:
        """Answer by Anatomy of each column alone, taking the columns as independent among the people who fit."""
        quasi, offset = len(QUASI), first.offset
        everybody = chosen[:, : offset[quasi]]
        fitting, answer = None, np.ones(len(chosen))
        for place, name in enumerate(SENSITIVE, quasi):
            mask = chosen[:, offset[place] : offset[place + 1]]
            if name in self.alone:
                estimates = self.alone[name].estimates
                joined = np.concatenate([everybody, np.ones_like(mask)], axis=1)
                fitting = estimates.answers(joined) if fitting is None else fitting
                answer *= estimates.answers(np.concatenate([everybody, mask], axis=1)) / np.maximum(fitting, 1)
            else:  # no l above 1: only how common its values are can be published
                common = self.data.rows.histogram([name]).counts
                answer *= mask @ (common / common.sum())
        assert fitting is not None
        return np.asarray(answer * fitting)


def measure(x: str, settings: Sequence[Setting]) -> Callable[[Run], pl.DataFrame]:
    """Make an item: the error of every release for each setting, with the lowest and the highest of all keys."""

    def compute(run: Run) -> pl.DataFrame:
        contests: dict[tuple[int | None, int], Contest] = {}
        seeds, queries = range(QUICK_SEEDS if run.quick else SEEDS), QUICK_QUERIES if run.quick else QUERIES

        def ask(setting: Setting, seed: int) -> dict[str, float]:
            if (setting[0], seed) not in contests:
                contests[setting[0], seed] = Contest(read_adult(run), setting[0], seed)
            return contests[setting[0], seed].measure_errors(*setting[1:], queries)

        rows = []
        for number, setting in enumerate(settings):
            points = []
            at = dict(zip(("l", "qi", "sensitive"), (setting[0] or "corollary 2", *setting[1:]), strict=True))
            for seed in seeds:
                what = f"l = {at['l']}, {at['qi']} and {at['sensitive']} columns, seed {seed}"
                run.step(number * len(seeds) + seed, len(settings) * len(seeds), what)
                points.append(run.point({**at, "seed": seed}, lambda s=setting, seed=seed: ask(s, seed)))  # type: ignore[misc]
            for release in points[0]:
                errors = [point[release] for point in points]
                row = {x: at[x], "release": release, "error": float(np.mean(errors))}
                rows.append(row | {"low": min(errors), "high": max(errors)})
        return pl.DataFrame(rows)

    return compute


def _make_item(name: str, title: str, x: str, x_title: str, settings: Sequence[Setting], note: str) -> Item:
    figure = Figure(
        x,
        "error",
        "release",
        x_title,
        "average relative error",
        log_y=True,
        low="low",
        high="high",
        y_ticks=TICKS,
        ticks=[setting[{"l": 0, "qi": 1, "sensitive": 2}[x]] or 0 for setting in settings],
    )
    seed = "keys of 32 bytes 0 and 1; queries by the number of columns"
    return Item(name, title, measure(x, settings), [figure], note, table="adult", seed=seed)


NOTE = (
    "Relative error |act - est| / act of COUNT queries on Adult, as the poster defines it; its own figures are lost. "
    "Lines are means over two keys of the same 1,000 queries; the quick form has 10,000 rows, one key and 200 "
    "queries. "
)
ITEMS = (
    _make_item(
        "error-qi",
        "Error against the number of quasi-identifier columns",
        "qi",
        "quasi-identifier columns in a query",
        [(None, dimensions, 2) for dimensions in range(1, len(QUASI) + 1)],
        NOTE
        + "l is floor(n / n_1) by Corollary 2. Salary class allows no l above 1: Anatomy cannot publish it, and its "
        "predicate is answered by how common the values are.",
    ),
    _make_item(
        "error-sensitive",
        "Error against the number of sensitive columns",
        "sensitive",
        "sensitive columns in a query",
        [(None, 3, sensitive) for sensitive in range(1, len(SENSITIVE) + 1)],
        NOTE + "l is floor(n / n_1) by Corollary 2.",
    ),
    _make_item(
        "error-l",
        "Error against l",
        "l",
        "l of the occupation",
        [(least, 3, 2) for least in (2, 3, 4, 5, 6, 7)],
        NOTE + "The other columns have the same l, up to that of Corollary 2.",
    ),
)
