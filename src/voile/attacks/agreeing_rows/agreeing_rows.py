"""Agreeing rows: the rows of one person have the same value, and somebody knows how many there are.

A receptionist saw Bob four times, and a chronic disease is the reason of every visit. Among the rows that fit Bob, only
values that occur four times can be his; in a group with one such value his is certain. No promise about people with
several rows covers this: it takes the rows of a person as unrelated. Where every person has one row there is nothing to
agree, and this is homogeneity.

Of somebody with more rows than may be published, the adversary does not know which were drawn, and weighs all draws
alike. The rows of other people are taken as unrelated. The baseline is the most frequent value of the whole table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.attacks.base import Attack, Guess, RawTable, Target, most_frequent_share, sensitive_names
from voile.attacks.people_in_groups import KnownPeople, count_person_rows
from voile.kernels import lazy_module
from voile.plugins.registry import learned_field
from voile.releases.release import Release
from voile.results import Belief
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata

kernel = lazy_module("voile.attacks.agreeing_rows.kernel")


@dataclass(frozen=True)
class AgreeingRows(Attack):
    """Belief in the value that all rows of a person have, if it is known how many rows each person has.

    It applies where a person may have several rows, and needs the original table with the column that tells people
    apart, in memory.

    >>> AgreeingRows().name
    'agreeing-rows'
    """

    name: ClassVar[str] = "agreeing-rows"
    knows_people: ClassVar[bool] = True

    table: Microdata | None = learned_field()  # all rows, and whose they are

    def learn(self, data: Microdata | None) -> AgreeingRows:
        return self if data is None else replace(self, table=data.with_linked_rows())

    def lacks(self) -> str:
        return "" if self.table is not None else "the original table in memory, read with the column of persons"

    def applies(self, target: object) -> bool:
        """With one row per person there is nothing that could agree."""
        several = isinstance(target, (Release, RawTable)) and target.unit.rows > 1
        return several and super().applies(target) and bool(sensitive_names(target))

    def concerns(self, data: Microdata) -> bool:
        return data.unit.rows > 1

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        placed = self._place_people(target)
        if placed is None:
            return []
        people, unclear = placed
        # of the original table everything is known; nobody has more rows than it has
        limit = int(people.rows.sum()) if isinstance(target, RawTable) else target.unit.rows
        knowledge = (Knowledge.MEMBERSHIP, Knowledge.QUASI, Knowledge.AGREEMENT)
        receptionist = Adversary.who("receptionist", *knowledge)
        guesses = []
        for name, counts in target.tallies.items():
            risk, weights = _weigh_values(people, counts, limit)
            fits = risk >= 0
            details = {
                "people whose value is certain": int(weights[risk > 1 - 1e-9].sum()),
                "people whose group is unclear": unclear,
                "people whose rows cannot agree": int(weights[~fits].sum()),
            }
            belief = Belief("belief", risk[fits], weights[fits], most_frequent_share(counts), name, details)
            guesses.append(Guess(f"{name!r}, if the rows of one person agree", receptionist, belief))
        return guesses

    def _place_people(self, target: Target) -> tuple[KnownPeople, int] | None:
        """Return how many rows of the table each person has in each group, without the people who have a row that fits
        no group or more than one; and how many these are. None where nobody tells whose the rows are."""
        if isinstance(target, RawTable):
            return (target.known_people, 0) if target.known_people is not None else None
        if self.table is None or not isinstance(target, Release):
            return None
        cells = self.table.rows.histogram([str(entry["name"]) for entry in target.described("quasi")])
        group = target.locate(self.table) + 1  # 0 is no group
        placed = count_person_rows(self.table.rows.collect().place(cells, group), target.groups)
        inside = np.ones(placed.people, dtype=bool)
        inside[placed.owner[placed.group == 0]] = False
        people = placed.select(inside)
        return replace(people, group=people.group - 1), int((~inside).sum())


def _weigh_values(people: KnownPeople, counts: Counts, limit: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest belief about each person, and how many people it is about: those with equally many published
    rows in one group are alike."""
    spans, rows = np.diff(people.starts), people.rows.astype(np.int64)
    total = np.add.reduceat(rows, people.starts[:-1]) if people.people else rows
    limit = min(limit, int(total.max(initial=1)))
    single = people.select(spans == 1)
    alike = single.group * (limit + 1) + np.minimum(single.rows, limit)
    kinds, number = np.unique(alike, return_counts=True)
    others = people.select(spans > 1)
    starts = np.concatenate([np.arange(len(kinds)), len(kinds) + others.starts])
    group = np.concatenate([kinds // (limit + 1), others.group])
    weights = np.concatenate([number, np.ones(others.people, dtype=np.int64)])
    published = np.concatenate([kinds % (limit + 1), others.rows]).astype(np.int64)
    size = counts.column.size if counts.column is not None else 1
    entries = (counts.starts, counts.values, counts.counts.astype(np.int64), counts.sizes)
    return kernel.find_largest_beliefs(starts, group, published, limit, *entries, size), weights
