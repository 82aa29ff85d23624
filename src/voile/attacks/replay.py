"""Replay: an adversary who knows the algorithm and runs it again.

A method that searches for companions of each protected row leaves traces: from most members of a group the same search
would have led elsewhere, so they did not start it. The adversary runs the method on every way to give the published
values to the people, keeps the ways that lead to the published release, and weighs them by the statistics. Against a
method that assigns people without looking, they learn nothing beyond the counts.

For small releases this is computed exactly. Where it is not, the belief is an upper bound (often 1), and the details
say for how many people.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

from voile.adversaries import prior_learning
from voile.adversaries.adversary import Adversary, Knowledge
from voile.adversaries.prior import Prior
from voile.adversaries.prior_learning import read_prior
from voile.attacks.base import Attack, Guess, Target
from voile.methods.base import Method, Replayable
from voile.models.claimed_model import claimed_model
from voile.models.r_robustness import RRobustness
from voile.plugins.registry import build_plugin, learned_field
from voile.releases.release import Release
from voile.results import Belief
from voile.tables.microdata import Microdata


@dataclass(frozen=True)
class Replay(Attack):
    """Belief in a protected value after running the release's own method again from every member of a group.

    It applies to releases that promise r-robustness. The statistics are given (`prior`), or learned from the table as
    the claim says.

    >>> Replay().name
    'replay'
    """

    name: ClassVar[str] = "replay"

    prior: Prior | str | None = None
    table: Microdata | None = learned_field()

    def learn(self, data: Microdata | None) -> Replay:
        return self if data is None else replace(self, table=data)

    def applies(self, target: object) -> bool:
        return isinstance(target, Release) and any(_robust(claim) for claim in target.certificate.claims)

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        if not isinstance(target, Release):
            return []
        guesses = []
        knobs = dict(target.certificate.method)
        method = cast(Method, build_plugin("methods", str(knobs.pop("name")), knobs))
        knowledge = (Knowledge.MEMBERSHIP, Knowledge.QUASI, Knowledge.PRIOR, Knowledge.ALGORITHM)
        insider = Adversary.who("statistician with the algorithm", *knowledge)
        for claim in filter(_robust, target.certificate.claims):
            model = cast(RRobustness, claimed_model(claim))
            prior = self._statistics(str(claim["column"]), model)
            if prior is None:
                continue
            replayed = None
            if isinstance(method, Replayable):
                replayed = method.replayed_beliefs(target, model, prior, self.table)
            if replayed is None:
                continue
            counts = target.tallies[str(claim["column"])]
            assert counts.column is not None
            inside = counts.totals[model.events(counts.column) >= 0].sum() / max(int(counts.totals.sum()), 1)
            people = target.members.counts
            details = {
                "people whose belief is exact": int(people[replayed.exact].sum()),
                "people with an upper bound only": int(people[~replayed.exact].sum()),
                **replayed.details,
            }
            belief = Belief(model.limits, replayed.risk, people, float(inside), counts.column.name, details)
            title = f"Protected value of {claim['column']!r}, after running the method again"
            guesses.append(Guess(title, insider, belief, prior.digest))
        return guesses

    def _statistics(self, column: str, model: RRobustness) -> Prior | None:
        if isinstance(self.prior, str):
            return read_prior(self.prior, column)
        if self.prior is not None or self.table is None:
            return self.prior
        data = self.table
        limits = {"min_support": model.min_support, "max_columns": model.max_columns}
        return prior_learning.learn_statistics(data.columns, data.rows, data.columns[column], **limits)  # type: ignore[arg-type]


def _robust(claim: Mapping[str, Any]) -> bool:
    return bool(claim["model"] == RRobustness.name)
