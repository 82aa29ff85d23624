"""Compare: try methods against attacks on one table, before anything is published.

Each trial publishes the table in memory, verifies it with everything the publisher has, attacks it and measures it. No
release is kept, only a table of numbers: what each attack reaches, what analysts lose, and the time it took.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import cast

from voile.adversaries.ledger import Ledger
from voile.adversaries.presets import Preset
from voile.attacks.base import Attack, UsesHistory
from voile.errors import PolicyError, SpecError, raise_together
from voile.flow.audit.requested_attacks import RequestedAttack, list_attacks, request_attacks
from voile.flow.compare.comparison import Comparison
from voile.flow.compare.progress import Progress, run_with_progress
from voile.flow.compare.trial import Trial, describe_plugin, describe_policy
from voile.flow.compare.trial_runner import TrialRunner, plain_policy
from voile.flow.compare.trial_store import TrialStore
from voile.flow.compare.yardstick import Yardstick, measure_yardstick
from voile.flow.measure.measure import list_measures
from voile.flow.measure.size_losses import price_steps
from voile.flow.publish.earlier_releases import EarlierReleases
from voile.flow.publish.plan import check_request, default_method
from voile.measures.base import Measure
from voile.methods.base import KeepsSeats, Method
from voile.models.base import Model
from voile.models.policy import Policy
from voile.plugins.registry import as_plain_value, build_plugin, registered_classes
from voile.releases.release import Release
from voile.tables.microdata import Microdata, require_people
from voile.tables.secret_key import Key

DECISIVE = "marginals"  # the measure that decides unless another is named


def compare(
    data: Microdata,
    policies: Policy | Model | Sequence[Policy | Model],
    methods: Sequence[Method] | None = None,
    attacks: Sequence[Attack] | None = None,
    measures: Sequence[Measure] | None = None,
    *,
    adversary: str | Preset | Sequence[str | Preset] | None = None,
    external: Microdata | None = None,
    key: Key | None = None,
    progress: Progress | None = None,
    so_far: Callable[[Comparison], None] | None = None,
    store: str | Path | None = None,
    by: str | None = None,
    allow_lost: bool = False,
    after: Sequence[Release | str | Path] = (),
    ledger: Ledger | None = None,
    yardsticks: Sequence[Yardstick] = (),
) -> Comparison:
    """Try methods under policies, attack and measure each release, and name the one that keeps the promise at the least
    loss.

    Without `methods`, every registered method that can serve the policy is tried, in the settings that it names for
    comparisons. Without `attacks` and `adversary` (presets by name, such as "insurer"), every registered attack runs.
    Attacks that need a register of people get the table itself unless `external` is given. `by` names the measure that
    decides; by default it is `marginals`, the distance of all 1- and 2-way marginals, if that is measured. A release in
    which a column is lost (90 % of it is `*`, or cells as wide) cannot win, unless `allow_lost`.

    `after` are earlier releases of the same people, oldest first, or their folders, and `ledger` is the publisher's
    record of who sat in which group: every trial is published after them and attacked together with them. A method that
    would be refused is a trial with a fault. The ledger is only read.

    `yardsticks` are synthetic tables that were made elsewhere under differential privacy: they are measured by the same
    marginals and listed apart from the trials.

    `progress(done, total, what)` is called at least once per second, `so_far(comparison)` after each trial that is run,
    and before its attacks, as soon as its loss is known. Trials that give the same release are listed once.
    Every finished trial is kept in the folder `store`, so that the same call continues where an interrupted one
    stopped.

    >>> import voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
    >>> vl.compare(data, vl.LDiversity(l=3), [vl.Mondrian(), vl.FullDomain()], measures=[vl.measures.Marginals()])
    Comparison(2 trials, 2 keep the promise; best: mondrian)
    """
    listed = [policies] if isinstance(policies, (Policy, Model)) else list(policies)
    chosen = [Policy(item) if isinstance(item, Model) else item for item in listed]
    if not chosen:
        raise PolicyError("There is no policy to compare methods under.", code="policy.empty", hint="Name a model.")
    history = _open_history(data, after, ledger)
    requested = _request_attacks(data, attacks, adversary, history)
    measured = tuple(measures if measures is not None else list_measures())
    decisive = _choose_measure(measured, by)
    quick = _quick_versions(requested, len(attacks or ()))
    runner = TrialRunner(data, requested, quick, measured, external, key or Key.fresh(), history, decisive)
    plan = _plan_trials(data, chosen, methods, ledger is not None)
    finished = None
    if store is not None:
        finished = TrialStore.open(Path(store), runner.tables, runner.settings, key, history)
    report, steps = progress or _ignore_progress, len(plan) + 1
    apart = tuple(measure_yardstick(data, yardstick) for yardstick in yardsticks)
    comparison = Comparison((), (), decisive, data.rows.total, data.unit, len(history.releases), allow_lost, apart)
    for step, (policy, method) in enumerate(plan):
        trial = finished.find(plain_policy(policy), as_plain_value(method)) if finished else None
        fresh = trial is None
        if trial is None:
            title = f"{describe_plugin(method)} for {describe_policy(policy)}"
            shared = _Shared(comparison, so_far)
            work = partial(runner.run, policy, method, shared.trials.append)
            trial = run_with_progress(report, step, steps, title, work, shared.deliver)
        comparison = comparison.with_trial(trial)
        if fresh and finished is not None:
            finished.save(trial)
        if fresh and so_far is not None:
            so_far(comparison)
    before = run_with_progress(report, len(plan), steps, "the original table", runner.attack_table)
    return replace(comparison, before=before, prices=price_steps(data, chosen[0]))


@dataclass(frozen=True)
class _Shared:
    """Hands over a trial whose loss is known while its attacks still run."""

    comparison: Comparison
    so_far: Callable[[Comparison], None] | None
    trials: list[Trial] = field(default_factory=list)

    def deliver(self) -> None:
        while self.trials:
            trial = self.trials.pop()
            if self.so_far is not None:
                self.so_far(self.comparison.with_trial(trial))


def _ignore_progress(done: int, total: int, what: str) -> None:
    """Stand in for a caller who does not ask for progress."""


def _open_history(data: Microdata, after: Sequence[Release | str | Path], ledger: Ledger | None) -> EarlierReleases:
    """Verify the earlier releases once for all trials, and check that the ledger belongs to them."""
    history = EarlierReleases.verified(after, ledger)
    if ledger is not None:
        require_people(data)
        ledger.check([release.digest for release in history.releases])
    return history


def _request_attacks(
    data: Microdata,
    attacks: Sequence[Attack] | None,
    adversary: str | Preset | Sequence[str | Preset] | None,
    history: EarlierReleases,
) -> tuple[RequestedAttack, ...]:
    """The attacks that are listed and those of the presets, or all that are registered and concern the table; with the
    earlier releases, where they take them."""
    everything = attacks is None and adversary is None
    requested = request_attacks(list_attacks() if everything else attacks, adversary)
    informed = [
        replace(item, attack=item.attack.attach_history(history.releases, history.ledger))
        if isinstance(item.attack, UsesHistory)
        else item
        for item in requested
    ]
    return tuple(item for item in informed if not everything or item.attack.concerns(data))


def _quick_versions(requested: Sequence[RequestedAttack], listed: int) -> tuple[Attack, ...]:
    """A faster version of each attack; the first `listed` and those with knobs of their own stay as they are."""
    return tuple(
        replace(item.attack, **item.attack.quick)
        if position >= listed and item.attack == type(item.attack)()
        else item.attack
        for position, item in enumerate(requested)
    )


def _choose_measure(measures: Sequence[Measure], by: str | None) -> str:
    """The measure that decides: the named one, else marginals, else one that compares releases of every shape, else the
    first."""
    names = [item.name for item in measures]
    if by is not None and by not in names:
        raise PolicyError(
            f"The measure {by!r} is to decide, but it is not among those measured.",
            code="policy.by",
            hint="Measured are: " + (", ".join(names) or "none") + ".",
        )
    across = [item.name for item in measures if item.across]
    return by or (DECISIVE if DECISIVE in names else (across or names or [""])[0])


def list_variations(later: bool = False) -> Iterator[Method]:
    """Every registered method in the settings that it names for comparisons; `later` where there is a ledger, which
    methods that keep seats need."""
    for name, cls in registered_classes("methods").items():
        further = cls.tried_later if later and issubclass(cls, KeepsSeats) else ()
        for knobs in (*cast(type[Method], cls).tried, *further):
            yield cast(Method, build_plugin("methods", name, knobs))


def _plan_trials(
    data: Microdata, policies: Sequence[Policy], methods: Sequence[Method] | None, later: bool
) -> list[tuple[Policy, Method]]:
    """The trials to run. A policy that does not fit the table is an error; a method that cannot serve a policy is left
    out, unless it was requested."""
    problems: list[SpecError] = []
    for policy in policies:
        try:
            policy.count_people(data.unit.rows).check(data.columns)
        except SpecError as error:
            problems += cast("Sequence[SpecError]", error.problems)
    raise_together(problems)
    if methods is not None:
        if not methods:
            raise PolicyError(
                "There is no method to compare.", code="policy.method", hint="Name at least one, or leave it open."
            )
        return [(policy, method) for policy in policies for method in methods]
    plan = []
    for policy in policies:
        fitting = [method for method in list_variations(later) if _can_serve(data, policy, method)]
        if not fitting:
            raise PolicyError(
                f"No registered method serves {describe_policy(policy)} on this table.",
                code="policy.method",
                hint="Ask for fewer models together, or name one method to see why it does not fit.",
            )
        usual = default_method(policy)  # the one to begin with: it is fast, and often the best
        plan += [(policy, method) for method in sorted(fitting, key=lambda method: method != usual)]
    return plan


def _can_serve(data: Microdata, policy: Policy, method: Method) -> bool:
    try:
        check_request(data.columns, data.rows, policy.count_people(data.unit.rows), method)
    except SpecError:
        return False
    return True
