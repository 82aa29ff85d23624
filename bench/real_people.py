"""Publish real tables of people with several rows; verify, measure and attack the releases.

    python bench/real_people.py FOLDER [table ...]

FOLDER holds the CSV files that bench/export_people.py writes. Prints the rows of the table in docs/people_measured.md.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

import voile as vl
from voile.errors import Unsatisfiable
from voile.measures.certainty import Certainty
from voile.plugins.registry import build_plugin, registered_classes

KEY = vl.Key(bytes(range(32)))
ATTACKS: list[Any] = [
    build_plugin("attacks", name, {})
    for name in ("linking", "homogeneity", "agreeing-rows")
    if name in registered_classes("attacks")
]
COLUMNS = (
    "table | promise | b | rows | people | dropped | groups | fewest people | loss | linking | values | agreeing | s"
)
SIZES = vl.Policy(vl.KAnonymity(k=5))
VALUES = vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=2))


@dataclass(frozen=True)
class RealTable:
    person: str
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    limits: tuple[int, ...] = (1, 2, 5)
    missing: str = "error"
    kinds: tuple[str, ...] = ()  # columns of numbers that are categories

    def schema(self, **more: Any) -> vl.Schema:
        kinds = dict.fromkeys(self.kinds, "categorical")
        return vl.Schema(self.quasi, self.sensitive, kinds=kinds, missing=self.missing, **more)


TABLES = {
    "nafld1": RealTable("id", ("age", "male", "height"), ("status",), missing="drop"),
    "nafld2": RealTable("id", ("age", "male", "year"), ("test",)),
    "nafld3": RealTable("id", ("age", "male", "year"), ("event",)),
    "rwm5yr": RealTable("id", ("age", "female", "married", "kids", "edlevel", "year"), ("docvis",)),
    "randhie": RealTable("zper", ("site", "age", "female", "black", "num", "year"), ("mdvis",)),
    "cps": RealTable(
        "household",
        ("fips", "age_head", "age_spouse", "MARS", "XTOT"),
        ("agi_bin",),
        (1, 2, 5, 12),  # no household has more than 12 tax units
        kinds=("fips", "MARS"),
    ),
}


def publish(name: str, path: Path, table: RealTable, limit: int, policy: vl.Policy) -> None:
    """Publish one table for one number of rows per person, and print what came of it."""
    began = time.perf_counter()
    data = vl.read(path, table.schema(person=table.person, rows_per_person=limit))
    assert data.people is not None
    promise = "k=5" if policy is SIZES else "k=5, l=2"
    facts: list[Any] = [name, promise, limit, data.people.total, data.people.people, data.count_left_out()]
    try:
        release = vl.publish(data, policy, vl.Mondrian(), key=KEY)
    except Unsatisfiable:
        print("|", " | ".join(map(str, [*facts, "out of reach", *"------"])), "|", flush=True)
        return
    spent = time.perf_counter() - began
    assert vl.verify(release).holds
    assert vl.verify(release, data=data).holds
    assert vl.verify(release, data=data, key=KEY).holds
    attacks = [attack for attack in ATTACKS if attack.applies(release)]
    beliefs = {finding.title: finding.belief for finding in vl.audit(release, data, attacks).findings}
    loss = vl.measure(data, release, [Certainty()])["certainty"].value
    facts += [release.groups, count_people(release, data, limit).min(), f"{loss:.4f}"]
    facts += [describe_belief(beliefs, word) for word in ("Prosecutor", "Homogeneity", "agree")]
    facts.append(f"{spent:.1f}")
    print("|", " | ".join(map(str, facts)), "|", flush=True)


def count_as_rows(name: str, path: Path, table: RealTable) -> None:
    """Publish as if every row were a person, and count with the ids how many groups have fewer than five people."""
    rows = vl.read(path, table.schema(identifier=[table.person], rows_are="people"))
    release = vl.publish(rows, vl.KAnonymity(k=5), vl.Mondrian(), key=KEY)
    data = vl.read(path, table.schema(person=table.person))
    assert data.people is not None
    counts = count_people(release, data, data.people.total)
    print("|", name, "|", release.groups, "|", (counts < 5).sum(), "|", counts.min(), "|", flush=True)


def describe_belief(beliefs: dict[str, Any], word: str) -> str:
    """Return the worst and the mean belief of the attack whose title has the word."""
    fitting = [belief for title, belief in beliefs.items() if word.lower() in title.lower()]
    return ", ".join(f"{belief.worst:.3f} / {belief.mean:.3f}" for belief in fitting) or "-"


def count_people(release: Any, data: Any, limit: int) -> pl.Series:
    """Count the people of each group, with the ids of the rows that the key draws."""
    names = [column.name for column in data.columns.quasi]
    linked = data.people.draw_linked(limit, KEY)
    homes = release.locate(data.with_rows(linked))
    assert (homes >= 0).all()
    quasi = [f"q{number}" for number in range(len(names))]
    cells = pl.DataFrame(linked.histogram(names).codes.astype(int), schema=quasi)
    rows = pl.DataFrame(linked.histogram([*names, linked.names[-1]]).codes.astype(int), schema=[*quasi, "person"])
    joined = rows.join(cells.with_columns(pl.Series("group", homes)), on=quasi)
    assert joined.height == rows.height
    return joined.group_by("group").agg(pl.col("person").n_unique())["person"]


if __name__ == "__main__":
    schema = vl.Schema(quasi=["age"], sensitive=["occupation"])
    vl.publish(vl.read(vl.datasets.census(2_000), schema), vl.KAnonymity(k=5))  # compiled before the clock runs
    print("|", COLUMNS, "|")
    print("|" + "---|" * len(COLUMNS.split("|")))
    paths = {name: Path(sys.argv[1]) / f"{name}.csv" for name in sys.argv[2:] or TABLES}
    for name, path in paths.items():
        for rows_per_person in TABLES[name].limits:
            publish(name, path, TABLES[name], rows_per_person, SIZES)
        for rows_per_person in (1, 2):
            publish(name, path, TABLES[name], rows_per_person, VALUES)
    print("\n| table | groups | groups with fewer than 5 people | fewest people |\n|---|---|---|---|")
    for name, path in paths.items():
        count_as_rows(name, path, TABLES[name])
