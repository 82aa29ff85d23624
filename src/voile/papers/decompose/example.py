"""The running example of the poster: its tables, the attacks on them, and noise that can be refuted."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from voile.attacks.chain import beliefs_about_person
from voile.flow.publish.publish import publish
from voile.flow.read.read import read
from voile.methods.anatomy import optimal_l
from voile.methods.decompose.decompose import Decompose
from voile.models.k_anonymity import KAnonymity
from voile.models.multi_diversity import MultiDiversity
from voile.papers.decompose.poster import EXAMPLE, GROUPS, PosterLists, legal_noise_global, legal_noise_local, posterior
from voile.papers.paper import Run
from voile.tables.schema import Schema
from voile.tables.secret_key import Key

KEY = Key(bytes(32))  # a public key: the same example every time


def describe_tables(run: Run) -> pl.DataFrame:
    """Describe both groups of Table III, and those of Tables IV to VI."""
    sizes = np.array([sum(row["occ"] == value for row in EXAMPLE) for value in sorted({r["occ"] for r in EXAMPLE})])
    boxes = [[place for place, row in enumerate(EXAMPLE) if row["area"] == area] for area in ("first", "second")]
    return pl.DataFrame(
        [
            {"table": table, "group": number, **_describe_group(members)}
            for table, groups in (("III", boxes), ("IV", GROUPS))
            for number, members in enumerate(groups, 1)
        ]
    ).with_columns(optimal_l_of_occupation=pl.lit(optimal_l(sizes)))


def _describe_group(members: Collection[int]) -> dict[str, Any]:
    """Return the people of a group, and how many values they have in each column and for each occupation."""
    people = [EXAMPLE[member] for member in members]
    salaries = [
        {row["salary"] for row in people if row["occ"] == occupation} for occupation in {r["occ"] for r in people}
    ]
    return {
        "people": len(people),
        "names": ", ".join(row["name"] for row in people),
        "occupations": len({row["occ"] for row in people}),
        "salaries": len({row["salary"] for row in people}),
        "salaries_per_occupation": min(len(values) for values in salaries),
    }


def count_diverse_groupings() -> int:
    """Count the ways to halve the example so that each occupation of a half has two salaries there."""
    everybody = range(len(EXAMPLE))
    halves = [half for half in combinations(everybody, len(EXAMPLE) // 2) if 0 in half]
    return sum(
        min(_describe_group(part)["salaries_per_occupation"] for part in (half, set(everybody) - set(half))) >= 2
        for half in halves
    )


def list_groups(run: Run) -> pl.DataFrame:
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


def list_noise(run: Run) -> pl.DataFrame:
    lists = PosterLists(EXAMPLE, "occ", "salary", GROUPS)
    local, sound = legal_noise_local(lists, 0), legal_noise_global(lists, 0)
    return pl.DataFrame(
        [
            {"salary": value, "allowed by the poster": value in local, "cannot be refuted": value in sound}
            for value in lists.candidates(0)
        ]
    )


def list_beliefs(run: Run) -> pl.DataFrame:
    lists = PosterLists(EXAMPLE, "occ", "salary", GROUPS, {0: [4]})
    known = {primary: lists.chances(0, primary) for primary in lists.values(0)}
    return pl.DataFrame(
        [
            {"salary": value, "belief": belief, **{f"of a {name}": known[name].get(value, 0.0) for name in known}}
            for value, belief in posterior(lists, 0).items()
        ]
    )


def attack_carl(run: Run) -> pl.DataFrame:
    """Attack Carl in the first group of the generalized table (two nurses, a policeman, a lawyer) and in ours."""
    frame = pl.DataFrame(list(EXAMPLE))
    boxes = publish(read(frame, Schema(quasi=["area"], sensitive=["occ", "salary"])), KAnonymity(k=4), key=KEY)
    data = read(frame, Schema(quasi=["name"], sensitive=["occ", "salary"]))
    lists = publish(data, MultiDiversity({"occ": 4, "salary": 4}), Decompose(primary="occ", on_fail="lower"), key=KEY)
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


def count_refuted(run: Run) -> pl.DataFrame:
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
