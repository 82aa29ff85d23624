"""How a release is broken: what an adversary knows, and what they come to believe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from voile.adversaries.adversary import Adversary
from voile.plugins.registry import Plugin
from voile.releases.release import Release
from voile.results import Belief
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata, count_people_with
from voile.tables.part_protocol import Over
from voile.tables.row_protocol import Rows
from voile.tables.schema import Columns


class Target(Protocol):
    """What is attacked: a release, or the table as it was."""

    @property
    def people(self) -> int: ...

    @property
    def sizes(self) -> np.ndarray: ...

    @property
    def tallies(self) -> Mapping[str, Counts]: ...

    def candidates(self, external: Microdata) -> tuple[np.ndarray, np.ndarray]:
        """For rows taken together: how many external people fit, and how many rows they are."""
        ...

    def locate(self, people: Microdata) -> np.ndarray:
        """The group of each distinct quasi-identifier of a table of people; -1 where none fits, or more than one."""
        ...


@dataclass(frozen=True)
class Guess:
    """One way to attack, and where it led."""

    title: str
    adversary: Adversary
    belief: Belief
    prior: str = ""  # the digest of the statistics it used: a promise about other statistics says nothing of it
    asked: int | None = None  # how many people the baseline is a mean of, where they are not those who are published


@dataclass(frozen=True)
class Attack(Plugin):
    """An adversary's procedure. `guesses` runs it; each guess has the baseline of who has not seen the release."""

    family: ClassVar[str] = "attacks"
    needs_external: ClassVar[bool] = False
    quick: ClassVar[Mapping[str, Any]] = {}  # knobs for a comparison of many releases, where the usual ones take long
    counts_values: ClassVar[bool] = True  # rests on counts of true values; where they were disturbed it says nothing
    by_group: ClassVar[bool] = False  # looks at one group at a time: a large release is attacked piece by piece

    def applies(self, target: object) -> bool:
        """Whether the attack means anything for a release (or the raw table)."""
        return not self.counts_values or getattr(target, "channel", None) is None

    def informed(self, data: Microdata | None) -> Attack:
        """The attack with what it may learn from the table first, where the auditor has the table."""
        return self

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        raise NotImplementedError  # pragma: no cover - every attack defines it

    def divides(self, release: Release, external: Microdata | None) -> bool:
        """Whether it may be run on pieces of a release, with what it knows by now; tables are not looked at."""
        return self.by_group

    def piecewise(self, release: Release, over: Over, external: Microdata | None) -> list[Guess]:
        """The same guesses about a release that lies in pieces, which hold whole groups and know the totals of all."""
        return self.joined(over(guessed, self, external))

    def joined(self, pieces: Sequence[Sequence[Guess]]) -> list[Guess]:
        """The guesses about pieces as guesses about the whole: details are summed, and the baseline is the mean."""
        return [_joined(alike) for alike in zip(*pieces, strict=True)]


def guessed(piece: Target, attack: Attack, external: Microdata | None) -> list[Guess]:
    """What an attack makes of one piece."""
    return attack.guesses(piece, external)


def _joined(alike: Sequence[Guess]) -> Guess:
    first, beliefs = alike[0], [guess.belief for guess in alike]
    assert all(guess.title == first.title for guess in alike), "pieces of one release are attacked alike"
    people = [int(guess.belief.people.sum()) if guess.asked is None else guess.asked for guess in alike]
    belief = replace(
        first.belief,
        risk=np.concatenate([belief.risk for belief in beliefs]),
        people=np.concatenate([belief.people for belief in beliefs]),
        baseline=float(np.average([belief.baseline for belief in beliefs], weights=people)) if sum(people) else 0.0,
        details={name: sum(belief.details[name] for belief in beliefs) for name in first.belief.details},
    )
    return replace(first, belief=belief, asked=None if first.asked is None else sum(people))


def sensitive_columns(target: object) -> list[str]:
    """The names of the sensitive columns of a release or a raw table, told without looking at a row."""
    if isinstance(target, RawTable):
        return [column.name for column in target.data.columns.sensitive]
    return [str(entry["name"]) for entry in target.described("sensitive")] if isinstance(target, Release) else []


@dataclass(frozen=True, eq=False)
class RawTable:
    """The table as it was, without identifiers: the risk before anything is done."""

    data: Microdata

    @property
    def people(self) -> int:
        return self.data.rows.total

    @property
    def sizes(self) -> np.ndarray:
        return self.data.rows.histogram([column.name for column in self.data.columns.quasi]).counts

    @property
    def tallies(self) -> dict[str, Counts]:
        return self.placed().tally_values(self.data.columns)

    def placed(self) -> Rows:
        """The rows, grouped by the whole quasi-identifier."""
        rows = self.data.rows.collect()
        table = rows.histogram([column.name for column in self.data.columns.quasi])
        return rows.place(table, np.arange(len(table.counts)))

    def candidates(self, external: Microdata) -> tuple[np.ndarray, np.ndarray]:
        names = [column.name for column in self.data.columns.quasi]
        table = self.data.rows.histogram(names)
        texts = [np.array(self.data.columns[name].domain.labels, dtype=object)[table.column(name)] for name in names]
        return count_people_with(external, names, texts), table.counts

    def locate(self, people: Microdata) -> np.ndarray:
        names = [column.name for column in self.data.columns.quasi]
        table, asked = self.data.rows.histogram(names), people.rows.histogram(names)

        def shown(columns: Columns, codes: np.ndarray) -> list[tuple[str, ...]]:
            texts = (np.array(columns[name].domain.labels, dtype=object) for name in names)
            return list(zip(*(one[codes[:, number]] for number, one in enumerate(texts)), strict=True))

        homes = {row: group for group, row in enumerate(shown(self.data.columns, table.codes))}
        return np.array([homes.get(row, -1) for row in shown(people.columns, asked.codes)], dtype=np.int64)
