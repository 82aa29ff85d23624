"""One row of a comparison: a method under a policy, what attacks reach, and what analysts lose."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field
from typing import Any

from voile.errors import VoileError
from voile.models.policy import Policy
from voile.plugins.number_text import parse_number
from voile.plugins.registry import Plugin, as_plain_value, knob_fields
from voile.results import Finding, Loss

BY_COLUMN = ("marginals", "certainty")  # measures whose parts are columns


@dataclass(frozen=True)
class Failure:
    """Why something was not done: an error without its stack."""

    code: str
    message: str
    hint: str = ""

    @staticmethod
    def of(error: VoileError) -> Failure:
        return Failure(error.code, error.message, error.hint)


@dataclass(frozen=True)
class AttackResult:
    """An attack on one trial. `share` is the share of people above the bound, if there is one. Without figures the
    attack does not apply, or it failed."""

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
    fault: Failure | None = None

    @staticmethod
    def of(finding: Finding) -> AttackResult:
        belief, people = finding.belief, max(int(finding.belief.people.sum()), 1)
        return AttackResult(
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
        return parse_number(self.bound) if self.bound is not None else None

    @property
    def is_bet(self) -> bool:
        """Whether the belief is in an identity or a value, so that its mean is how often the adversary is right."""
        return self.mean is not None and self.limits not in ("gain", "distance")


@dataclass(frozen=True)
class LossResult:
    """A measure of one trial. Without a value it has no meaning for the release, and `fault` says why."""

    measure: str
    title: str
    value: float | None = None
    parts: Mapping[str, float | None] = field(default_factory=dict)
    note: str = ""
    fault: Failure | None = None

    @staticmethod
    def of(loss: Loss) -> LossResult:
        parts = {name: _finite(part) for name, part in loss.parts.items()}
        return LossResult(loss.measure, loss.title, _finite(loss.value), parts, loss.note)


@dataclass(frozen=True)
class Trial:
    """A method with its knobs under a policy. With a `fault` there is no release: the method does not fit the policy,
    or cannot satisfy it.

    `verified` is the answer of `verify` to a publisher, who has the data, the key and the statistics; `seconds` is the
    time that publishing took, without compiling kernels, for which the first trial would pay. `lost` are the columns of
    which hardly anything can be read, and `recognisable` says whether the quasi-identifiers are shown as they are, so
    that everyone in the release can be recognised. `stars` is the share of published rows that show `*` in each column.
    `digest` names the release, and `also` the trials with the same one, which are listed here. Until it is `complete`,
    a trial is not attacked yet, and keeps nothing.
    """

    title: str  # the method for readers: `full-domain (suppression=0.05)`
    promise: str  # the policy for readers: `k-anonymity (k=5) and l-diversity (l=3)`
    method: Mapping[str, Any]
    policy: tuple[Mapping[str, Any], ...]
    seconds: float = 0.0
    people: int = 0
    groups: int = 0
    withheld: int = 0
    verified: str = ""
    reached: tuple[AttackResult, ...] = ()
    losses: tuple[LossResult, ...] = ()
    fault: Failure | None = None
    lost: tuple[str, ...] = ()
    recognisable: bool = False
    stars: Mapping[str, float] = field(default_factory=dict)
    digest: str = ""
    also: tuple[str, ...] = ()
    complete: bool = True

    @property
    def kept(self) -> bool:
        """Whether the release was verified and every attack inside the promise stays at or below its bound. An attack
        that failed leaves the question open, which is not enough."""
        checked = self.fault is None and self.complete and self.verified == "holds"
        return checked and all(item.passed and item.fault is None for item in self.reached)

    def loss(self, measure: str) -> float | None:
        """The loss by one measure, if it has a meaning for this release."""
        return next((item.value for item in self.losses if item.measure == measure), None)

    def equals(self, other: Trial) -> bool:
        """Whether two trials of a promise gave the same tables, which keep it alike. Whoever knows the method may still
        learn more from one than from the other."""
        both = bool(self.digest) and self.complete and other.complete
        return both and (self.promise, self.digest, self.kept) == (other.promise, other.digest, other.kept)

    @property
    def exposure(self) -> float:
        """What all attacks reach together about the person most at risk; it serves to tell equal releases apart."""
        return sum(item.worst for item in self.reached if item.worst is not None)

    def describe_columns(self, measure: str) -> list[dict[str, Any]]:
        """Return for each column its loss by one measure, where that tells columns, and the share of rows with `*`."""
        parts = next((item.parts for item in self.losses if item.measure == measure), {})
        losses = parts if measure in BY_COLUMN else {}
        names = dict.fromkeys([*losses, *self.stars])
        return [{"column": name, "loss": losses.get(name), "stars": self.stars.get(name)} for name in names]

    def column_losses(self, measure: str) -> tuple[float | None, str | None, float | None]:
        """The loss of the median column by one measure, the worst column and its loss; None if it tells no columns."""
        parts = next((item.parts for item in self.losses if item.measure == measure), {})
        known = {name: value for name, value in parts.items() if value is not None}
        if measure not in BY_COLUMN or not known:
            return None, None, None
        worst = max(known, key=lambda name: known[name])
        return statistics.median(known.values()), worst, known[worst]

    def risk(self, attack: str | None = None) -> float | None:
        """The average belief of the strongest attack that bets on an identity or a value: of the named attack, or else
        of those inside the promise (of all, if none is)."""
        bets = [item for item in self.reached if item.is_bet]
        chosen = [item for item in bets if item.inside] if attack is None else []
        chosen = chosen or [item for item in bets if attack in (None, item.attack)]
        return max((item.mean for item in chosen if item.mean is not None), default=None)

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "kept": self.kept}

    @staticmethod
    def from_json(stated: Mapping[str, Any]) -> Trial:
        """Read a trial that `as_json` wrote. Raises KeyError or TypeError for anything else."""
        parts = {name: value for name, value in stated.items() if name != "kept"}
        reached, losses = parts.pop("reached"), parts.pop("losses")
        parts["reached"] = tuple(
            AttackResult(**{**item, "presets": tuple(item["presets"]), "fault": _failure(item["fault"])})
            for item in reached
        )
        parts["losses"] = tuple(LossResult(**{**item, "fault": _failure(item["fault"])}) for item in losses)
        lists = {name: tuple(parts.get(name, ())) for name in ("policy", "lost", "also")}
        return Trial(**{**parts, **lists, "fault": _failure(parts["fault"])})


def _failure(stated: Mapping[str, Any] | None) -> Failure | None:
    return Failure(**stated) if stated else None


def _finite(value: float) -> float | None:
    """A number that JSON can hold."""
    return float(value) if math.isfinite(value) else None


def describe_policy(policy: Policy) -> str:
    """A policy for readers: its models and their parameters."""
    return " and ".join(describe_plugin(model) for model in policy)


def describe_plugin(plugin: Plugin) -> str:
    """A plug-in for readers: its name, and the knobs that differ from their default.

    >>> from voile.plugins.registry import build_plugin
    >>> describe_plugin(build_plugin("methods", "full-domain", {"suppression": "0.05"}))
    'full-domain (suppression=0.05)'
    """
    knobs = {}
    for knob in knob_fields(type(plugin)):
        value, factory = getattr(plugin, knob.name), knob.default_factory
        default = factory() if factory is not MISSING else knob.default
        if value is not None and value != default:
            knobs[knob.name] = _shorten(value)
    return plugin.name + (f" ({', '.join(f'{key}={value}' for key, value in knobs.items())})" if knobs else "")


def _shorten(value: Any) -> str:
    if isinstance(value, Plugin):
        return describe_plugin(value)
    if isinstance(value, Mapping):
        return "|".join(f"{key}={item}" for key, item in value.items())
    if isinstance(value, (tuple, list)):
        return "|".join(map(_shorten, value))
    return str(as_plain_value(value))[:40]
