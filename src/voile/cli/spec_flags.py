"""What flags ask for, on top of a spec: the flags win."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voile.cli.flags import pair, public_values


def named_part(key: str, text: str) -> dict[str, Any]:
    """A model or a method as a spec writes it: its name under `key`, beside its knobs."""
    from voile.plugins.parameters import parse_short_form

    name, knobs = parse_short_form(text)
    return {key: name, **knobs}


def described(schema: dict[str, Any], kinds: list[str], domains: list[str], trees: Path | None) -> dict[str, Any]:
    """The schema with what the flags say of single columns; a hierarchy of a column without a role is left out."""
    from voile.io.hierarchy_files import find_hierarchies

    told: dict[str, dict[str, Any]] = {}
    if kinds:
        told["kinds"] = dict(pair(item) for item in kinds)
    if domains:
        told["domains"] = dict(public_values(item) for item in domains)
    if trees is not None:
        listed = [name for role in ("quasi", "sensitive", "other") for name in schema.get(role, ())]
        told["hierarchies"] = {name: path for name, path in find_hierarchies(trees).items() if name in listed}
    return schema | {what: {**schema.get(what, {}), **columns} for what, columns in told.items()}


def overruled(schema: Mapping[str, Any], roles: dict[str, list[str]]) -> dict[str, Any]:
    """The schema of a spec under the roles given as flags: what a flag names or leaves out follows the flag."""
    named = {name for names in roles.values() for name in names}
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("identifier", "quasi", "sensitive", "other") and isinstance(value, list):
            result[key] = [name for name in value if name not in named]
        else:
            result[key] = value
    result |= roles
    left = {name for role in roles for name in schema.get(role, ()) if name not in named}
    for what in ("kinds", "domains", "hierarchies"):
        if isinstance(result.get(what), dict):
            result[what] = {name: value for name, value in result[what].items() if name not in left}
    return result
