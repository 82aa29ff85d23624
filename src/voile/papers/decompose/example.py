"""Decomposition (Ye, Liu, Wang, Lv, Feng, DASFAA 2009, poster): the running example and the experiment on Adult."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from voile.attacks.chain import beliefs_about_person
from voile.flow.publish.publish import publish
from voile.flow.read.read import read
from voile.methods.decompose.decompose import Decompose
from voile.models.k_anonymity import KAnonymity
from voile.models.multi_diversity import MultiDiversity
from voile.papers.decompose.poster import EXAMPLE, GROUPS, PosterLists, legal_noise_global, legal_noise_local, posterior
from voile.papers.paper import Item, Run
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


ITEMS = (
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
)
