"""One row of a comparison: a method under a policy, what attacks reach, and what analysts lose."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field
from fractions import Fraction
from typing import Any

from voile.errors import VoileError
from voile.plugins.registry import Plugin, as_plain_value, knob_fields
from voile.results import Finding, Loss


@dataclass(frozen=True)
class Fault:
    """Why something was not done: an error without its stack."""

    code: str
    message: str
    hint: str = ""

    @staticmethod
    def of(error: VoileError) -> Fault:
        return Fault(error.code, error.message, error.hint)


@dataclass(frozen=True)
class Reached:
    """An attack on one trial. `share` are the people above the bound, where there is one; without figures the attack
    does not apply, or ended in a fault."""

    attack: str
    title: str
    adversary: str = ""
    limits: str = ""
    column: str | None = None
    worst: float | None = None
    mean: float | None = None
    baseline: float | None = None
    bound: str | None = None
    share: float | None = None
    inside: bool = False
    passed: bool = True
    presets: tuple[str, ...] = ()
    fault: Fault | None = None

    @staticmethod
    def of(finding: Finding) -> Reached:
        belief, people = finding.belief, max(int(finding.belief.people.sum()), 1)
        return Reached(
            attack=finding.attack,
            title=finding.title,
            adversary=finding.adversary.name,
            limits=belief.limits,
            column=belief.column,
            worst=belief.worst,
            mean=belief.mean,
            baseline=belief.baseline,
            bound=str(finding.bound) if finding.bound is not None else None,
            share=belief.above(finding.bound) / people if finding.bound is not None else None,
            inside=finding.inside,
            passed=finding.passed,
            presets=finding.by,
        )

    @property
    def limit(self) -> float | None:
        """The bound as a number."""
        return float(Fraction(self.bound)) if self.bound is not None else None


@dataclass(frozen=True)
class Lost:
    """A measure of one trial; without a value it has no meaning for this release, and the fault says why."""

    measure: str
    title: str
    value: float | None = None
    parts: Mapping[str, float | None] = field(default_factory=dict)
    note: str = ""
    fault: Fault | None = None

    @staticmethod
    def of(loss: Loss) -> Lost:
        parts = {name: _finite(part) for name, part in loss.parts.items()}
        return Lost(loss.measure, loss.title, _finite(loss.value), parts, loss.note)


@dataclass(frozen=True)
class Trial:
    """A method with its knobs under a policy. With a `fault` there is no release: it does not fit, or cannot be done.

    `verified` is what `verify` answered with everything the publisher has; `seconds` is the time of publishing.
    """

    title: str  # the method as a reader wants it: `full-domain (suppression=0.05)`
    promise: str  # and the policy: `k-anonymity (k=5) and l-diversity (l=3)`
    method: Mapping[str, Any]
    policy: tuple[Mapping[str, Any], ...]
    seconds: float = 0.0
    people: int = 0
    groups: int = 0
    withheld: int = 0
    verified: str = ""
    reached: tuple[Reached, ...] = ()
    losses: tuple[Lost, ...] = ()
    fault: Fault | None = None

    @property
    def kept(self) -> bool:
        """Whether the release was verified and every attack inside the promise stays at or below its bound. An attack
        that ended in a fault leaves it open, which is not enough."""
        checked = self.fault is None and self.verified == "holds"
        return checked and all(item.passed and item.fault is None for item in self.reached)

    def loss(self, measure: str) -> float | None:
        """The loss by one measure, where it has a meaning."""
        return next((item.value for item in self.losses if item.measure == measure), None)

    def risk(self, attack: str | None = None) -> float | None:
        """The average belief of the strongest attack that bets on an identity or a value: of those inside the promise
        (of all, where none is), or of the named attack."""
        bets = [item for item in self.reached if item.mean is not None and item.limits not in ("gain", "distance")]
        chosen = [item for item in bets if item.inside] if attack is None else []
        chosen = chosen or [item for item in bets if attack in (None, item.attack)]
        return max((item.mean for item in chosen if item.mean is not None), default=None)

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "kept": self.kept}

    @staticmethod
    def from_json(told: Mapping[str, Any]) -> Trial:
        """The trial that `as_json` told. Raises KeyError or TypeError where something else did."""
        parts = {name: value for name, value in told.items() if name != "kept"}
        reached, losses = parts.pop("reached"), parts.pop("losses")
        parts["reached"] = tuple(
            Reached(**{**item, "presets": tuple(item["presets"]), "fault": _fault(item["fault"])}) for item in reached
        )
        parts["losses"] = tuple(Lost(**{**item, "fault": _fault(item["fault"])}) for item in losses)
        return Trial(**{**parts, "policy": tuple(parts["policy"]), "fault": _fault(parts["fault"])})


def _fault(told: Mapping[str, Any] | None) -> Fault | None:
    return Fault(**told) if told else None


def _finite(value: float) -> float | None:
    """A number that JSON can hold."""
    return float(value) if math.isfinite(value) else None


def titled(plugin: Plugin) -> str:
    """A plug-in as a reader wants it: its name, and the knobs that are not at their default.

    >>> from voile.plugins.registry import build_plugin
    >>> titled(build_plugin("methods", "full-domain", {"suppression": "0.05"}))
    'full-domain (suppression=0.05)'
    """
    told = {}
    for knob in knob_fields(type(plugin)):
        value, made = getattr(plugin, knob.name), knob.default_factory
        usual = made() if made is not MISSING else knob.default
        if value is not None and value != usual:
            told[knob.name] = _brief(value)
    return plugin.name + (f" ({', '.join(f'{key}={value}' for key, value in told.items())})" if told else "")


def _brief(value: Any) -> str:
    if isinstance(value, Plugin):
        return titled(value)
    if isinstance(value, Mapping):
        return "|".join(f"{key}={item}" for key, item in value.items())
    if isinstance(value, (tuple, list)):
        return "|".join(map(_brief, value))
    return str(as_plain_value(value))[:40]
