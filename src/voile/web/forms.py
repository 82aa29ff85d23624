"""Forms made from the registry: every model, method, attack and measure with its knobs, without special cases."""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voile.errors import SpecError
from voile.flow.explore.foresee import suggest_value
from voile.plugins.descriptions import list_changes, read_description
from voile.plugins.parameters import Limits, type_alternatives
from voile.plugins.registry import Plugin, as_plain_value, build_plugin, knob_fields, registered_classes

LABELS = {"column": "Which secret column"}  # a knob that several models share by convention


@dataclass(frozen=True)
class Field:
    """One knob as a control of a form."""

    name: str
    label: str
    widget: str  # whole, number, choice, yes, column or text
    value: str
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Card:
    """One plug-in: a sentence about it, its story, and its knobs. `closed` says why a form cannot offer it."""

    name: str
    headline: str
    story: tuple[str, ...]
    fields: tuple[Field, ...]
    closed: str = ""


def make_cards(family: str) -> list[Card]:
    """Make a card for every plug-in of a family. Those with the fewest knobs come first: they are the easiest."""
    cards = [make_card(cls) for cls in registered_classes(family).values()]
    return sorted(cards, key=lambda card: (bool(card.closed), len(card.fields), card.name))


def make_card(cls: type[Plugin]) -> Card:
    """Make the card of one plug-in."""
    headline, story = read_description(cls)
    hints = typing.get_type_hints(cls)
    fields, closed = [], ""
    for knob in knob_fields(cls):
        field = _make_field(knob, hints[knob.name])
        if field is not None:
            fields.append(field)
        elif _is_required(knob):
            closed = f"It needs {knob.name!r}, which can only be given at the command line."
    if closed and any("Release" in str(hint) for hint in hints.values()):
        closed = "It is promised by itself when a table is published after earlier releases of the same people."
    return Card(cls.name, headline, story, tuple(fields), closed)


def _make_field(knob: dataclasses.Field[Any], hint: Any) -> Field | None:
    arms = [arm for arm in type_alternatives(hint) if arm is not type(None)]
    limits = knob.metadata.get("limits") or Limits()
    label = LABELS.get(knob.name, knob.name.replace("_", " "))
    value = _write_value(suggest_value(knob) if knob.default_factory is dataclasses.MISSING else "")
    if knob.name == "column" and str in arms:
        return Field(knob.name, label, "column", value, "All of them unless you choose one.")
    if limits.choices:
        optional = knob.default is None
        return Field(knob.name, label, "choice", value, "", choices=("",) * optional + limits.choices)
    if arms == [bool]:
        return Field(knob.name, label, "yes", value, "")
    if arms in ([int], [float]):
        low = limits.low if limits.low is not None else limits.above
        kind = "whole" if arms == [int] else "number"
        return Field(knob.name, label, kind, value, _describe_limits(limits), low, limits.high)
    if all(map(_is_textual, arms)):
        return Field(knob.name, label, "text", value, _describe_text(arms[0]))
    return None


def _is_textual(arm: Any) -> bool:
    """Whether a knob of this type can be typed in. A release, a table or statistics cannot: their text would be the
    path of a file, and a form must not name files."""
    inner = typing.get_args(arm)
    if typing.get_origin(arm) is tuple:
        return inner[0] in (str, int, float)
    mapping = typing.get_origin(arm)
    if isinstance(mapping, type) and issubclass(mapping, Mapping):
        return all(part in (str, int, float) for part in inner)
    return arm is str


def _describe_text(arm: Any) -> str:
    if typing.get_origin(arm) is tuple:
        return "Separate several with |."
    return "" if arm is str else "Write column=number; separate several with |."


def _describe_limits(limits: Limits) -> str:
    parts = [
        f"at least {limits.low:g}" if limits.low is not None else "",
        f"above {limits.above:g}" if limits.above is not None else "",
        f"at most {limits.high:g}" if limits.high is not None else "",
    ]
    text = ", ".join(part for part in parts if part)
    return text[:1].upper() + text[1:] + "." if text else ""


def _is_required(knob: dataclasses.Field[Any]) -> bool:
    return knob.default is dataclasses.MISSING and knob.default_factory is dataclasses.MISSING


def _write_value(value: Any) -> str:
    value = as_plain_value(value)
    if value is None or value is dataclasses.MISSING:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return "|".join(map(str, value))
    if isinstance(value, Mapping):
        return "|".join(f"{key}={part}" for key, part in value.items() if key != "name")
    return f"{value:g}" if isinstance(value, float) else str(value)


def read_index(text: Any, length: int) -> int | None:
    """Read the number of one of `length` things from a form or an address; None if it is not one of them.

    >>> read_index("2", 3), read_index("3", 3), read_index("²", 3), read_index("9" * 5000, 3)
    (2, None, None, None)
    """
    if not isinstance(text, str) or not re.fullmatch("[0-9]{1,9}", text):
        return None
    return int(text) if int(text) < length else None


def read_form(family: str, form: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Read the plug-ins that a form selects, as entries of a spec with the knobs that differ from their default.

    All problems of the form are raised together. Fields are named family.name.knob; family.name.on selects the plug-in.
    """
    entries, problems = [], list[SpecError]()
    for name, cls in registered_classes(family).items():
        if form.get(f"{family}.{name}.on"):
            # only fields that the form shows: other knobs may name files
            texts = {field.name: str(form.get(f"{family}.{name}.{field.name}", "")) for field in make_card(cls).fields}
            knobs = {key: text.strip() for key, text in texts.items() if text.strip()}
            try:
                entries.append({"name": name, **list_changes(build_plugin(family, name, knobs))})
            except SpecError as error:
                problems += [problem for problem in error.problems if isinstance(problem, SpecError)]
    if problems:
        raise SpecError("Some values cannot be used.", code="spec.form", problems=problems)
    return entries


def fill_form(family: str, entries: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Fill the form so that it selects the plug-ins of these entries."""
    values = {}
    for entry in entries:
        name = str(entry.get("name") or entry.get("model"))
        if name not in registered_classes(family):
            continue
        values[f"{family}.{name}.on"] = "on"
        for key, value in entry.items():
            if key not in ("name", "model"):
                values[f"{family}.{name}.{key}"] = _write_value(value)
    return values
