"""Decomposition (Ye, Liu, Wang, Lv, Feng, DASFAA 2009, poster): the running example and the experiment on Adult."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import polars as pl

from voile.attacks.chain import beliefs_about_person
from voile.flow.publish.publish import publish
from voile.flow.read.read import read
from voile.flow.report.figures import Figure
from voile.measures.base import View
from voile.measures.query_error.query_error import Questions
from voile.methods.anatomy import Anatomy
from voile.methods.decompose.decompose import Decompose
from voile.methods.mondrian.mondrian import Mondrian
from voile.models.k_anonymity import KAnonymity
from voile.models.l_diversity import LDiversity
from voile.models.multi_diversity import MultiDiversity
from voile.models.policy import Policy
from voile.papers.decompose.poster import EXAMPLE, GROUPS, PosterLists, legal_noise_global, legal_noise_local, posterior
from voile.papers.paper import Item, Paper, Run
from voile.tables.schema import Schema

QUASI = ["age", "sex", "race", "marital-status", "workclass", "native-country"]
SENSITIVE = ["occupation", "salary-class", "education"]


# the running example ------------------------------------------------------------------------------------------------
def _groups(run: Run) -> pl.DataFrame:
    lists = PosterLists(EXAMPLE, "occ", "salary", GROUPS, {0: [4]})
    return pl.DataFrame(
        [
            {
                "group": number + 1,
                "people": ", ".join(EXAMPLE[person]["name"] for person in group),
                "occupations": ", ".join(lists.values(number)),
                "real salaries": ", ".join(map(str, sorted({EXAMPLE[person]["salary"] for person in group}))),
                "listed salaries": ", ".join(map(str, sorted(lists.listed[number]))),
            }
            for number, group in enumerate(GROUPS)
        ]
    )


def _noise(run: Run) -> pl.DataFrame:
    lists = PosterLists(EXAMPLE, "occ", "salary", GROUPS)
    local, sound = legal_noise_local(lists, 0), legal_noise_global(lists, 0)
    return pl.DataFrame(
        [
            {"salary": value, "allowed by the poster": value in local, "cannot be refuted": value in sound}
            for value in lists.candidates(0)
        ]
    )


def _posterior(run: Run) -> pl.DataFrame:
    lists = PosterLists(EXAMPLE, "occ", "salary", GROUPS, {0: [4]})
    known = {primary: lists.chances(0, primary) for primary in lists.values(0)}
    return pl.DataFrame(
        [
            {"salary": value, "belief": belief, **{f"of a {name}": known[name].get(value, 0.0) for name in known}}
            for value, belief in posterior(lists, 0).items()
        ]
    )


def _attacks(run: Run) -> pl.DataFrame:
    """Attack Carl in the first group of the generalized table (two nurses, a policeman, a lawyer) and in ours."""
    frame = pl.DataFrame(list(EXAMPLE))
    boxes = publish(read(frame, Schema(quasi=["area"], sensitive=["occ", "salary"])), KAnonymity(k=4))
    data = read(frame, Schema(quasi=["name"], sensitive=["occ", "salary"]))
    lists = publish(data, MultiDiversity({"occ": 4, "salary": 4}), Decompose(primary="occ", on_fail="lower"))
    table = lists.tables["sensitive_occ"]
    carl = sorted(table["group"].unique()).index(table.filter(pl.col("occ") == "police")["group"][0])
    ways: dict[str, dict[str, Any]] = {
        "chain: he is a policeman": {"known": {"occ": "police"}},
        "exclusion: he is no nurse": {"excluded": {"occ": ["nurse"]}},
    }
    return pl.DataFrame(
        [
            {"attack": attack, "release": shown, "salary": value, "belief": belief}
            for attack, told in ways.items()
            for shown, release, group in (("generalized", boxes, 0), ("decomposed", lists, carl))
            for value, belief in sorted(beliefs_about_person(release, group, **told)["salary"].items())
        ]
    )


def _refuted(run: Run) -> pl.DataFrame:
    """Count how many values that the poster allows can be refuted, in random tables of twelve rows in four groups."""
    rng = np.random.default_rng(0)
    allowed, refuted, tables = 0, 0, 60 if run.quick else 400
    for _ in range(tables):
        primary = rng.permutation(np.repeat(np.arange(4), 3))
        rows = [{"o": int(one), "z": int(z)} for one, z in zip(primary, rng.integers(0, 6, 12), strict=True)]
        by_value = [[place for place, row in enumerate(rows) if row["o"] == one] for one in range(4)]
        left = [list(rng.permutation(places)) for places in by_value]
        groups = [[int(left[one].pop()) for one in chosen] for chosen in ((0, 1, 2), (1, 2, 3), (2, 3, 0), (3, 0, 1))]
        lists = PosterLists(rows, "o", "z", groups)
        for group in range(4):
            local = legal_noise_local(lists, group)
            allowed += len(local)
            refuted += len(set(local) - set(legal_noise_global(lists, group)))
    return pl.DataFrame({"tables": [tables], "allowed": [allowed], "refuted": [refuted], "share": [refuted / allowed]})


# the experiment -----------------------------------------------------------------------------------------------------
def _levels(l: int) -> dict[str, int]:  # noqa: E741 - the letter of the literature
    return {"occupation": l, "salary-class": 1, "education": min(l, 3)}


class _Contest:
    """All releases for one l, and their answers to the same queries."""

    def __init__(self, run: Run, l: int) -> None:  # noqa: E741 - the letter of the literature
        frame = pl.read_csv(run.source("the Adult table"))
        if run.quick:
            frame = frame.sample(min(10_000, frame.height), seed=1)
        self.data = read(frame, Schema(quasi=QUASI, sensitive=SENSITIVE))
        levels = _levels(l)
        asked = MultiDiversity(levels)
        variants = {
            "decompose": Decompose(primary="occupation"),
            "decompose, no joint table": Decompose(primary="occupation", publish_joint=False),
            "decompose, the paper's noise": Decompose(primary="occupation", noise="paper"),
        }
        each = [LDiversity(l=levels[name], column=name) for name in ("occupation", "education")]
        mixed = LDiversity(l=2, form="distinct", column="salary-class")
        releases = {name: publish(self.data, asked, method) for name, method in variants.items()}
        releases["mondrian, l-diversity of each"] = publish(
            self.data, Policy(KAnonymity(k=l), *each, mixed), Mondrian()
        )
        self.views = {name: View(self.data, release) for name, release in releases.items()}
        self.alone = {}
        for name in ("occupation", "education"):
            one = read(frame, Schema(quasi=QUASI, sensitive=[name]))
            self.alone[name] = View(one, publish(one, LDiversity(l=levels[name]), Anatomy()))
        shown = self.data.rows.histogram(["salary-class"])
        self.usual = shown.counts / shown.counts.sum()

    def errors(self, dimensions: int, sensitive: int, queries: int, selectivity: float = 0.05) -> dict[str, float]:
        """Return the mean relative error of each release on the same random queries that somebody satisfies."""
        shown = {name: view.estimates for name, view in self.views.items()}
        first = Questions(self.data.columns, dimensions, selectivity, False, sensitive)
        names = [column.name for column in first.columns]
        rng = np.random.default_rng([dimensions, sensitive])
        found: dict[str, list[np.ndarray]] = {name: [] for name in (*shown, "anatomy of each alone")}
        done = 0
        for _ in range(40):
            chosen = first.draw(queries, rng)
            actual = self.data.rows.count_matches(names, first.offset, chosen)
            chosen, actual = chosen[actual > 0], actual[actual > 0]
            for name, estimates in shown.items():
                found[name].append(np.abs(estimates.answers(chosen) - actual) / actual)
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
                answer *= mask @ self.usual
        assert fitting is not None
        return np.asarray(answer * fitting)


def _against(settings: Callable[[], Iterable[tuple[int, int, int]]], x: str) -> Callable[[Run], pl.DataFrame]:
    """Make an item: the error of every release for settings (l, quasi-identifier columns, sensitive columns)."""

    def compute(run: Run) -> pl.DataFrame:
        asked = list(settings())
        known: dict[int, _Contest] = {}
        rows = []
        for done, (l, dimensions, sensitive) in enumerate(asked):  # noqa: E741 - the letter of the literature
            run.step(done, len(asked), f"l = {l}, {dimensions} and {sensitive} columns")
            contest = known.setdefault(l, _Contest(run, l)) if l not in known else known[l]
            errors = contest.errors(dimensions, sensitive, 200 if run.quick else 2000)
            at = {"l": l, "qi": dimensions, "sensitive": sensitive}[x]
            rows += [{x: at, "release": name, "error": error} for name, error in errors.items()]
        return pl.DataFrame(rows)

    return compute


def _figure(x: str, title: str) -> Figure:
    return Figure(x, "error", "release", title, "average relative error")


PAPER = Paper(
    "decompose",
    "Decomposition: privacy preservation for multiple sensitive attributes (DASFAA 2009)",
    (
        Item(
            "groups",
            "The running example: SA-groups and their lists",
            _groups,
            note="Group 1 lists three salaries; the poster adds 4 as noise to have four.",
        ),
        Item(
            "noise",
            "Noise values for group 1",
            _noise,
            note="The poster allows 4 and 7 and forbids 9. But 7 can be refuted: of the two clerks' rows, 8 fits group "
            "1 alone, so 7 is in group 2.",
        ),
        Item(
            "posterior",
            "What can be believed in group 1",
            _posterior,
            note="Four salaries are listed, and 8 still has probability 1/2: values that are listed once are counted "
            "in the joint table. A policeman's salary is known, because there is one policeman.",
        ),
        Item(
            "attacks",
            "Chain and exclusion attacks on Carl",
            _attacks,
            note="The poster's text says that Diana's salary is learned; it is Carl's.",
        ),
        Item(
            "refuted",
            "Noise that the poster allows and an adversary refutes",
            _refuted,
            note="On random tables of twelve rows in four groups.",
        ),
        Item(
            "error-qi",
            "Error against the number of quasi-identifier columns",
            _against(lambda: [(5, dimensions, 2) for dimensions in range(1, len(QUASI) + 1)], "qi"),
            [_figure("qi", "quasi-identifier columns in a query")],
            note="Salary class allows no l above 1: Anatomy cannot publish it, and its predicate is answered by how "
            "common the values are.",
            takes_table=True,
        ),
        Item(
            "error-sensitive",
            "Error against the number of sensitive columns",
            _against(lambda: [(5, 3, sensitive) for sensitive in (1, 2, 3)], "sensitive"),
            [_figure("sensitive", "sensitive columns in a query")],
            takes_table=True,
        ),
        Item(
            "error-l",
            "Error against l",
            _against(lambda: [(least, 3, 2) for least in (2, 3, 4, 5, 6, 7)], "l"),
            [_figure("l", "l of the occupation")],
            note="The l of education is the same up to 3, its largest.",
            takes_table=True,
        ),
    ),
)
