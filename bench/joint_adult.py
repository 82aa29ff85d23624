"""The joint test of 20 releases of Adult with 1 % insertions and deletions each, against one Mondrian publish.

python bench/joint_adult.py [releases, default 20]

Stayers keep their groups and leavers their seats, newcomers are grouped among themselves by Mondrian: what the method
`append` publishes. Processor time; the ratio within one run is what counts.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import polars as pl

import voile as vl
from voile.adversaries.seating import Seating
from voile.models.l_diversity import LDiversity
from voile.models.sequential.joint_judgement import judge_history
from voile.models.sequential.requirement import make_requirement
from voile.releases.joint.history import gather_history
from voile.releases.joint.value_types import GroupValues, TypedReleases, type_releases

QUASI = ["age", "workclass", "education", "marital_status", "race", "sex"]
SHARE = 0.01


def main(releases: int = 20) -> None:
    table = pl.read_csv(Path(__file__).parents[2] / "shared" / "data" / "adult.csv")
    names = [name for name in table.columns if name.replace("-", "_") in QUASI]
    schema = vl.Schema(person="who", quasi=names, sensitive=["occupation"])
    table = table.with_row_index("who").sample(fraction=1.0, shuffle=True, seed=1)
    step = int(table.height * SHARE)
    first = table.height - step * (releases - 1)
    batches = [table[:first], *(table[first + step * n : first + step * (n + 1)] for n in range(releases - 1))]
    policy, ledger = vl.LDiversity(l=2), vl.Ledger()
    vl.publish(vl.read(batches[0], schema), policy)  # compiles
    start = time.process_time()
    vl.publish(vl.read(batches[0], schema), policy)
    once = time.process_time() - start
    published = []
    for batch in batches:
        own = vl.Ledger()
        own.salt = ledger.salt
        published.append((vl.publish(vl.read(batch, schema), policy, ledger=own), own.seating(0)))
    start = time.process_time()
    typed = type_releases([release for release, _ in published])
    values, seats = [], []
    for number in range(releases):
        groups = np.cumsum([0, *(own.groups for own in typed.releases[: number + 1])])
        mine = typed.releases[: number + 1]
        group = np.concatenate([own.group + shift for own, shift in zip(mine, groups[:-1], strict=True)])
        kind, count = (np.concatenate([getattr(own, name) for own in mine]) for name in ("kind", "count"))
        values.append(GroupValues(group, kind, count, int(groups[-1])))
        people = [own for _, own in published[: number + 1]]
        home = np.concatenate([own.group + shift for own, shift in zip(people, groups[:-1], strict=True)])
        everybody = np.concatenate([own.people for own in people])
        seats.append(Seating(everybody, home, np.full(len(home), -1), np.ones(len(home), dtype=bool), {}))
    column = published[0][0].tallies["occupation"].column
    assert column is not None
    together = TypedReleases(typed.names, typed.texts, values)
    verdict = judge_history(
        gather_history(together, seats, [True] * releases), make_requirement(LDiversity(l=2), column, together)
    )
    joint = time.process_time() - start
    print(f"{table.height} people, {releases} releases, {values[-1].groups} groups in the last: {verdict.answer.name}")
    print(f"publish once {once:.2f} s, joint test {joint:.2f} s: {joint / once:.1f} times")
    two = [published[0], published[0]]
    other = vl.Ledger()
    other.salt = ledger.salt
    again = table[: first + step]
    fresh = vl.publish(vl.read(again, schema), policy, ledger=other), other.seating(0)
    start = time.process_time()
    typed = type_releases([published[0][0], fresh[0]])
    history = gather_history(typed, [two[0][1], fresh[1]], [False, False])
    verdict = judge_history(history, make_requirement(LDiversity(l=2), column, typed))
    joint = time.process_time() - start
    print(f"published afresh: {verdict.answer.name}, {verdict.reason} {joint / once:.1f} times a publish")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
