"""The values that a knob may have: its limits, its type, and how text becomes a value of that type."""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from voile.errors import SpecError
from voile.plugins.number_text import fits_64_bits, parse_number, parse_whole

WORDS = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
TRUTH = {"true": True, "yes": True, "false": False, "no": False}


@dataclasses.dataclass(frozen=True)
class Limits:
    """The values that a knob accepts."""

    low: float | None = None
    above: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    def complaint(self, value: Any) -> str:
        """Say what the value must be; empty if it is within the limits."""
        if value is None:
            return ""
        if self.choices:
            return "" if value in self.choices else "must be one of " + ", ".join(self.choices)
        if isinstance(value, bool) or not isinstance(value, (int, float, Fraction)):
            return ""
        if isinstance(value, int) and not fits_64_bits(value):
            return "must be below 2^63"
        if not math.isfinite(value):
            return "must be finite"
        rules = [
            (self.low is not None and not value >= self.low, f"at least {self.low}"),
            (self.above is not None and not value > self.above, f"above {self.above}"),
            (self.high is not None and not value <= self.high, f"at most {self.high}"),
        ]
        broken = [text for wrong, text in rules if wrong]
        return "must be " + " and ".join(broken) if broken else ""


def type_alternatives(hint: Any) -> tuple[Any, ...]:
    """Return the alternatives of a union, or the type itself."""
    return typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)


def type_complaint(hint: Any, value: Any) -> str:
    """Say which type the value must have; empty if it has it. Catches `KAnonymity(k=2.5)` where it is written."""
    if typing.get_origin(hint) is tuple and typing.get_args(hint)[0] in WORDS:
        item_type = typing.get_args(hint)[0]
        wrong = isinstance(value, str) or not isinstance(value, Sequence)
        wrong = wrong or any(type_complaint(item_type, item) for item in value)
        return f"must be a list, each {WORDS[item_type]}" if wrong else ""
    alternatives = type_alternatives(hint)
    if not all(kind in WORDS or kind is type(None) for kind in alternatives):
        return ""
    for kind in alternatives:
        if kind is type(None) and value is None:
            return ""
        if type(value) is int and kind in (int, float) and not fits_64_bits(value):
            return "must be below 2^63"
        if kind is float and isinstance(value, (int, float)) and not isinstance(value, bool) and value == value:
            return ""
        if kind in (int, str, bool) and type(value) is kind:
            return ""
    return "must be " + " or ".join(WORDS[kind] for kind in alternatives if kind in WORDS)


class RejectedValueError(Exception):
    """The value is not of this kind; another alternative of the type may accept it."""


def coerce(hint: Any, value: Any) -> Any:
    """Turn a value from a command line, a spec or a certificate into the first alternative of a type that accepts it;
    text is parsed and lists become tuples. Raises ValueError, TypeError, KeyError or ArithmeticError if none does.

    >>> coerce(float | None, "1/4"), coerce(tuple[str, ...], "HIV|flu"), coerce(dict[str, int], "a=4|b=2")
    (0.25, ('HIV', 'flu'), {'a': 4, 'b': 2})
    """
    for kind in type_alternatives(hint):
        try:
            return _coerce_kind(kind, value)
        except RejectedValueError:
            continue
    raise ValueError


def _coerce_kind(kind: Any, value: Any) -> Any:
    origin, text = typing.get_origin(kind), isinstance(value, str)
    if kind is type(None) and (value is None or (text and value.lower() == "none")):
        return None
    if kind is bool and (isinstance(value, bool) or (text and value.lower() in TRUTH)):
        return TRUTH[value.lower()] if text else value
    if kind is int and not isinstance(value, bool):
        if text:
            try:
                return parse_whole(value)
            except ValueError:
                raise RejectedValueError from None
        if isinstance(value, int):
            return value
    elif kind is float and not isinstance(value, bool):
        try:
            return parse_number(value) if text else float(value)
        except (ValueError, TypeError, OverflowError):
            raise RejectedValueError from None
    elif kind is str and text:
        return value
    elif origin is tuple:
        item_type = typing.get_args(kind)[0]
        return tuple(coerce(item_type, item) for item in (value.split("|") if text else list(value)))
    elif isinstance(origin, type) and issubclass(origin, Mapping) and (text or isinstance(value, Mapping)):
        return _coerce_mapping(typing.get_args(kind), value)
    elif isinstance(kind, type) and kind not in (type(None), bool, *WORDS):
        if isinstance(value, kind):
            return value
        if hasattr(kind, "from_parameter") and (text or isinstance(value, Mapping)):
            return kind.from_parameter(value)
    raise RejectedValueError


def _coerce_mapping(types_of_items: tuple[Any, ...], value: Mapping[Any, Any] | str) -> dict[Any, Any]:
    """Return a mapping given as such or as the text `a=4|b=2`."""
    if isinstance(value, str):
        pairs = [item.rpartition("=") for item in value.split("|") if item.strip()]
        if not all(name and sign for name, sign, _ in pairs):
            raise ValueError
        value = {name.strip(): item.strip() for name, _, item in pairs}
    return {key: coerce(types_of_items[1], item) if len(types_of_items) == 2 else item for key, item in value.items()}


def parse_short_form(text: str) -> tuple[str, dict[str, Any]]:
    """Split a plug-in in the form of the command line into its name and its knobs.

    >>> parse_short_form("l-diversity:l=3,form=entropy")
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
