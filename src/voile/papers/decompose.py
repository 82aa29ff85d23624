"""Decomposition (Ye, Liu, Wang, Lv, Feng, DASFAA 2009, poster): the running example and the experiment on Adult.

The poster's tables are not printed in the text that is left of it. The example here is rebuilt from every constraint
that is: the counts, the groups, which noise values are allowed and which are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from voile.attacks.chain import believed
from voile.core.measure import View
from voile.core.paper import Figure, Item, Paper, Run
from voile.core.policy import Policy
from voile.core.schema import Schema
from voile.kernels import matching
from voile.kernels.query import count
from voile.measures.query_error import _Questions
from voile.methods.anatomy import Anatomy
from voile.methods.decompose import Decompose
from voile.methods.mondrian import Mondrian
from voile.models.k_anonymity import KAnonymity
from voile.models.l_diversity import LDiversity
from voile.models.multi_diversity import MultiDiversity

Row = Mapping[str, Any]
PEOPLE: tuple[tuple[str, str, int, str], ...] = (
    ("Alice", "nurse", 4, "first"),
    ("Betty", "nurse", 6, "first"),
    ("Carl", "police", 8, "first"),
    ("Diana", "lawyer", 9, "first"),
    ("Ella", "clerk", 8, "second"),
    ("Finch", "clerk", 7, "second"),
    ("Gavin", "cook", 5, "second"),
    ("Helen", "cook", 6, "second"),
)
EXAMPLE: tuple[Row, ...] = tuple(dict(zip(("name", "occ", "salary", "area"), row, strict=True)) for row in PEOPLE)
GROUPS = ((1, 4, 6, 2), (0, 5, 7, 3))
QUASI = ["age", "sex", "race", "marital-status", "workclass", "native-country"]
SENSITIVE = ["occupation", "salary-class", "education"]


class Lists:
    """Groups of rows with the secondary values that each lists, small enough to be looked at row by row."""

    def __init__(
        self,
        rows: Sequence[Row],
        primary: str,
        secondary: str,
        groups: Sequence[Sequence[int]],
        noise: Mapping[int, Iterable[Any]] | None = None,
    ) -> None:
        self.rows, self.primary, self.secondary, self.groups = rows, primary, secondary, groups
        self.listed = [{rows[person][secondary] for person in group} for group in groups]
        for group, values in (noise or {}).items():
            self.listed[group] |= set(values)

    def with_noise(self, group: int, value: Any) -> Lists:
        noise = {number: set(listed) for number, listed in enumerate(self.listed)}
        noise[group].add(value)
        return Lists(self.rows, self.primary, self.secondary, self.groups, noise)

    def candidates(self, group: int) -> list[Any]:
        """Values that the group does not list."""
        return sorted({row[self.secondary] for row in self.rows} - self.listed[group])

    def values(self, group: int) -> list[Any]:
        """The primary values of a group."""
        return [self.rows[person][self.primary] for person in self.groups[group]]

    def match(self, value: Any) -> tuple[list[int], list[Any], np.ndarray]:
        """For one primary value: the groups that list it, the secondary values of its rows, and which row fits which
        group."""
        homes = [number for number in range(len(self.groups)) if value in self.values(number)]
        held = [row[self.secondary] for row in self.rows if row[self.primary] == value]
        return homes, held, np.array([[one in self.listed[home] for one in held] for home in homes], dtype=bool)

    def chances(self, group: int, value: Any) -> dict[Any, float]:
        """Belief in each secondary value of the person of a group who has a primary value, by exact counting."""
        homes, held, allowed = self.match(value)
        ones = np.ones(len(homes), dtype=np.int64)
        usable, mine, theirs = matching.matchable(allowed, ones, ones)
        place = homes.index(group)
        c, t = np.flatnonzero(mine == mine[place]), np.flatnonzero(theirs == mine[place])
        exact = matching.marginals(usable[np.ix_(c, t)], ones[c], ones[t])
        assert exact is not None
        found: dict[Any, float] = {}
        for column, chance in zip(t, exact[c.tolist().index(place)], strict=True):
            if chance > 0:
                found[held[column]] = found.get(held[column], 0.0) + float(chance)
        return found


def legal_noise_local(lists: Lists, group: int) -> list[Any]:
    """The poster's rule: some row pairs the value with a primary value of the group."""
    inside = set(lists.values(group))
    paired = {row[lists.secondary] for row in lists.rows if row[lists.primary] in inside}
    return [value for value in lists.candidates(group) if value in paired]


