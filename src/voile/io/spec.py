"""The request as text: spec.toml, and the command line's short form `name:parameter=value,parameter=value`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voile.errors import SpecError, raise_together

SECTIONS = {
    "schema": {"identifier", "quasi", "sensitive", "other", "missing", "hierarchies", "kinds", "domains"},
    "method": None,
    "release": {"format"},
    "read": {"delimiter", "encoding", "null_values", "query"},
    "policy": None,
}


@dataclass(frozen=True)
class Spec:
    """What a user asked for, before any of it is understood."""

    schema: Mapping[str, Any] = field(default_factory=dict)
    policy: tuple[Mapping[str, Any], ...] = ()
    method: Mapping[str, Any] = field(default_factory=dict)
    release: Mapping[str, Any] = field(default_factory=dict)
    read: Mapping[str, Any] = field(default_factory=dict)


def short(text: str) -> tuple[str, dict[str, Any]]:
    """A plug-in in the command line's form.

    >>> short("l-diversity:l=3,form=entropy")
    ('l-diversity', {'l': '3', 'form': 'entropy'})
    """
    name, _, rest = text.partition(":")
    knobs: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        key, sign, value = part.partition("=")
        if not sign:
            raise SpecError(
                f"{text!r} has a part without '='.",
                code="spec.short",
                hint="Write name:parameter=value,parameter=value.",
            )
        knobs[key.strip()] = value.strip()
    return name.strip(), knobs


def load(path: Path) -> Spec:
    """A spec.toml. All faults of its outline are raised together; paths in it are relative to the file."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SpecError(f"There is no file {path.name!r}.", code="spec.file", hint="Check the path.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"{path.name!r} cannot be read ({type(error).__name__}).", code="spec.file") from None
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"{path.name!r} is not TOML: {error}.", code="spec.toml") from None
    problems: list[SpecError] = []
    for section, content in raw.items():
        if section not in SECTIONS:
            known = ", ".join(SECTIONS)
            problems.append(
                SpecError(
                    f"{path.name!r} has an unknown part {section!r}.", code="spec.section", hint=f"Known: {known}."
                )
            )
            continue
        allowed = SECTIONS[section]
        for key in content if allowed else ():
            if allowed and key not in allowed:
                hint = f"It may hold: {', '.join(sorted(allowed))}."
                problems.append(SpecError(f"[{section}] has an unknown key {key!r}.", code="spec.key", hint=hint))
    policy = raw.get("policy", [])
    if isinstance(policy, dict):
        policy = [policy]
    for number, item in enumerate(policy, 1):
        if "model" not in item:
            problems.append(SpecError(f"[[policy]] number {number} names no model.", code="spec.policy"))
    if "method" in raw and "name" not in raw["method"]:
        problems.append(SpecError("[method] has no name.", code="spec.method"))
    raise_together(problems)
    schema = dict(raw.get("schema", {}))
    schema["hierarchies"] = {column: _beside(path, wanted) for column, wanted in schema.get("hierarchies", {}).items()}
    return Spec(schema, tuple(policy), raw.get("method", {}), raw.get("release", {}), raw.get("read", {}))


def _beside(path: Path, wanted: Any) -> Any:
    """A hierarchy file is looked for beside the spec."""
    if isinstance(wanted, str) and (path.parent / wanted).is_file():
        return str(path.parent / wanted)
    return wanted


def table_of(folder: Path) -> dict[str, str]:
    """The hierarchy files of a folder by column."""
    if not folder.is_dir():
        raise SpecError(
            f"There is no folder {folder.name!r}.", code="spec.hierarchies", hint="Name a folder of CSV files."
        )
    return {path.stem: str(path) for path in sorted(folder.glob("*.csv"))}
