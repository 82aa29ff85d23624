"""Compare: every method against every attack, on one table, before anything is published.

Each trial publishes the table in memory, verifies it with all that the publisher has, attacks and measures it; nothing
of a release is kept. What stays is a table of numbers: what each attack reaches, what analysts lose, and the time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import cast

from voile.core.attack import Attack, RawTable
from voile.core.key import Key
from voile.core.measure import Measure
from voile.core.method import Method
from voile.core.microdata import Microdata
from voile.core.plugin import build, plain, registered, titled
from voile.core.policy import Model, Policy
from voile.core.release import Release
from voile.core.results import Finding
from voile.core.trial import Fault, Lost, Reached, Trial
from voile.errors import PolicyError, SpecError, VoileError, raise_together
from voile.flow.audit import attacked, every_attack
from voile.flow.comparison import Comparison
from voile.flow.measure import every_measure, measure
from voile.flow.publish import publish
from voile.flow.trials import Say, Store, watched
from voile.flow.verify import verify

Progress = Callable[[int, int, str], None]


def compare(
    data: Microdata,
    policies: Policy | Model | Sequence[Policy | Model],
    methods: Sequence[Method] | None = None,
    attacks: Sequence[Attack] | None = None,
    measures: Sequence[Measure] | None = None,
    *,
    external: Microdata | None = None,
    key: Key | None = None,
    progress: Progress | None = None,
    store: str | Path | None = None,
    by: str | None = None,
) -> Comparison:
    """Try methods under policies, attack and measure each release, and name the one that keeps the promise at the least
    loss.

    Without `methods`: every registered one that can serve the policy, in the settings that it names. Attacks that need
    a register of the population take the table itself, unless `external` is given. `by` is the measure that decides
    (query error, where it is measured). `progress(done, total, what)` is told at least once a second. In the folder
    `store` every finished trial is kept, so that the same call goes on where an interrupted one stopped.

    >>> import voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
    >>> vl.compare(data, vl.LDiversity(l=3), [vl.Mondrian(), vl.Anatomy()], measures=[vl.measures.QueryError()])
    Comparison(2 trials, 2 keep the promise; best: anatomy)
    """
    asked = [policies] if isinstance(policies, (Policy, Model)) else list(policies)
    chosen = [Policy(one) if isinstance(one, Model) else one for one in asked]
    if not chosen:
        raise PolicyError("There is no policy to compare methods under.", code="policy.empty", hint="Name a model.")
    bench = _Bench(
        data,
        tuple(attacks if attacks is not None else [*every_attack(), *_with_register()]),
        tuple(measures if measures is not None else every_measure()),
        external or data,
        key or Key.fresh(),
    )
    plan = _plan(data, chosen, methods)
    kept = Store.at(Path(store), bench.tables, bench.told, key) if store is not None else None
    rows = []
    for number, (policy, method) in enumerate(plan):
        done = kept.find(told(policy), plain(method)) if kept else None
        if done is None:
            title = f"{titled(method)} for {promised(policy)}"
            work = partial(bench.trial, policy, method)
            done = watched(progress, number, len(plan), title, work) if progress else work(lambda what: None)
            if kept:
                kept.keep(done)
        rows.append(done)
    before = bench.before()
    return Comparison(tuple(rows), before, _decisive(bench.measures, by), data.rows.total)


def _with_register() -> list[Attack]:
    """The registered attacks that need a register of the population."""
    found = [build("attacks", name, {}) for name in registered("attacks")]
    return [attack for attack in found if isinstance(attack, Attack) and attack.needs_external]


def _decisive(measures: Sequence[Measure], by: str | None) -> str:
    """The measure that decides: the named one, else one that speaks of releases of every shape, else the first."""
    names = [one.name for one in measures]
    if by is not None and by not in names:
        raise PolicyError(
            f"The measure {by!r} decides, but it is not measured.",
            code="policy.by",
            hint="Measured are: " + (", ".join(names) or "none") + ".",
        )
    across = [one.name for one in measures if one.across]
    return by or (across or names or [""])[0]


def variations() -> Iterator[Method]:
    """Every registered method in the settings that it names for a comparison."""
    for name, cls in registered("methods").items():
        for knobs in cast(type[Method], cls).tried:
            yield cast(Method, build("methods", name, knobs))


def _plan(data: Microdata, policies: Sequence[Policy], methods: Sequence[Method] | None) -> list[tuple[Policy, Method]]:
    """The trials. A policy that does not fit the table is a fault of the request; a method that cannot serve a policy
    is left out, unless it was asked for."""
    problems: list[SpecError] = []
    for policy in policies:
        try:
            policy.check(data.columns)
        except SpecError as error:
            problems += cast("Sequence[SpecError]", error.problems)
    raise_together(problems)
    if methods is not None:
        if not methods:
            raise PolicyError("There is no method to compare.", code="policy.method", hint="Name some, or none at all.")
        return [(policy, method) for policy in policies for method in methods]
    plan = []
    for policy in policies:
        fitting = [method for method in variations() if _fits(data, policy, method)]
        if not fitting:
            raise PolicyError(
                f"No registered method serves {promised(policy)} on this table.",
                code="policy.method",
                hint="Ask for fewer models together, or name a method (--method) to see why it does not fit.",
            )
        plan += [(policy, method) for method in fitting]
    return plan


def _fits(data: Microdata, policy: Policy, method: Method) -> bool:
    try:
        columns = method.prepare(data.columns, data.rows)
        policy.check(columns)
        method.check(columns, policy)
    except SpecError:
        return False
    return True


def promised(policy: Policy) -> str:
    """A policy as a reader wants it."""
    return " and ".join(titled(model) for model in policy)


def told(policy: Policy) -> tuple[dict[str, object], ...]:
    return tuple(plain(model) for model in policy)


@dataclass(frozen=True, eq=False)
class _Bench:
    """What every trial shares: the table, the attacks with what they learned from it, the measures, the coins."""

    data: Microdata
    attacks: tuple[Attack, ...]
    measures: tuple[Measure, ...]
    register: Microdata
    key: Key

    @property
    def tables(self) -> tuple[Microdata, ...]:
        return (self.data,) if self.register is self.data else (self.data, self.register)

    @property
    def told(self) -> list[object]:
        """What was asked for, beside policies and methods."""
        return [plain(one) for one in (*self.attacks, *self.measures)]

    @cached_property
    def informed(self) -> tuple[Attack, ...]:
        """The attacks with what they learn from the table, once for all trials."""
        return tuple(attack.informed(self.data) for attack in self.attacks)

    def before(self) -> tuple[Reached, ...]:
        """The same attacks on the table as it is, without identifiers."""
        raw, found = RawTable(self.data), []
        for attack in self.informed:
            if attack.applies(raw):
                guesses = attack.guesses(raw, self.register if attack.needs_external else None)
                found += [Finding(attack.name, one.title, one.adversary, one.belief, None) for one in guesses]
        return tuple(Reached.of(finding) for finding in found)

    def trial(self, policy: Policy, method: Method, say: Say) -> Trial:
        trial = Trial(titled(method), promised(policy), plain(method), told(policy))
        start = time.perf_counter()
        try:
            say("publish")
            release = publish(self.data, policy, method, key=self.key)
            took = time.perf_counter() - start
            say("verify")
            priors = policy.informed(self.data.columns, self.data.rows).priors()
            verdict = verify(release, prior=priors, data=self.data, key=self.key)
        except VoileError as error:
            return replace(trial, fault=Fault.of(error), seconds=time.perf_counter() - start)
        reached = [item for attack in self.informed for item in self.attack(release, attack, say)]
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

    def attack(self, release: Release, attack: Attack, say: Say) -> list[Reached]:
        if not attack.applies(release):
            return [Reached(attack.name, attack.name)]
        say(f"attack {attack.name}")
        try:
            found = attacked(release, attack, self.register if attack.needs_external else None)
        except VoileError as error:
            return [Reached(attack.name, attack.name, fault=Fault.of(error))]
        return [Reached.of(finding) for finding in found] or [Reached(attack.name, attack.name)]

    def measure(self, release: Release, one: Measure, say: Say) -> Lost:
        say(f"measure {one.name}")
        try:
            return Lost.of(measure(self.data, release, [one]).items[0])
        except VoileError as error:
            return Lost(one.name, one.name, fault=Fault.of(error))
