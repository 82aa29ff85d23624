"""Run one trial: publish in memory, verify, attack and measure."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property

from voile.adversaries.ledger import Ledger
from voile.adversaries.prior import Prior
from voile.attacks.base import Attack, RawTable, UsesHistory
from voile.errors import VoileError
from voile.flow.audit.audit import run_attack
from voile.flow.audit.requested_attacks import RequestedAttack
from voile.flow.compare.progress import Say
from voile.flow.compare.trial import AttackResult, Failure, LossResult, Trial, describe_plugin, describe_policy
from voile.flow.measure.measure import measure
from voile.flow.publish.earlier_releases import EarlierReleases, draw_rows
from voile.flow.publish.publish import publish
from voile.flow.verify.verify import verify
from voile.kernels.compilation import read_clock
from voile.measures.base import Measure
from voile.measures.certainty import Certainty
from voile.measures.release_view import count_stars
from voile.methods.base import Method
from voile.models.policy import Policy
from voile.plugins.registry import as_plain_value
from voile.releases.release import Release
from voile.results import Finding
from voile.tables.microdata import Microdata
from voile.tables.secret_key import Key

LOST = 0.9  # certainty penalty from which on a column is lost


@dataclass(frozen=True, eq=False)
class TrialRunner:
    """What all trials share: the table, the attacks with what they learned from it, the measures, the key and what
    was published before."""

    data: Microdata
    requested: tuple[RequestedAttack, ...]
    quick: tuple[Attack, ...]  # for each requested attack a faster version, or the attack itself
    measures: tuple[Measure, ...]
    external: Microdata | None
    key: Key
    history: EarlierReleases
    decisive: str = ""  # the measure that decides, which is measured first

    @property
    def tables(self) -> tuple[Microdata, ...]:
        """Every table that the numbers depend on, including those that an attack was given."""
        parts = [getattr(item.attack, field.name) for item in self.requested for field in fields(item.attack)]
        return tuple(part for part in (self.data, self.external, *parts) if isinstance(part, Microdata))

    @property
    def settings(self) -> list[object]:
        """The request, except policies and methods."""
        attacks = (item.attack for item in self.requested)
        return [as_plain_value(plugin) for plugin in (*attacks, *self.quick, *self.measures)]

    def register_for(self, attack: Attack) -> Microdata | None:
        """The register of an adversary: the given one or, if the attack needs one, exactly the people of the table,
        which is the worst case."""
        return self.external or (self._everybody if attack.needs_external else None)

    @cached_property
    def _everybody(self) -> Microdata:
        return self.data.with_all_rows()

    @cached_property
    def learned(self) -> tuple[tuple[RequestedAttack, Attack], ...]:
        """The attacks with what they learn from the table, once for all trials: in full, and the quick version."""
        pairs = []
        for item, quick in zip(self.requested, self.quick, strict=True):
            full = item.attack.learn(self.data)
            pairs.append((replace(item, attack=full), full if quick is item.attack else quick.learn(self.data)))
        return tuple(pairs)

    def attack_table(self, say: Say) -> tuple[AttackResult, ...]:
        """Run the same attacks on the original table without identifiers."""
        raw, findings = RawTable(self.data), []
        for _, attack in self.learned:
            say(f"attack {attack.name}")
            with suppress(VoileError):  # the trials say why an attack fails
                guesses = attack.guesses(raw, self.register_for(attack)) if attack.applies(raw) else []
                findings += [Finding(attack.name, item.title, item.adversary, item.belief, None) for item in guesses]
        return tuple(AttackResult.of(finding) for finding in findings)

    def run(self, policy: Policy, method: Method, share: Callable[[Trial], None], say: Say) -> Trial:
        """Publish, verify, measure and attack. The trial is shared as soon as its loss is known, long before the
        attacks end."""
        trial = Trial(describe_plugin(method), describe_policy(policy), as_plain_value(method), plain_policy(policy))
        start = read_clock()
        try:
            say("publish")
            earlier = self.history.releases
            ledger = self.history.ledger.copy() if self.history.ledger else None
            release = publish(self.data, policy, method, key=self.key, after=earlier, ledger=ledger)
            seconds = read_clock() - start
            say("verify")
            priors = self._promised_priors(policy)
            verdict = verify(release, prior=priors, data=self.data, key=self.key, after=earlier, ledger=ledger)
        except VoileError as error:
            return replace(trial, fault=Failure.of(error), seconds=read_clock() - start)
        withheld = int(release.dictionary.get("withheld", 0))
        first = [self._measure(release, item, say) for item in self.measures if item.name == self.decisive]
        trial = replace(
            trial,
            seconds=seconds,
            people=release.people,
            groups=release.groups,
            withheld=withheld,
            verified="broken" if verdict.broken else "holds" if verdict.holds else "needs",
            lost=self._find_lost(release),
            recognisable=not release.shows_boxes,
            stars={name: rows / max(release.people, 1) for name, rows in count_stars(release).items()},
            digest=release.digest,
            losses=tuple(first),
            complete=False,
        )
        share(trial)
        known = {item.measure: item for item in first}
        losses = [known.get(item.name) or self._measure(release, item, say) for item in self.measures]
        reached = self._attack_all(release, ledger, priors, say)
        return replace(trial, losses=tuple(losses), reached=tuple(reached), complete=True)

    def _attack_all(
        self, release: Release, ledger: Ledger | None, priors: tuple[Prior, ...], say: Say
    ) -> list[AttackResult]:
        """Run every attack, with the earlier releases and the statistics that the promise is about."""
        results: list[AttackResult] = []
        earlier = self.history.releases
        for item, quick in self.learned:
            if isinstance(item.attack, UsesHistory) and isinstance(quick, UsesHistory):
                item = replace(item, attack=item.attack.attach_history(earlier, ledger))
                quick = quick.attach_history(earlier, ledger)
            informed = _use_prior(item.attack, priors)
            if informed is not item.attack:  # an attack that the promise is about runs in full
                item, quick = replace(item, attack=informed), informed
            results += self._attack(release, item, quick, say)
        return results

    def _promised_priors(self, policy: Policy) -> tuple[Prior, ...]:
        """The statistics that the promise is about; the same key gives the same ones as in publishing."""
        if all(model.basis != "prior" for model in policy):
            return ()
        columns, rows = draw_rows(self.data, self.key)
        return policy.learn(columns, rows.with_key(self.key)).priors()

    def _attack(self, release: Release, item: RequestedAttack, quick: Attack, say: Say) -> list[AttackResult]:
        """Run one attack: the quick version and, if a promise depends on it, the full one. An attack that does not
        apply gives one result without figures."""
        full = item.attack
        empty = AttackResult(full.name, full.name, presets=item.presets)
        if item.explain_silence(release, self.register_for(full)):
            return [empty]
        say(f"attack {full.name}")
        try:
            findings = run_attack(release, quick, self.register_for(quick))
            if quick is not full and any(finding.inside for finding in findings):
                findings = run_attack(release, full, self.register_for(full))
        except VoileError as error:
            return [replace(empty, fault=Failure.of(error))]
        return [replace(AttackResult.of(finding), presets=item.presets) for finding in findings] or [empty]

    def _find_lost(self, release: Release) -> tuple[str, ...]:
        """Find the columns that are lost to 90 % or more: to `*`, to cells as wide, or to withheld rows."""
        penalty = measure(self.data, release, [Certainty()]).items[0].parts
        return tuple(name for name, part in penalty.items() if part >= LOST)

    def _measure(self, release: Release, item: Measure, say: Say) -> LossResult:
        say(f"measure {item.name}")
        try:
            return LossResult.of(measure(self.data, release, [item]).items[0])
        except VoileError as error:
            return LossResult(item.name, item.name, fault=Failure.of(error))


def _use_prior(attack: Attack, priors: tuple[Prior, ...]) -> Attack:
    """Give an attack the statistics that a promise is about, if it takes statistics and has none."""
    return replace(attack, prior=priors[0]) if priors and getattr(attack, "prior", attack) is None else attack  # type: ignore[call-arg]


def plain_policy(policy: Policy) -> tuple[dict[str, object], ...]:
    """The models of a policy as plain values."""
    return tuple(as_plain_value(model) for model in policy)
