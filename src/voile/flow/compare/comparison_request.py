"""From a spec to what a comparison takes: policies (with what varies), methods, attacks, measures, adversaries."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from voile.adversaries.presets import Preset, understood
from voile.attacks.base import Attack
from voile.errors import SpecError, raise_together
from voile.flow.request.request import Request, request
from voile.io.spec_files import Spec
from voile.measures.base import Measure
from voile.methods.base import Method
from voile.models.policy import Policy
from voile.plugins.parameters import parse_short_form
from voile.plugins.registry import Plugin, build_plugin, find_class, knob_fields, narrow_type

Some = TypeVar("Some", bound=Plugin)
Result = TypeVar("Result")


@dataclass(frozen=True)
class Wanted:
    """A comparison that has been understood; what is None was left to `compare`."""

    request: Request
    policies: tuple[Policy, ...]
    methods: tuple[Method, ...] | None
    attacks: tuple[Attack, ...] | None
    measures: tuple[Measure, ...] | None
    adversary: tuple[Preset, ...] | None
    by: str | None


def wanted(spec: Spec) -> Wanted:
    """Understand a spec with its part [compare]; all that is wrong with it is raised together."""
    problems: list[SpecError] = []

    def attempt(work: Callable[[], Result]) -> Result | None:
        try:
            return work()
        except SpecError as error:
            problems.extend(cast("Sequence[SpecError]", error.problems))
            return None

    told = spec.compare
    asked = attempt(lambda: request(spec))
    methods = attempt(lambda: _listed(Method, told.get("methods")))
    attacks = attempt(lambda: _listed(Attack, told.get("attacks")))
    measures = attempt(lambda: _listed(Measure, told.get("measures")))
    adversary = attempt(lambda: understood(told.get("adversary")))
    policies = attempt(lambda: _varied(spec)) if asked is not None else None
    raise_together(problems)
    assert asked is not None and policies is not None
    return Wanted(asked, policies, methods, attacks, measures, adversary or None, told.get("by"))


def _listed(kind: type[Some], items: Sequence[str | Mapping[str, Any]] | None) -> tuple[Some, ...] | None:
    """Plug-ins in the short form, or as tables with a name."""
    if not items:
        return None
    found: list[Some] = []
    problems: list[SpecError] = []
    for item in items:
        try:
            if isinstance(item, str):
                name, knobs = parse_short_form(item)
            else:
                name, knobs = str(item["name"]), {key: value for key, value in item.items() if key != "name"}
            found.append(narrow_type(kind, build_plugin(kind.family, name, knobs)))
        except SpecError as error:
            problems += cast("Sequence[SpecError]", error.problems)
    raise_together(problems)
    return tuple(found)


def _varied(spec: Spec) -> tuple[Policy, ...]:
    """One policy for every combination of the values to vary. A parameter is varied in every model that has it."""
    vary: Mapping[str, Sequence[Any]] = spec.compare.get("vary", {})
    knobs = [{field.name for field in knob_fields(find_class("models", str(model["model"])))} for model in spec.policy]
    raise_together(
        SpecError(
            f"{name!r} is to be varied, but no model of the policy has such a parameter.",
            code="spec.vary",
            hint="They have: " + (", ".join(sorted(set().union(*knobs))) or "none") + ".",
        )
        for name in vary
        if not any(name in own for own in knobs)
    )
    policies = []
    for values in itertools.product(*vary.values()):
        chosen = dict(zip(vary, values, strict=True))
        models = tuple(
            {**model, **{name: value for name, value in chosen.items() if name in own}}
            for model, own in zip(spec.policy, knobs, strict=True)
        )
        policies.append(request(replace(spec, policy=models)).policy)
    return tuple(policies)
