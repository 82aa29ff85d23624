"""The catalogue of what voile can do: every model, method, attack and measure, with its knobs and an example."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from voile.errors import VoileError
from voile.flow.explore.foresee import suggest_value
from voile.models.base import Model
from voile.plugins.descriptions import Knob, describe_knobs, read_description
from voile.plugins.registry import FAMILIES, Plugin, find_class, knob_fields, registered_classes

__all__ = ["FAMILIES", "Entry", "describe_entry", "list_entries"]

FLAGS = {"models": "--model", "methods": "--method", "attacks": "--attack", "measures": "--measure"}
A_COLUMN = "the sensitive column"


@dataclass(frozen=True)
class Entry:
    """One plug-in. A model also says what it promises, against whom, and whom the promise does not cover, for the knobs
    of the example."""

    family: str
    name: str
    headline: str
    story: tuple[str, ...]
    knobs: tuple[Knob, ...]
    example: str
    python: str
    promise: str = ""
    against: str = ""
    gaps: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def list_entries(family: str) -> list[Entry]:
    """List a family by name, with the plug-ins that were loaded."""
    return [_make_entry(family, cls) for cls in registered_classes(family).values()]


def describe_entry(family: str, name: str) -> Entry:
    """Describe one plug-in; PolicyError, with the nearest name, if there is none.

    >>> describe_entry("models", "k-anonymity").example
    '--model k-anonymity:k=5'
    """
    return _make_entry(family, find_class(family, name))


def _make_entry(family: str, cls: type[Plugin]) -> Entry:
    headline, story = read_description(cls)
    knobs = describe_knobs(cls)
    fields = {field.name: field for field in knob_fields(cls)}
    values = {knob.name: suggest_value(fields[knob.name]) for knob in knobs if knob.required}
    given = {name: "..." if value is None else value for name, value in values.items()}
    short = cls.name + (":" + ",".join(f"{name}={value}" for name, value in given.items()) if given else "")
    home = "vl" if family in ("models", "methods") else f"vl.{family}"
    python = f"{home}.{cls.__name__}({', '.join(f'{name}={value}' for name, value in given.items())})"
    promise, against = "", ""
    gaps: tuple[str, ...] = ()
    if issubclass(cls, Model) and None not in values.values():
        promise, against, gaps = _state_promise(cls, values)
    return Entry(family, cls.name, headline, story, knobs, f"{FLAGS[family]} {short}", python, promise, against, gaps)


def _state_promise(cls: type[Model], values: dict[str, Any]) -> tuple[str, str, tuple[str, ...]]:
    """State what a model promises with some knobs, against whom, and against whom it does not although a reader might
    think so; nothing where that needs a table or a release."""
    try:
        model = cls(**values)
        promise = model.promise(A_COLUMN).replace(f"'{A_COLUMN}'", A_COLUMN)
        return promise, model.adversary().describe(), tuple(model.gaps)
    except (VoileError, ValueError, TypeError, AttributeError, AssertionError, NotImplementedError):
        return "", "", ()
