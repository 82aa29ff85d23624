"""What a knob may be: within its limits, and of its type."""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from voile.errors import SpecError


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a knob may be."""

    low: float | None = None
    above: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    def complaint(self, value: Any) -> str:
        """Empty when the value is fine, else what it must be."""
        if value is None:
            return ""
        if self.choices:
            return "" if value in self.choices else "must be one of " + ", ".join(self.choices)
        if isinstance(value, bool) or not isinstance(value, (int, float, Fraction)):
            return ""
        if not math.isfinite(value):
            return "must be finite"
        rules = [
            (self.low is not None and not value >= self.low, f"at least {self.low}"),
            (self.above is not None and not value > self.above, f"above {self.above}"),
            (self.high is not None and not value <= self.high, f"at most {self.high}"),
        ]
        broken = [text for wrong, text in rules if wrong]
        return "must be " + " and ".join(broken) if broken else ""


def arms_of(hint: Any) -> tuple[Any, ...]:
    """The alternatives of a type."""
    return typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)


def type_complaint(hint: Any, value: Any) -> str:
    """Catch `KAnonymity(k=2.5)` and `KAnonymity(k='5')` where they are written."""
    arms = arms_of(hint)
    names = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
    if typing.get_origin(hint) is tuple and typing.get_args(hint)[0] in names:
        inner = typing.get_args(hint)[0]
        wrong = isinstance(value, str) or not isinstance(value, Sequence)
        wrong = wrong or any(type_complaint(inner, item) for item in value)
        return f"must be a list, each {names[inner]}" if wrong else ""
    if not all(arm in names or arm is type(None) for arm in arms):
        return ""
    for arm in arms:
        if arm is type(None) and value is None:
            return ""
        if arm is float and isinstance(value, (int, float)) and not isinstance(value, bool) and value == value:
            return ""
        if arm in (int, str, bool) and type(value) is arm:
            return ""
    return "must be " + " or ".join(names[arm] for arm in arms if arm in names)


def short(text: str) -> tuple[str, dict[str, Any]]:
    """A plug-in in the command line's form.

    >>> short("l-diversity:l=3,form=entropy")
    ('l-diversity', {'l': '3', 'form': 'entropy'})
    """
    name, _, rest = text.partition(":")
    knobs: dict[str, Any] = {}
    for part in filter(str.strip, rest.split(",")):
        key, sign, value = part.partition("=")
        if not sign:
            raise SpecError(
                f"{text!r} has a part without '='.",
                code="spec.short",
                hint="Write name:parameter=value,parameter=value.",
            )
        if key.strip() in knobs:
            raise SpecError(f"{text!r} gives {key.strip()!r} twice.", code="spec.short", hint="Keep one of them.")
        knobs[key.strip()] = value.strip()
    return name.strip(), knobs
