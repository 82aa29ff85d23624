"""The request as text: spec.toml, and the command line's short form `name:parameter=value,parameter=value`."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voile.errors import SpecError, raise_together

SECTIONS = {
    "schema": {"identifier", "quasi", "sensitive", "other", "missing", "hierarchies", "kinds", "domains", "person"},
    "method": None,
    "release": {"format", "after", "ledger"},
    "read": {"delimiter", "encoding", "null_values", "query"},
    "engine": {"engine", "memory", "master", "scratch"},
    "policy": None,
    "compare": {"methods", "attacks", "measures", "adversary", "by", "vary"},
}


@dataclass(frozen=True)
class Spec:
    """What a user asked for, before any of it is understood."""

    schema: Mapping[str, Any] = field(default_factory=dict)
    policy: tuple[Mapping[str, Any], ...] = ()
    method: Mapping[str, Any] = field(default_factory=dict)
    release: Mapping[str, Any] = field(default_factory=dict)
    read: Mapping[str, Any] = field(default_factory=dict)
    engine: Mapping[str, Any] = field(default_factory=dict)
    compare: Mapping[str, Any] = field(default_factory=dict)


def load(path: Path) -> Spec:
    """A spec.toml. All faults of its outline are raised together; paths in it are relative to the file."""
    return outlined(_toml(path), path)


def outlined(raw: Mapping[str, Any], path: Path = Path("spec.toml")) -> Spec:
    """A spec from the parts of a spec.toml, e.g. those that a form holds."""
    problems = [*_unknown_parts(path, raw), *_misshaped_parts(raw)]
    raise_together(problems)
    policy = raw.get("policy", [])
    schema = dict(raw.get("schema", {}))
    if "hierarchies" in schema:
        schema["hierarchies"] = {name: _beside(path, wanted) for name, wanted in schema["hierarchies"].items()}
    policy = tuple(
        {key: _beside(path, value) if key == "prior" else value for key, value in item.items()}
        for item in ([policy] if isinstance(policy, dict) else policy)
    )
    release = dict(raw.get("release", {}))
    if "after" in release:
        release["after"] = [str(path.parent / place) for place in release["after"]]
    if "ledger" in release:
        release["ledger"] = str(path.parent / release["ledger"])
    parts = (raw.get(part, {}) for part in ("read", "engine", "compare"))
    return Spec(schema, policy, raw.get("method", {}), release, *parts)


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise SpecError(f"There is no file {path.name!r}.", code="spec.file", hint="Check the path.") from None
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"{path.name!r} is not TOML: {error}.", code="spec.toml") from None
    except (OSError, ValueError) as error:
        raise SpecError(f"{path.name!r} cannot be read ({type(error).__name__}).", code="spec.file") from None


def _unknown_parts(path: Path, raw: Mapping[str, Any]) -> list[SpecError]:
    problems = []
    for section, content in raw.items():
        if section not in SECTIONS:
            hint = _nearest(section, SECTIONS)
            problems.append(
                SpecError(f"{path.name!r} has an unknown part {section!r}.", code="spec.section", hint=hint)
            )
            continue
        allowed = SECTIONS[section]
        for key in content if allowed and isinstance(content, dict) else ():
            if allowed and key not in allowed:
                hint = _nearest(key, allowed)
                problems.append(SpecError(f"[{section}] has an unknown key {key!r}.", code="spec.key", hint=hint))
    return problems


def _nearest(name: str, known: Mapping[str, Any] | set[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"Did you mean {near[0]!r}?" if near else f"It may be: {', '.join(sorted(known))}."


def _misshaped_parts(raw: Mapping[str, Any]) -> list[SpecError]:
    problems = []
    for section in ("schema", "method", "release", "read", "engine", "compare"):
        if not isinstance(raw.get(section, {}), dict):
            problems.append(SpecError(f"{section} must be a table, [{section}].", code="spec.type"))
    policy = raw.get("policy", [])
    models = policy if isinstance(policy, list) else [policy]
    for number, item in enumerate(models, 1):
        if not isinstance(item, dict):
            problems.append(SpecError("policy must be tables, [[policy]].", code="spec.type"))
        elif not isinstance(item.get("model"), str):
            problems.append(SpecError(f"[[policy]] number {number} names no model.", code="spec.policy"))
    method = raw.get("method", {"name": ""})
    if isinstance(method, dict) and not isinstance(method.get("name"), str):
        problems.append(SpecError("[method] has no name.", code="spec.method"))
    schema = raw.get("schema", {})
    for key in ("hierarchies", "kinds", "domains") if isinstance(schema, dict) else ():
        if not isinstance(schema.get(key, {}), dict):
            problems.append(SpecError(f"{key} must be a table, [schema.{key}].", code="spec.type"))
    release = raw.get("release", {})
    if isinstance(release, dict):
        after = release.get("after", [])
        if not isinstance(after, list) or not all(isinstance(place, str) for place in after):
            problems.append(SpecError("[release] after must be a list of folders.", code="spec.type"))
        if not isinstance(release.get("ledger", ""), str):
            problems.append(SpecError("[release] ledger must be a text.", code="spec.type"))
    reading = raw.get("read", {})
    for key, kind in (("delimiter", str), ("encoding", str), ("query", str), ("null_values", list)):
        if isinstance(reading, dict) and not isinstance(reading.get(key, kind()), kind):
            what = "a list of texts" if kind is list else "a text"
            problems.append(SpecError(f"[read] {key} must be {what}.", code="spec.type"))
    engine = raw.get("engine", {})
    for key, value in engine.items() if isinstance(engine, dict) else ():
        if not isinstance(value, str):
            problems.append(SpecError(f"[engine] {key} must be a text.", code="spec.type"))
    return problems + _misshaped_comparison(raw.get("compare", {}))


def _misshaped_comparison(compare: Any) -> list[SpecError]:
    """Lists of plug-ins, each in the short form or as a table with a name; lists of values to vary."""
    if not isinstance(compare, dict):
        return []  # said before
    problems = []
    for key in ("methods", "attacks", "measures"):
        listed = compare.get(key, [])
        fine = isinstance(listed, list) and all(
            isinstance(item, str) or (isinstance(item, dict) and isinstance(item.get("name"), str)) for item in listed
        )
        if not fine:
            hint = 'E.g. ["mondrian", "full-domain:suppression=0.05"].'
            problems.append(SpecError(f"[compare] {key} must be a list of names.", code="spec.type", hint=hint))
    adversary, by, vary = compare.get("adversary", []), compare.get("by", ""), compare.get("vary", {})
    if not isinstance(adversary, str) and not (
        isinstance(adversary, list) and all(isinstance(item, str) for item in adversary)
    ):
        problems.append(SpecError("[compare] adversary must be a list of names.", code="spec.type"))
    if not isinstance(by, str):
        problems.append(SpecError("[compare] by must be the name of a measure.", code="spec.type"))
    if not isinstance(vary, dict) or not all(isinstance(values, list) and values for values in vary.values()):
        problems.append(SpecError("[compare] vary must give lists of values, e.g. k = [2, 5].", code="spec.type"))
    return problems


def _beside(path: Path, wanted: Any) -> Any:
    """A hierarchy file is looked for beside the spec."""
    if isinstance(wanted, str) and (path.parent / wanted).is_file():
        return str(path.parent / wanted)
    return wanted
