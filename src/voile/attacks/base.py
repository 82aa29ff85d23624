"""The contract of an attack: what an adversary knows, and what they come to believe about a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary
from voile.adversaries.ledger import Ledger
from voile.attacks.target import RawTable, Target, find_people, most_frequent_share, sensitive_names
from voile.plugins.registry import Plugin
from voile.releases.release import Release
from voile.results import Belief
from voile.tables.microdata import Microdata
from voile.tables.part_protocol import Over

__all__ = [
    "Attack",
    "Guess",
    "PiecewiseAttack",
    "RawTable",
    "Target",
    "UsesHistory",
    "find_people",
    "most_frequent_share",
    "sensitive_names",
]


@dataclass(frozen=True)
class Guess:
    """One result of an attack: the adversary, and their belief about every person."""

    title: str  # how a report names it; the same attack on the original table has the same title
    adversary: Adversary
    belief: Belief
    prior: str = ""  # the digest of the statistics used: a promise about other statistics does not cover the guess
    asked: int | None = None  # how many people the baseline is a mean of, if they are not those in the release


@dataclass(frozen=True)
class Attack(Plugin):
    """An adversary's procedure.

    Define `name` and `guesses`. Every guess has a baseline: how well an adversary does without the release.
    """

    family: ClassVar[str] = "attacks"
    needs_external: ClassVar[bool] = False  # cannot run without a register of people
    counts_values: ClassVar[bool] = True  # rests on true values, so it says nothing about a release that perturbs them
    knows_people: ClassVar[bool] = False  # knows whose row each is; else a release tells only how many rows there are
    quick: ClassVar[Mapping[str, Any]] = {}  # faster knobs for comparing many releases, if the defaults are slow

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        """Attack a release or the original table; `external` is a register of people with their quasi-identifier."""
        raise NotImplementedError  # pragma: no cover - every attack defines it

    def applies(self, target: object) -> bool:
        """Return whether the attack says anything about this release or table."""
        return not self.counts_values or getattr(target, "channel", None) is None

    def concerns(self, data: Microdata) -> bool:
        """Return whether releases of this table may be open to the attack; a comparison leaves the others out."""
        return True

    def learn(self, data: Microdata | None) -> Attack:
        """Return the attack with all that it learns in advance from the original table, if the auditor has it."""
        return self

    def lacks(self) -> str:
        """Say what the attack cannot do without and has not learned; empty if it can run."""
        return ""

    def describe_gaps(self, belief: Belief) -> str:
        """Say what the attack left out to bound its work, by the details of a belief; empty if nothing."""
        return ""


@dataclass(frozen=True)
class PiecewiseAttack(Attack):
    """An attack that looks at one group at a time, so that a large release is attacked piece by piece.

    A piece holds whole groups and knows the totals of the whole release.
    """

    def can_divide(self, release: Release, external: Microdata | None) -> bool:
        """Return whether the attack, with what it has learned by now, may run on pieces; does not look at tables."""
        return True

    def guess_pieces(self, release: Release, over: Over, external: Microdata | None) -> list[Guess]:
        """Return the guesses about a release that lies in pieces; `over` runs a function on each of them."""
        return self.combine(over(guess_piece, self, external))

    def combine(self, pieces: Sequence[Sequence[Guess]]) -> list[Guess]:
        """Turn the guesses about the pieces into guesses about the whole: details are summed, baselines averaged."""
        return [_combine(guesses) for guesses in zip(*pieces, strict=True)]


class UsesHistory:
    """An attack that takes a release together with earlier ones of the same people."""

    def attach_history(self, earlier: Sequence[Release], ledger: Ledger | None) -> Attack:
        """Return the attack with the earlier releases and, if the auditor has it, the publisher's ledger."""
        raise NotImplementedError  # pragma: no cover - every attack of this kind defines it


def guess_piece(piece: Target, attack: Attack, external: Microdata | None) -> list[Guess]:
    """Attack one piece of a release; a function, because it travels to where the piece is."""
    return attack.guesses(piece, external)


def _combine(guesses: Sequence[Guess]) -> Guess:
    first, beliefs = guesses[0], [guess.belief for guess in guesses]
    assert all(guess.title == first.title for guess in guesses), "pieces of one release give the same guesses"
    people = [int(guess.belief.people.sum()) if guess.asked is None else guess.asked for guess in guesses]
    rows = [belief.row_counts for belief in beliefs if belief.row_counts is not None]
    names = dict.fromkeys(name for belief in beliefs for name in belief.details)
    excess = [belief.excess for belief in beliefs if belief.excess is not None]
    belief = replace(
        first.belief,
        risk=np.concatenate([belief.risk for belief in beliefs]),
        people=np.concatenate([belief.people for belief in beliefs]),
        row_counts=np.concatenate(rows) if rows else None,
        excess=np.concatenate(excess) if excess else None,
        baseline=float(np.average([belief.baseline for belief in beliefs], weights=people)) if sum(people) else 0.0,
        details={name: sum(belief.details.get(name, 0.0) for belief in beliefs) for name in names},
    )
    return replace(first, belief=belief, asked=None if first.asked is None else sum(people))
