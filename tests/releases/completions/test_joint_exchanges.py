"""Completions of a decomposed release use its joint table: every table that agrees with it is drawn as often."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.releases.completions.chain import Chain
from voile.releases.release import Release
from voile.releases.shapes.decomposed import Decomposed

Row = tuple[str, str]


def publish_tiny(groups: list[int], jobs: list[str], lists: dict[int, str], joint: list[Row]) -> Release:
    """A release written by hand: the groups of the people, the job of each slot, the classes that each group lists."""
    frame = pl.DataFrame(
        {"age": range(40), "job": [f"{i % 4}" for i in range(40)], "class": [f"{i % 3}" for i in range(40)]}
    )
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["job", "class"]))
    made = vl.publish(
        data, vl.MultiDiversity(l={"job": 3, "class": 2}), vl.Decompose(primary="job"), key=vl.Key(bytes(32))
    )
    assert isinstance(made, Decomposed)
    assert made.dictionary["primary"] == "job"
    tables = {
        "quasi": pl.DataFrame({"group": groups, "age": range(len(groups))}, schema=made.tables["quasi"].schema),
        "sensitive_job": pl.DataFrame({"group": groups, "job": jobs}, schema=made.tables["sensitive_job"].schema),
        "sensitive_class": pl.DataFrame(
            [(group, name) for group, names in lists.items() for name in names],
            schema=made.tables["sensitive_class"].schema,
            orient="row",
        ),
        "joint": pl.DataFrame(joint, schema=["job", "class"], orient="row").select(made.tables["joint"].columns),
    }
    return type(made)(tables, made.dictionary, made.certificate)


def enumerate_tables(groups: list[int], jobs: list[str], lists: dict[int, str], joint: list[Row]) -> set[tuple]:
    """All ways to give the joint rows to the people so that each group has its jobs and only classes that it lists."""
    wanted = Counter(zip(groups, jobs, strict=True))
    found = set()
    for given in permutations(joint):
        fits = all(name in lists[group] for group, (_, name) in zip(groups, given, strict=True))
        if fits and Counter((group, job) for group, (job, _) in zip(groups, given, strict=True)) == wanted:
            found.add(given)
    return found


TINY: dict[str, tuple[list[int], list[str], dict[int, str], list[Row]]] = {
    "two groups": (
        [1, 1, 2, 2, 2],
        ["0", "1", "0", "1", "2"],
        {1: "01", 2: "012"},
        [("0", "0"), ("0", "1"), ("1", "1"), ("1", "2"), ("2", "0")],
    ),
    "a circle of three": (
        [1, 1, 2, 2, 3, 3],
        ["0", "1", "0", "2", "0", "3"],
        {1: "01", 2: "12", 3: "02"},
        [("0", "0"), ("0", "1"), ("0", "2"), ("1", "0"), ("2", "1"), ("3", "2")],
    ),
}


@pytest.mark.parametrize("name", sorted(TINY))
def test_every_table_that_agrees_is_drawn_as_often(name: str) -> None:
    release, possible, draws = publish_tiny(*TINY[name]), enumerate_tables(*TINY[name]), 1000
    chain = Chain(release.known_rows(), np.random.SeedSequence([1]))
    chain.warm_up()
    seen: Counter[tuple] = Counter()
    for _ in range(draws):
        _, job, kind = chain.draw()
        seen[tuple((str(a), str(b)) for a, b in zip(job, kind, strict=True))] += 1
    assert set(seen) == possible
    expected = draws / len(possible)
    assert sum((count - expected) ** 2 / expected for count in seen.values()) < 4 * len(possible)


def test_joint_counts_are_exact_and_nothing_is_assumed() -> None:
    frame = pl.DataFrame(
        {
            "age": [i % 17 for i in range(300)],
            "job": [f"j{(i * 7) % 5}" for i in range(300)],
            "class": [f"c{(i * 7) % 5 // 2}" for i in range(300)],
        }
    )
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["job", "class"]))
    release = vl.publish(
        data, vl.MultiDiversity(l={"job": 3, "class": 2}), vl.Decompose(primary="job"), key=vl.Key(bytes(32))
    )
    drawn = release.complete(3)
    assert not drawn.assumptions
    for table in drawn:
        assert Counter(table.select("job", "class").rows()) == Counter(frame.select("job", "class").rows())
        for group, ages in release.tables["quasi"].group_by("group"):
            home = {name: release.tables[f"sensitive_{name}"].filter(group=group[0])[name] for name in ("job", "class")}
            people = table.filter(release.tables["quasi"]["group"] == group[0])
            assert Counter(people["job"]) == Counter(home["job"])
            assert people.height == ages.height
            assert set(people["class"]) <= set(home["class"])
    separate = vl.publish(
        data,
        vl.MultiDiversity(l={"job": 3, "class": 2}),
        vl.Decompose(primary="job", publish_joint=False),
        key=vl.Key(bytes(32)),
    )
    assert "'class'" in separate.complete(2).assumptions[0]
