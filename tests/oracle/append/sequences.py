"""Publish random tables of a few people quarter after quarter, and compare every belief in every world with 1/l."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import polars as pl

import voile as vl
from oracle.append.worlds import History, Record, highest_belief
from voile.engines.person_rows import hash_people
from voile.errors import DataError, Unsatisfiable

SCHEMA = vl.Schema(person="id", quasi=["age", "city"], sensitive=["disease"])


@dataclass
class Outcome:
    """What became of a sequence: the bound, the highest belief with and without the seats of leavers, and events."""

    bound: Fraction
    belief: Fraction = Fraction(0)
    without_leavers: Fraction = Fraction(0)
    events: Counter[str] = field(default_factory=Counter)


def publish_sequence(seed: int) -> Outcome:
    """Publish a random sequence of 2 to 4 releases of 5 to 9 people."""
    rng = random.Random(seed)
    divide = rng.choice((2, 2, 3))
    history = History(rng, "abcd"[: rng.randint(divide, 4)])
    grouping, newcomers = rng.choice(
        ((vl.Mondrian(), None), (vl.Mondrian(), vl.Mondrian()), (vl.Cluster(), None), (vl.Anatomy(), None))
    )
    method = vl.Append(
        grouping=grouping,
        newcomers=newcomers,
        waiting=rng.choice(("fewest", "fewest", "blind")),
        batch=rng.choice((1, 1, 3)),
    )
    most = rng.randint(5, 9)
    while not can_be_published(history, divide):  # otherwise the first release is refused
        history.rows.clear()
        history.present.clear()
        history.enter(rng.randint(divide, most - 1))
    outcome, record, ledger = Outcome(Fraction(1, divide)), Record(), vl.Ledger()
    releases: list[vl.Release] = []
    quarters = rng.randint(2, 4)
    outcome.events["-".join(type(own).__name__ for own in (grouping, newcomers) if own)] += 1
    for quarter in range(quarters):
        if quarter:
            history.pass_quarter(most)
        data = vl.read(pl.DataFrame(history.table()), SCHEMA)
        try:
            key = vl.Key(rng.randbytes(32))
            release = vl.publish(data, vl.LDiversity(l=divide), method, key=key, after=releases, ledger=ledger)
        except Unsatisfiable:
            outcome.events["refused"] += 1
            continue
        except DataError as error:
            if error.code != "data.ledger":
                raise
            outcome.events["all people new"] += 1  # the ledger knows nobody of the table
            continue
        releases.append(release)
        record.add(history, release, list_seats(history, ledger))
        outcome.events["withheld"] += int(release.dictionary["withheld"])
        outcome.events["absent"] += release.absent
    outcome.events[f"{len(releases)} releases"] += 1
    if releases:
        assert vl.verify(releases[-1], after=releases[:-1]).holds
        outcome.belief = highest_belief(record.groups)
        outcome.without_leavers = highest_belief(record.without_leavers)
    return outcome


def can_be_published(history: History, divide: int) -> bool:
    """Return whether no value covers more than 1/l of a table that is not empty."""
    values = Counter(row[2] for row in history.rows.values())
    return bool(values) and max(values.values()) * divide <= values.total()


def list_seats(history: History, ledger: vl.Ledger) -> dict[str, int]:
    """Return the group of everybody who has a seat in the last release of a ledger."""
    names = sorted(history.rows)
    position = ledger.find_people(ledger.make_pseudonyms(hash_people(pl.Series("id", names))))
    group = np.append(ledger.seating(len(ledger.releases) - 1).group, -1)[position]
    return {name: int(own) for name, own in zip(names, group, strict=True) if own >= 0}
