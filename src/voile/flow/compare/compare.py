"""Compare: every method against every attack, on one table, before anything is published.

Each trial publishes the table in memory, verifies it with all that the publisher has, attacks and measures it; nothing
of a release is kept. What stays is a table of numbers: what each attack reaches, what analysts lose, and the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

from voile.adversaries.presets import Preset
from voile.attacks.base import Attack
from voile.errors import PolicyError, SpecError, raise_together
from voile.flow.audit.audit import Asked
from voile.flow.compare.comparison import Comparison
from voile.flow.compare.trial import titled
from voile.flow.compare.trial_running import Bench, promised, told
from voile.flow.compare.trial_store import Store, watched
from voile.flow.measure.measure import every_measure
from voile.flow.publish.plan import check_request
from voile.measures.base import Measure
from voile.methods.base import Method
from voile.models.base import Model
from voile.models.policy import Policy
from voile.plugins.registry import as_plain_value, build_plugin, registered_classes
from voile.tables.microdata import Microdata
from voile.tables.secret_key import Key

Progress = Callable[[int, int, str], None]


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
) -> Comparison:
    """Try methods under policies, attack and measure each release, and name the one that keeps the promise at the least
    loss.

    Without `methods`: every registered one that can serve the policy, in the settings that it names. Without `attacks`
    and `adversary` (presets by name, e.g. "insurer"): every registered attack. Attacks that need a register of the
    population take the table itself, unless `external` is given. `by` is the measure that decides (query error, where
    it is measured). `progress(done, total, what)` is told at least once a second, `so_far(comparison)` what there is
    after each trial that is run. In the folder `store` every finished trial is kept, so that the same call goes on
    where an interrupted one stopped.

    >>> import voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
    >>> vl.compare(data, vl.LDiversity(l=3), [vl.Mondrian(), vl.Anatomy()], measures=[vl.measures.QueryError()])
    Comparison(2 trials, 2 keep the promise; best: anatomy)
    """
    listed = [policies] if isinstance(policies, (Policy, Model)) else list(policies)
    chosen = [Policy(one) if isinstance(one, Model) else one for one in listed]
    if not chosen:
        raise PolicyError("There is no policy to compare methods under.", code="policy.empty", hint="Name a model.")
    asked, quick = _asked(attacks, adversary)
    bench = Bench(
        data,
        asked,
        quick,
        tuple(measures if measures is not None else every_measure()),
        external,
        key or Key.fresh(),
    )
    decides = _decisive(bench.measures, by)
    plan = _plan(data, chosen, methods)
    kept = Store.at(Path(store), bench.tables, bench.told, key) if store is not None else None
    tell, total = progress or _quietly, len(plan) + 1
    before = watched(tell, 0, total, "the table as it is", bench.before)
    found = Comparison((), before, decides, data.rows.total)
    for number, (policy, method) in enumerate(plan, 1):
        known = kept.find(told(policy), as_plain_value(method)) if kept else None
        title = f"{titled(method)} for {promised(policy)}"
        done = known or watched(tell, number, total, title, partial(bench.trial, policy, method))
        found = replace(found, rows=(*found.rows, done))
        if known is None and kept is not None:
            kept.keep(done)
        if known is None and so_far is not None:
            so_far(found)
    return found


def _quietly(done: int, total: int, what: str) -> None:
    """Nobody asked how far it is."""


def _asked(
    attacks: Sequence[Attack] | None, adversary: str | Preset | Sequence[str | Preset] | None
) -> tuple[tuple[Asked, ...], tuple[Attack, ...]]:
    """The attacks that are listed and those of the presets, or all that are registered; and each in less time, unless
    it was listed as it is."""
    asked = Asked.of(attacks, adversary)
    if attacks is None and adversary is None:
        found = [build_plugin("attacks", name, {}) for name in registered_classes("attacks")]
        asked = [Asked(attack) for attack in found if isinstance(attack, Attack)]
    listed = len(attacks or ())
    return tuple(asked), tuple(
        replace(one.attack, **one.attack.quick) if number >= listed and one.attack == type(one.attack)() else one.attack
        for number, one in enumerate(asked)
    )


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
    for name, cls in registered_classes("methods").items():
        for knobs in cast(type[Method], cls).tried:
            yield cast(Method, build_plugin("methods", name, knobs))


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
                hint="Ask for fewer models together, or name one method to see why it does not fit.",
            )
        plan += [(policy, method) for method in fitting]
    return plan


def _fits(data: Microdata, policy: Policy, method: Method) -> bool:
    try:
        check_request(data.columns, data.rows, policy, method)
    except SpecError:
        return False
    return True