def legal_noise_global(lists: Lists, group: int) -> list[Any]:
    """The sound rule: once listed, the value lies in a perfect matching of rows to groups."""
    found = []
    for value in lists.candidates(group):
        tried = lists.with_noise(group, value)
        for primary in tried.values(group):
            homes, held, allowed = tried.match(primary)
            ones = np.ones(len(homes), dtype=np.int64)
            usable, _, _ = matching.matchable(allowed, ones, ones)
            if any(usable[homes.index(group), place] and one == value for place, one in enumerate(held)):
                found.append(value)
                break
    return found


def posterior(lists: Lists, group: int) -> dict[Any, float]:
    """Belief in each secondary value of a person of the group, all matchings being equally likely."""
    primaries = lists.values(group)
    found: dict[Any, float] = {}
    for primary in primaries:
        for value, chance in lists.chances(group, primary).items():
            found[value] = found.get(value, 0.0) + chance / len(primaries)
    return dict(sorted(found.items()))


# the running example ------------------------------------------------------------------------------------------------
def _groups(run: Run) -> pl.DataFrame:
    lists = Lists(EXAMPLE, "occ", "salary", GROUPS, {0: [4]})
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
    lists = Lists(EXAMPLE, "occ", "salary", GROUPS)
    local, sound = legal_noise_local(lists, 0), legal_noise_global(lists, 0)
    return pl.DataFrame(
        [
            {"salary": value, "allowed by the poster": value in local, "cannot be refuted": value in sound}
            for value in lists.candidates(0)
        ]
    )


def _posterior(run: Run) -> pl.DataFrame:
    lists = Lists(EXAMPLE, "occ", "salary", GROUPS, {0: [4]})
    known = {primary: lists.chances(0, primary) for primary in lists.values(0)}
    return pl.DataFrame(
        [
            {"salary": value, "belief": belief, **{f"of a {name}": known[name].get(value, 0.0) for name in known}}
            for value, belief in posterior(lists, 0).items()
        ]
    )


def _attacks(run: Run) -> pl.DataFrame:
    """Carl in the first group of the generalized table (two nurses, a policeman, a lawyer), and in our own release."""
    frame = pl.DataFrame(list(EXAMPLE))
    boxes = run.publish(run.read(frame, Schema(quasi=["area"], sensitive=["occ", "salary"])), KAnonymity(k=4))
    data = run.read(frame, Schema(quasi=["name"], sensitive=["occ", "salary"]))
    lists = run.publish(data, MultiDiversity({"occ": 4, "salary": 4}), Decompose(primary="occ", on_fail="lower"))
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
            for value, belief in sorted(believed(release, group, **told)["salary"].items())
        ]
    )


def _refuted(run: Run) -> pl.DataFrame:
    """Random tables of twelve rows in groups of three: how many values that the poster allows can be refuted."""
    rng = np.random.default_rng(0)
    allowed, refuted, tables = 0, 0, 60 if run.quick else 400
    for _ in range(tables):
        primary = rng.permutation(np.repeat(np.arange(4), 3))
        rows = [{"o": int(one), "z": int(z)} for one, z in zip(primary, rng.integers(0, 6, 12), strict=True)]
        by_value = [[place for place, row in enumerate(rows) if row["o"] == one] for one in range(4)]
        left = [list(rng.permutation(places)) for places in by_value]
        groups = [[int(left[one].pop()) for one in chosen] for chosen in ((0, 1, 2), (1, 2, 3), (2, 3, 0), (3, 0, 1))]
        lists = Lists(rows, "o", "z", groups)
        for group in range(4):
            local = legal_noise_local(lists, group)
            allowed += len(local)
            refuted += len(set(local) - set(legal_noise_global(lists, group)))
    return pl.DataFrame({"tables": [tables], "allowed": [allowed], "refuted": [refuted], "share": [refuted / allowed]})


# the experiment -----------------------------------------------------------------------------------------------------
def _levels(l: int) -> dict[str, int]:  # noqa: E741 - the letter of the literature
    return {"occupation": l, "salary-class": 1, "education": min(l, 3)}


