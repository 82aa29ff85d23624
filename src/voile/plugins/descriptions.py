"""What a plug-in says about itself: the docstring of its file, and its knobs."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
import typing
from dataclasses import dataclass
from typing import Any

from voile.plugins.parameters import WORDS, Limits, type_alternatives
from voile.plugins.registry import Plugin, as_plain_value, knob_fields


@dataclass(frozen=True)
class Knob:
    """One parameter of a plug-in: what it takes, what it is if nobody gives it, and whether somebody must."""

    name: str
    takes: str
    default: Any
    required: bool


def read_description(cls: type[Plugin]) -> tuple[str, tuple[str, ...]]:
    """Read the docstring of a plug-in's file: the headline without the name, and the paragraphs below it.
    An item of a list is a paragraph of its own."""
    text = inspect.cleandoc(getattr(sys.modules.get(cls.__module__), "__doc__", None) or cls.__doc__ or cls.name)
    first, _, rest = text.partition("\n\n")
    headline = " ".join(first.split())
    name, colon, sentence = headline.partition(": ")
    headline = sentence if colon and len(name) < 40 else headline
    # keep the letter of a parameter as it is; the article "a" is not one
    is_parameter = headline[1:2] == " " and headline[:1] != "a"
    start = headline[:1] if is_parameter else headline[:1].upper()
    return start + headline[1:], tuple(
        re.sub("^- ", "• ", " ".join(part.split())) for part in re.split(r"\n\n|\n(?=- )", rest) if part.strip()
    )


def describe_knobs(cls: type[Plugin]) -> tuple[Knob, ...]:
    """Describe the knobs of a plug-in, those that must be given first."""
    hints = typing.get_type_hints(cls)
    knobs = []
    for field in knob_fields(cls):
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        default = None if field.default is dataclasses.MISSING else as_plain_value(field.default)
        knobs.append(Knob(field.name, _describe_values(hints[field.name], field), default, required))
    return tuple(sorted(knobs, key=lambda knob: not knob.required))


def list_changes(plugin: Plugin) -> dict[str, Any]:
    """Return the knobs of a plug-in that differ from their default, as plain values."""
    changes = {}
    for field in knob_fields(type(plugin)):
        value = as_plain_value(getattr(plugin, field.name))
        default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        if value is not None and value != as_plain_value(default):
            changes[field.name] = value
    return changes


def _describe_values(hint: Any, field: dataclasses.Field[Any]) -> str:
    limits = field.metadata.get("limits") or Limits()
    if limits.choices:
        return ", ".join(limits.choices[:-1]) + f" or {limits.choices[-1]}"
    kinds = [kind for kind in type_alternatives(hint) if kind is not type(None)]
    words = " or ".join(WORDS.get(kind) or _name_type(kind) for kind in kinds)
    bounds = [
        f"{word} {number:g}"
        for word, number in (("at least", limits.low), ("above", limits.above), ("at most", limits.high))
        if number is not None
    ]
    return ", ".join([words, *bounds])


def _name_type(kind: Any) -> str:
    """Name a type that is no plain value, such as a list of texts or the path of statistics."""
    inner = typing.get_args(kind)
    if typing.get_origin(kind) is tuple:
        return f"a list, each {WORDS.get(inner[0], 'a value')}"
    if inner:
        return "pairs name=value"
    return f"a {getattr(kind, '__name__', str(kind)).lower()}"
