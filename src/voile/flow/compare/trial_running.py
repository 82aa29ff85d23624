"""The bench of a comparison: what all trials share, and how one trial is made."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property

from voile.adversaries.prior import Prior
from voile.attacks.base import Attack, RawTable
from voile.errors import VoileError
from voile.flow.audit.audit import Asked, attacked
from voile.flow.compare.trial import Fault, Lost, Reached, Trial, titled
from voile.flow.compare.trial_store import Say
from voile.flow.measure.measure import measure
from voile.flow.publish.publish import publish
from voile.flow.verify.verify import verify
from voile.measures.base import Measure
from voile.methods.base import Method
from voile.models.policy import Policy
from voile.plugins.registry import as_plain_value
from voile.releases.release import Release
from voile.results import Finding
from voile.tables.microdata import Microdata
from voile.tables.secret_key import Key


@dataclass(frozen=True, eq=False)
class Bench:
    """What every trial shares: the table, the attacks with what they learned from it, the measures, the coins."""

    data: Microdata
    asked: tuple[Asked, ...]
    quick: tuple[Attack, ...]  # beside each attack the same in less time, or itself
    measures: tuple[Measure, ...]
    external: Microdata | None
    key: Key

    @property
    def tables(self) -> tuple[Microdata, ...]:
        """Every table that the numbers depend on: also those that an attack was given."""
        parts = [getattr(one.attack, field.name) for one in self.asked for field in fields(one.attack)]
        return tuple(part for part in (self.data, self.external, *parts) if isinstance(part, Microdata))

    @property
    def told(self) -> list[object]:
        """What was asked for, beside policies and methods."""
        return [as_plain_value(one) for one in (*(asked.attack for asked in self.asked), *self.quick, *self.measures)]

    def register(self, attack: Attack) -> Microdata | None:
        """The people of whom an adversary has a list: as told, or, where the attack needs one, exactly those of the
        table, which is the worst."""
        return self.external or (self.data if attack.needs_external else None)

    @cached_property
    def informed(self) -> tuple[tuple[Asked, Attack], ...]:
        """The attacks with what they learn from the table, once for all trials: in full, and quick."""
        found = []
        for one, quick in zip(self.asked, self.quick, strict=True):
            full = one.attack.learn(self.data)
            found.append((replace(one, attack=full), full if quick is one.attack else quick.learn(self.data)))
        return tuple(found)

    def before(self, say: Say) -> tuple[Reached, ...]:
        """The same attacks on the table as it is, without identifiers."""
        raw, found = RawTable(self.data), []
        for _, attack in self.informed:
            say(f"attack {attack.name}")
            with suppress(VoileError):  # of each release it is said why an attack fails
                guesses = attack.guesses(raw, self.register(attack)) if attack.applies(raw) else []
                found += [Finding(attack.name, one.title, one.adversary, one.belief, None) for one in guesses]
        return tuple(Reached.of(finding) for finding in found)

    def trial(self, policy: Policy, method: Method, say: Say) -> Trial:
        """Publish, verify, attack and measure."""
        trial = Trial(titled(method), promised(policy), as_plain_value(method), told(policy))
        start = time.perf_counter()
        try:
            say("publish")
            release = publish(self.data, policy, method, key=self.key)
            took = time.perf_counter() - start
            say("verify")
            priors = self.priors(policy)
            verdict = verify(release, prior=priors, data=self.data, key=self.key)
        except VoileError as error:
            return replace(trial, fault=Fault.of(error), seconds=time.perf_counter() - start)
        reached = []
        for asked, quick in self.informed:
            own = _against(asked.attack, priors)
            if own is not asked.attack:  # what the promise speaks of is computed in full
                asked, quick = replace(asked, attack=own), own
            reached += self.attack(release, asked, quick, say)
        return replace(
            trial,
            seconds=took,
            people=release.people,
            groups=release.groups,
            withheld=int(release.dictionary.get("withheld", 0)),
            verified="broken" if verdict.broken else "holds" if verdict.holds else "needs",
            reached=tuple(reached),
            losses=tuple(self.measure(release, one, say) for one in self.measures),
        )

    def priors(self, policy: Policy) -> tuple[Prior, ...]:
        """The statistics that the promise speaks of: under the same key they are the same as in publishing."""
        if all(model.basis != "prior" for model in policy):
            return ()
        return policy.learn(self.data.columns, self.data.rows.with_key(self.key)).priors()

    def attack(self, release: Release, asked: Asked, quick: Attack, say: Say) -> list[Reached]:
        """What one attack reaches. Where it says nothing about such a release, a line without figures says so."""
        full, line = asked.attack, Reached(asked.attack.name, asked.attack.name, presets=asked.by)
        if asked.silent(release, self.register(full)):
            return [line]
        say(f"attack {full.name}")
        try:
            found = attacked(release, quick, self.register(quick))
            if quick is not full and any(finding.inside for finding in found):
                found = attacked(release, full, self.register(full))
        except VoileError as error:
            return [replace(line, fault=Fault.of(error))]
        return [replace(Reached.of(finding), presets=asked.by) for finding in found] or [line]

    def measure(self, release: Release, one: Measure, say: Say) -> Lost:
        say(f"measure {one.name}")
        try:
            return Lost.of(measure(self.data, release, [one]).items[0])
        except VoileError as error:
            return Lost(one.name, one.name, fault=Fault.of(error))


def _against(attack: Attack, priors: tuple[Prior, ...]) -> Attack:
    """The attack with the statistics that a promise speaks of, where it takes some and was given none."""
    return replace(attack, prior=priors[0]) if priors and getattr(attack, "prior", attack) is None else attack  # type: ignore[call-arg]


def promised(policy: Policy) -> str:
    """A policy as a reader wants it."""
    return " and ".join(titled(model) for model in policy)


def told(policy: Policy) -> tuple[dict[str, object], ...]:
    return tuple(as_plain_value(model) for model in policy)
