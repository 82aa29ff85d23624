"""What every plug-in must be, whatever its family: a frozen dataclass, registered, with knobs that survive text."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, TypeVar

from voile.plugins.registry import Plugin, build_plugin, registered_classes

LIMITS = ("identity", "belief", "protected belief", "gain", "privacy loss", "distance")
Given = TypeVar("Given", bound=Plugin)


def require(plugin: Plugin, fine: bool, complaint: str) -> None:
    """Raise AssertionError with the plug-in and what is wrong with it, unless everything is fine."""
    if not fine:
        raise AssertionError(f"{plugin!r}: {complaint}.")


def example_of(given: Given | type[Given]) -> Given:
    """Return an object of a class: knobs without a default get a value within their limits."""
    if not isinstance(given, type):
        return given
    knobs: dict[str, Any] = {}
    for field in dataclasses.fields(given):
        limits = field.metadata.get("limits")
        if limits and field.default is dataclasses.MISSING:
            usual = limits.low if limits.low is not None else limits.high / 2 if limits.high is not None else 1
            usual = usual if limits.above is None or usual > limits.above else limits.above + 0.5
            knobs[field.name] = limits.choices[0] if limits.choices else usual
    return given(**knobs)


def check_plugin(plugin: Plugin) -> None:
    """Check what all families share: a frozen dataclass, registered by name, whose knobs survive JSON and text."""
    cls, knobs = type(plugin), plugin.parameters()
    require(plugin, getattr(vars(cls).get("__dataclass_params__"), "frozen", False), "it must be a frozen dataclass")
    require(
        plugin, registered_classes(plugin.family).get(plugin.name) is cls, f"it is not registered as {plugin.name!r}"
    )
    bare = (cls.__doc__ or "").partition(f"{cls.__name__}(")[0] == ""  # a dataclass writes its signature
    require(plugin, not bare, "it needs a docstring")
    words = {key: _words(value) for key, value in knobs.items() if value not in (None, [], {})}
    for way, sent in (("JSON", json.loads(json.dumps(knobs))), ("the command line", words)):
        require(plugin, build_plugin(plugin.family, plugin.name, sent) == plugin, f"its knobs must survive {way}")


def _words(value: Any) -> str:
    """Write a knob as the command line does."""
    if isinstance(value, dict) and "name" in value:  # a plug-in within a plug-in
        inner = [f"{key}={_words(item)}" for key, item in value.items() if key != "name" and item not in (None, [], {})]
        return f"{value['name']}:{';'.join(inner)}"
    if isinstance(value, dict):
        value = [f"{name}={one}" for name, one in value.items()]
    return "|".join(map(str, value)) if isinstance(value, list) else str(value)