class _Contest:
    """All releases of one l, and their answers to the same queries."""

    def __init__(self, run: Run, l: int) -> None:  # noqa: E741 - the letter of the literature
        frame = pl.read_csv(run.source("the Adult table"))
        if run.quick:
            frame = frame.sample(min(10_000, frame.height), seed=1)
        self.data = run.read(frame, Schema(quasi=QUASI, sensitive=SENSITIVE))
        levels = _levels(l)
        asked = MultiDiversity(levels)
        variants = {
            "decompose": Decompose(primary="occupation"),
            "decompose, no joint table": Decompose(primary="occupation", publish_joint=False),
            "decompose, the paper's noise": Decompose(primary="occupation", noise="paper"),
        }
        each = [LDiversity(l=levels[name], column=name) for name in ("occupation", "education")]
        mixed = LDiversity(l=2, form="distinct", column="salary-class")
        releases = {name: run.publish(self.data, asked, method) for name, method in variants.items()}
        releases["mondrian, l-diversity of each"] = run.publish(
            self.data, Policy(KAnonymity(k=l), *each, mixed), Mondrian()
        )
        self.views = {name: View(self.data, release) for name, release in releases.items()}
        self.alone = {}
        for name in ("occupation", "education"):
            one = run.read(frame, Schema(quasi=QUASI, sensitive=[name]))
            self.alone[name] = View(one, run.publish(one, LDiversity(l=levels[name]), Anatomy()))
        shown = self.data.rows.histogram(["salary-class"])
        self.usual = shown.counts / shown.counts.sum()

    def errors(self, dimensions: int, sensitive: int, queries: int, selectivity: float = 0.05) -> dict[str, float]:
        """Mean relative error of each release on the same random queries that somebody satisfies."""
        asks = {name: _Questions(view, dimensions, selectivity, False, sensitive) for name, view in self.views.items()}
        first = next(iter(asks.values()))
        rng = np.random.default_rng([dimensions, sensitive])
        found: dict[str, list[np.ndarray]] = {name: [] for name in (*asks, "anatomy of each alone")}
        done = 0
        for _ in range(40):
            chosen = first._draw(queries, rng)
            actual = count(first.codes, first.view.original.counts, first.offset, chosen)
            chosen, actual = chosen[actual > 0], actual[actual > 0]
            for name, ask in asks.items():
                found[name].append(np.abs(ask.estimate(chosen) - actual) / actual)
            found["anatomy of each alone"].append(np.abs(self._apart(first, chosen) - actual) / actual)
            done += len(actual)
            if done >= queries:
                break
        return {name: float(np.concatenate(parts)[:queries].mean()) for name, parts in found.items()}

    def _apart(self, first: _Questions, chosen: np.ndarray) -> np.ndarray:
        """Anatomy of each column alone: the columns taken as independent among the people who fit."""
        quasi, offset = len(QUASI), first.offset
        everybody = chosen[:, : offset[quasi]]
        fitting, answer = None, np.ones(len(chosen))
        for place, name in enumerate(SENSITIVE, quasi):
            mask = chosen[:, offset[place] : offset[place + 1]]
            if name in self.alone:
                ask = _Questions(self.alone[name], 1, 0.05, False)
                joined = np.concatenate([everybody, np.ones_like(mask)], axis=1)
                fitting = ask.estimate(joined) if fitting is None else fitting
                answer *= ask.estimate(np.concatenate([everybody, mask], axis=1)) / np.maximum(fitting, 1)
            else:  # no l above 1: nothing can be published about it but how common its values are
                answer *= mask @ self.usual
        assert fitting is not None
        return np.asarray(answer * fitting)


def _against(settings: Callable[[], Iterable[tuple[int, int, int]]], x: str) -> Callable[[Run], pl.DataFrame]:
    """An item: the error of every release for settings (l, columns of the quasi-identifier, sensitive columns)."""

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
        ),
        Item(
            "error-sensitive",
            "Error against the number of sensitive columns",
            _against(lambda: [(5, 3, sensitive) for sensitive in (1, 2, 3)], "sensitive"),
            [_figure("sensitive", "sensitive columns in a query")],
        ),
        Item(
            "error-l",
            "Error against l",
            _against(lambda: [(least, 3, 2) for least in (2, 3, 4, 5, 6, 7)], "l"),
            [_figure("l", "l of the occupation")],
            note="The l of education is the same up to 3, its largest.",
        ),
    ),
)
