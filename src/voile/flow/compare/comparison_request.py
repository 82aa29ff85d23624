"""Read a comparison from a spec: policies (one per value to vary), methods, attacks, measures, adversaries."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from voile.adversaries.presets import Preset, find_presets
from voile.attacks.base import Attack
from voile.errors import SpecError, raise_together
from voile.flow.compare.yardstick import Yardstick
from voile.flow.request.request import Request, read_request
from voile.io.spec_files import Spec
from voile.measures.base import Measure
from voile.methods.base import Method
from voile.models.policy import Policy
from voile.plugins.number_text import parse_number
from voile.plugins.parameters import parse_short_form
from voile.plugins.registry import Plugin, build_plugin, find_class, knob_fields, narrow_type

Some = TypeVar("Some", bound=Plugin)
Result = TypeVar("Result")
EARLIER = ("after", "ledger")  # the parts of [release] that a comparison uses


@dataclass(frozen=True)
class ComparisonRequest:
    """A comparison to run; `compare` decides whatever is None."""

    request: Request
    policies: tuple[Policy, ...]
    methods: tuple[Method, ...] | None
    attacks: tuple[Attack, ...] | None
    measures: tuple[Measure, ...] | None
    adversary: tuple[Preset, ...] | None
    by: str | None
    allow_lost: bool = False
    yardsticks: tuple[Yardstick, ...] = ()


def read_comparison_request(spec: Spec) -> ComparisonRequest:
    """Read a spec with its part [compare]; all problems are raised together."""
    problems: list[SpecError] = []

    def attempt(work: Callable[[], Result]) -> Result | None:
        try:
            return work()
        except SpecError as error:
            problems.extend(cast("Sequence[SpecError]", error.problems))
            return None

    problems += _unused_sections(spec)
    options = spec.compare
    earlier = {name: value for name, value in spec.release.items() if name in EARLIER}
    read = attempt(lambda: read_request(replace(spec, method={}, release=earlier)))
    methods = attempt(lambda: _build_listed(Method, options.get("methods")))
    attacks = attempt(lambda: _build_listed(Attack, options.get("attacks")))
    measures = attempt(lambda: _build_listed(Measure, options.get("measures")))
    adversary = attempt(lambda: find_presets(options.get("adversary")))
    yardsticks = attempt(lambda: _read_yardsticks(options.get("synthetic", ())))
    policies = attempt(lambda: _vary_policies(spec)) if read is not None else None
    raise_together(problems)
    assert read is not None and policies is not None
    by, allow_lost = options.get("by"), bool(options.get("allow_lost"))
    return ComparisonRequest(
        read, policies, methods, attacks, measures, adversary or None, by, allow_lost, yardsticks or ()
    )


def _read_yardsticks(items: Sequence[str | Mapping[str, Any]]) -> tuple[Yardstick, ...]:
    """Read synthetic tables: `file.csv:epsilon=1,title=MST`, or `mst:epsilon=1,python=ENV/bin/python`; or mappings
    with a file or a synthesizer, an epsilon, perhaps a title, and the interpreter of a synthesizer."""
    found = []
    for item in items:
        if isinstance(item, str):
            name, knobs = parse_short_form(item)
        else:
            name, knobs = str(item.get("file", item.get("synthesizer"))), dict(item)
        try:
            epsilon = parse_number(str(knobs.get("epsilon", "")))
        except ValueError:
            epsilon = 0.0  # which is refused with the reason
        python = str(knobs["python"]) if "python" in knobs else None
        title = Path(name).stem if python is None else f"{name.upper()} of dpmm, delta 1e-5"
        found.append(Yardstick(name, epsilon, str(knobs.get("title", title)), python))
    return tuple(found)


def _unused_sections(spec: Spec) -> Iterator[SpecError]:
    """Yield a problem for each section that is about publishing: a comparison would ignore it."""
    if spec.method:
        yield SpecError(
            "A comparison does not use [method], which names the one method to publish with.",
            code="spec.compare-method",
            hint="List the methods to compare as `methods` in [compare], and leave [method] out.",
        )
    if set(spec.release) - set(EARLIER):
        yield SpecError(
            "A comparison does not use [release], except earlier releases and their ledger: it publishes no folder.",
            code="spec.compare-release",
            hint="Keep nothing but `after` and `ledger` there.",
        )


def _build_listed(kind: type[Some], items: Sequence[str | Mapping[str, Any]] | None) -> tuple[Some, ...] | None:
    """Build plug-ins from the short form, or from tables with a name."""
    if not items:
        return None
    built: list[Some] = []
    problems: list[SpecError] = []
    for item in items:
        try:
            if isinstance(item, str):
                name, knobs = parse_short_form(item)
            else:
                name, knobs = str(item["name"]), {key: value for key, value in item.items() if key != "name"}
            built.append(narrow_type(kind, build_plugin(kind.family, name, knobs)))
        except SpecError as error:
            problems += cast("Sequence[SpecError]", error.problems)
    raise_together(problems)
    return tuple(built)


def _vary_policies(spec: Spec) -> tuple[Policy, ...]:
    """One policy per combination of the values to vary. A parameter varies in every model that has it."""
    vary: Mapping[str, Sequence[Any]] = spec.compare.get("vary", {})
    knobs = [{field.name for field in knob_fields(find_class("models", str(model["model"])))} for model in spec.policy]
    raise_together(
        SpecError(
            f"{name!r} is to be varied, but no model of the policy has this parameter.",
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
        policies.append(read_request(replace(spec, policy=models, method={}, release={})).policy)
    return tuple(policies)
