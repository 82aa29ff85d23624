"""Forms from the registry: every model, method, attack and measure with its knobs, without a line for any of them."""

from __future__ import annotations

import dataclasses
import inspect
import sys
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voile.errors import SpecError
from voile.flow.explore.foresee import start_of
from voile.plugins.parameters import Limits, type_alternatives
from voile.plugins.registry import Plugin, as_plain_value, build_plugin, knob_fields, registered_classes

NAMES = {"column": "Which secret column"}  # a knob that several models share by convention


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
    """One plug-in: what it is in a sentence, its story, and its knobs. `closed` says why a form cannot ask for it."""

    name: str
    headline: str
    story: tuple[str, ...]
    fields: tuple[Field, ...]
    closed: str = ""


def cards(family: str) -> list[Card]:
    """All of a family, those with the fewest knobs first: they are the easiest to understand."""
    found = [card(cls) for cls in registered_classes(family).values()]
    return sorted(found, key=lambda one: (bool(one.closed), len(one.fields), one.name))


def card(cls: type[Plugin]) -> Card:
    headline, story = told(cls)
    hints = typing.get_type_hints(cls)
    fields, closed = [], ""
    for knob in knob_fields(cls):
        made = _field(knob, hints[knob.name])
        if made is not None:
            fields.append(made)
        elif _needed(knob):
            closed = f"It needs {knob.name!r}, which only the command line can give."
    if any("Release" in str(hint) for hint in hints.values()):
        closed = "It rests on earlier releases of the same people, which only the command line and Python can name."
    return Card(cls.name, headline, story, tuple(fields), closed)


def told(cls: type[Plugin]) -> tuple[str, tuple[str, ...]]:
    """What the file of a plug-in says first: the headline without the name, and the paragraphs below it."""
    text = inspect.cleandoc(getattr(sys.modules.get(cls.__module__), "__doc__", None) or cls.__doc__ or cls.name)
    first, _, rest = text.partition("\n\n")
    headline = " ".join(first.split())
    name, sign, after = headline.partition(": ")
    headline = after if sign and len(name) < 40 else headline
    start = headline[:1] if headline[1:2] == " " else headline[:1].upper()  # the letter of a parameter stays as it is
    return start + headline[1:], tuple(" ".join(part.split()) for part in rest.split("\n\n") if part)


def _field(knob: dataclasses.Field[Any], hint: Any) -> Field | None:
    arms = [arm for arm in type_alternatives(hint) if arm is not type(None)]
    limits = knob.metadata.get("limits") or Limits()
    label = NAMES.get(knob.name, knob.name.replace("_", " "))
    value = _shown(start_of(knob) if knob.default_factory is dataclasses.MISSING else "")
    if knob.name == "column" and str in arms:
        return Field(knob.name, label, "column", value, "All of them, unless you choose one.")
    if limits.choices:
        optional = knob.default is None
        return Field(knob.name, label, "choice", value, "", choices=("",) * optional + limits.choices)
    if arms == [bool]:
        return Field(knob.name, label, "yes", value, "")
    if arms in ([int], [float]):
        low = limits.low if limits.low is not None else limits.above
        kind = "whole" if arms == [int] else "number"
        return Field(knob.name, label, kind, value, _limits(limits), low, limits.high)
    if all(map(_textual, arms)):
        return Field(knob.name, label, "text", value, _help(arms[0]))
    return None


def _textual(arm: Any) -> bool:
    """Whether a knob of this type can be typed in. A release, a table or statistics cannot, and where they can be, a
    text is the path of a file: that is not for a form to name."""
    inner = typing.get_args(arm)
    if typing.get_origin(arm) is tuple:
        return inner[0] in (str, int, float)
    mapping = typing.get_origin(arm)
    if isinstance(mapping, type) and issubclass(mapping, Mapping):
        return all(one in (str, int, float) for one in inner)
    return arm is str


def _help(arm: Any) -> str:
    if typing.get_origin(arm) is tuple:
        return "Several with | between them."
    return "" if arm is str else "As column=number, several with | between them."


def _limits(limits: Limits) -> str:
    said = [
        f"at least {limits.low:g}" if limits.low is not None else "",
        f"above {limits.above:g}" if limits.above is not None else "",
        f"at most {limits.high:g}" if limits.high is not None else "",
    ]
    text = ", ".join(part for part in said if part)
    return text[:1].upper() + text[1:] + "." if text else ""


def _needed(knob: dataclasses.Field[Any]) -> bool:
    return knob.default is dataclasses.MISSING and knob.default_factory is dataclasses.MISSING


def _shown(value: Any) -> str:
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


def typed(family: str, form: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The plug-ins that a form asks for, with the knobs that differ from their default, as a spec tells them.

    Raises every problem of the form together. Fields are named family.name.knob; family.name.on says it is wanted.
    """
    found, problems = [], list[SpecError]()
    for name, cls in registered_classes(family).items():
        if form.get(f"{family}.{name}.on"):
            # only what the form shows: other knobs may name files
            texts = {one.name: str(form.get(f"{family}.{name}.{one.name}", "")) for one in card(cls).fields}
            given = {key: text.strip() for key, text in texts.items() if text.strip()}
            try:
                found.append(_plainly(build_plugin(family, name, given)))
            except SpecError as error:
                problems += [one for one in error.problems if isinstance(one, SpecError)]
    if problems:
        raise SpecError("Some values do not fit.", code="spec.form", problems=problems)
    return found


def _plainly(made: Plugin) -> dict[str, Any]:
    known = {knob.name: knob for knob in knob_fields(type(made))}
    kept = {}
    for key, value in made.parameters().items():
        made_by = known[key].default_factory
        usual = known[key].default if made_by is dataclasses.MISSING else made_by()
        if value is not None and value != as_plain_value(usual):
            kept[key] = value
    return {"name": made.name, **kept}


def filled(family: str, chosen: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The form that would give these plug-ins."""
    values = {}
    for one in chosen:
        name = str(one.get("name") or one.get("model"))
        if name not in registered_classes(family):
            continue
        values[f"{family}.{name}.on"] = "on"
        for key, value in one.items():
            if key not in ("name", "model"):
                values[f"{family}.{name}.{key}"] = _shown(value)
    return values
