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
COLUMNS = "table | unit | b | rows | people | dropped | groups | fewest people | loss | linking | values | agreeing | s"


@dataclass(frozen=True)
class RealTable:
    person: str
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    limits: tuple[int, ...] = (1, 2, 5)
    missing: str = "error"


TABLES = {
    "nafld1": RealTable("id", ("age", "male", "height"), ("status",), missing="drop"),
    "nafld2": RealTable("id", ("age", "male", "year"), ("test",)),
    "nafld3": RealTable("id", ("age", "male", "year"), ("event",)),
    "rwm5yr": RealTable("id", ("age", "female", "married", "kids", "edlevel", "year"), ("docvis",)),
    "randhie": RealTable("zper", ("site", "age", "female", "black", "num", "year"), ("mdvis",)),
    "cps": RealTable("household", ("fips", "age_head", "age_spouse", "MARS", "XTOT"), ("agi_bin",), (1, 2, 5, 12)),
}


def publish(path: Path, table: RealTable, limit: int) -> None:
    """Publish one table for one number of rows per person, and print what came of it."""
    schema = vl.Schema(
        quasi=table.quasi,
        sensitive=table.sensitive,
        person=table.person,
        rows_per_person=limit,
        missing=table.missing,
        kinds={"MARS": "categorical", "fips": "categorical"} if path.stem == "cps" else {},
    )
    began = time.perf_counter()
    data = vl.read(path, schema)
    assert data.people is not None
    facts = [path.stem, table.person, limit, data.people.total, data.people.people, data.count_left_out()]
    try:
        release = vl.publish(data, vl.KAnonymity(k=5), vl.Mondrian(), key=KEY)
    except Unsatisfiable as error:
        print("|", " | ".join(map(str, facts)), "|", error.message, "|")
        return
    spent = time.perf_counter() - began
    assert vl.verify(release).holds
    assert vl.verify(release, data=data).holds
    assert vl.verify(release, data=data, key=KEY).holds
    beliefs = {finding.title: finding.belief.worst for finding in vl.audit(release, data, ATTACKS).findings}
    loss = vl.measure(data, release, [Certainty()])["certainty"].value
    agreeing = find_worst(beliefs, "agree")
    facts += [release.groups, count_fewest(release, path, table, data, limit), f"{loss:.4f}"]
    facts += [f"{beliefs['Prosecutor']:.3f}", find_worst(beliefs, "Homogeneity"), agreeing, f"{spent:.1f}"]
    print("|", " | ".join(map(str, facts)), "|", flush=True)


def find_worst(beliefs: dict[str, float], word: str) -> str:
    worst = [belief for title, belief in beliefs.items() if word.lower() in title.lower()]
    return f"{max(worst):.3f}" if worst else "-"


def count_fewest(release: Any, path: Path, table: RealTable, data: Any, limit: int) -> int:
    """Count the people of the group with the fewest, with the ids."""
    linked = data.people.draw_linked(limit, KEY)
    homes = release.locate(data.with_rows(linked))
    cells = linked.histogram(list(table.quasi))
    whole = linked.histogram([*table.quasi, linked.names[-1]])
    quasi = [f"q{number}" for number in range(len(table.quasi))]
    groups = pl.DataFrame(cells.codes, schema=quasi).with_columns(pl.Series("group", homes))
    rows = pl.DataFrame(whole.codes, schema=[*quasi, "person"])
    joined = rows.with_columns(pl.col(quasi).cast(pl.Int64)).join(
        groups.with_columns(pl.col(quasi).cast(pl.Int64)), on=quasi
    )
    assert joined.height == rows.height
    assert int(joined["group"].min()) >= 0  # type: ignore[arg-type]
    return int(joined.group_by("group").agg(pl.col("person").n_unique())["person"].min())  # type: ignore[arg-type]


if __name__ == "__main__":
    print("|", COLUMNS, "|")
    print("|" + "---|" * len(COLUMNS.split("|")))
    for name in sys.argv[2:] or TABLES:
        for rows_per_person in TABLES[name].limits:
            publish(Path(sys.argv[1]) / f"{name}.csv", TABLES[name], rows_per_person)
