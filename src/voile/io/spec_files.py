"""spec.toml: what a user asks for, as a file. Only its outline is checked here; `flow/request` gives it meaning."""

from __future__ import annotations

import datetime
import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voile.errors import SpecError, raise_together

SECTIONS = {
    "schema": {
        *("identifier", "quasi", "sensitive", "other", "undecided"),
        *("missing", "hierarchies", "kinds", "domains"),
        *("person", "rows_per_person", "rows_are"),
        *("weight", "withhold_weight", "confirmed", "guarding", "steering"),
        "quasi_sets",
    },
    "prepare": {"pseudonym", "ages", "shift_dates", "shift_days", "safe_harbor", "on"},
    "method": None,
    "release": {"format", "after", "ledger", "ends"},
    "read": {"delimiter", "encoding", "null_values", "query", "convert", "merge", "sheet"},
    "engine": {"engine", "memory", "master", "scratch"},
    "policy": None,
    "compare": {"methods", "attacks", "measures", "adversary", "by", "vary", "allow_lost", "synthetic"},
}


@dataclass(frozen=True)
class Spec:
    """What a user asked for, before any of it is interpreted."""

    schema: Mapping[str, Any] = field(default_factory=dict)
    policy: tuple[Mapping[str, Any], ...] = ()
    method: Mapping[str, Any] = field(default_factory=dict)
    release: Mapping[str, Any] = field(default_factory=dict)
    read: Mapping[str, Any] = field(default_factory=dict)
    engine: Mapping[str, Any] = field(default_factory=dict)
    compare: Mapping[str, Any] = field(default_factory=dict)
    prepare: Mapping[str, Any] = field(default_factory=dict)


def read_spec(path: Path) -> Spec:
    """Read a spec.toml. All faults of its outline are raised together; paths in it are relative to the file."""
    return make_spec(_read_toml(path), path)


def make_spec(sections: Mapping[str, Any], path: Path = Path("spec.toml")) -> Spec:
    """Make a spec from the sections of a spec.toml, which may also come from a form."""
    raise_together([*_unknown_parts(path, sections), *_malformed_parts(sections)])
    policy = sections.get("policy", [])
    schema = dict(sections.get("schema", {}))
    _refuse_undecided(path, schema.pop("undecided", []))
    if "hierarchies" in schema:
        schema["hierarchies"] = {name: _find_beside(path, value) for name, value in schema["hierarchies"].items()}
    policy = tuple(
        {key: _find_beside(path, value) if key == "prior" else value for key, value in item.items()}
        for item in ([policy] if isinstance(policy, dict) else policy)
    )
    release = dict(sections.get("release", {}))
    if "after" in release:
        release["after"] = [str(path.parent / folder) for folder in release["after"]]
    if "ledger" in release:
        release["ledger"] = str(path.parent / release["ledger"])
    others = [dict(sections.get(section, {})) for section in ("read", "engine", "compare", "prepare")]
    if "synthetic" in others[2]:
        others[2]["synthetic"] = [
            {**item, "file": _find_beside(path, item["file"])} if isinstance(item, dict) and "file" in item else item
            for item in others[2]["synthetic"]
        ]
    return Spec(schema, policy, sections.get("method", {}), release, *others)


def _refuse_undecided(path: Path, undecided: list[str]) -> None:
    """Refuse a draft in which columns are still undecided: leaving them out must be a decision, too."""
    if undecided:
        names = ", ".join(map(repr, undecided))
        raise SpecError(
            f"{path.name!r} leaves columns undecided: {names}.",
            code="spec.undecided",
            hint="Move each into identifier, quasi, sensitive or other, or delete it from undecided to leave it out.",
        )


def _find_beside(path: Path, value: Any) -> Any:
    """Return the path of a file beside the spec if the value names one, else the value."""
    if isinstance(value, str) and (path.parent / value).is_file():
        return str(path.parent / value)
    return value


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise SpecError(f"There is no file {path.name!r}.", code="spec.file", hint="Check the path.") from None
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"{path.name!r} is not TOML: {error}.", code="spec.toml") from None
    except (OSError, ValueError) as error:
        raise SpecError(f"{path.name!r} cannot be read ({type(error).__name__}).", code="spec.file") from None
    except RecursionError:
        raise SpecError(f"{path.name!r} nests its values too deeply.", code="spec.toml") from None


def _unknown_parts(path: Path, sections: Mapping[str, Any]) -> list[SpecError]:
    problems = []
    for section, content in sections.items():
        if section not in SECTIONS:
            hint = _suggest(section, SECTIONS)
            problems.append(
                SpecError(f"{path.name!r} has an unknown section {section!r}.", code="spec.section", hint=hint)
            )
            continue
        allowed = SECTIONS[section]
        for key in content if allowed and isinstance(content, dict) else ():
            if allowed and key not in allowed:
                hint = _suggest(key, allowed)
                problems.append(SpecError(f"[{section}] has an unknown key {key!r}.", code="spec.key", hint=hint))
    return problems


def _suggest(name: str, known: Mapping[str, Any] | set[str]) -> str:
    similar = difflib.get_close_matches(name, known, n=1)
    return f"Did you mean {similar[0]!r}?" if similar else f"It may be: {', '.join(sorted(known))}."


def _malformed_parts(sections: Mapping[str, Any]) -> list[SpecError]:
    """List the entries of the wrong TOML type, section by section."""
    problems = [
        _wrong_type(f"{section} must be a table, [{section}].")
        for section in ("schema", "prepare", "method", "release", "read", "engine", "compare")
        if not isinstance(sections.get(section, {}), dict)
    ]
    policy = sections.get("policy", [])
    for number, item in enumerate(policy if isinstance(policy, list) else [policy], 1):
        if not isinstance(item, dict):
            problems.append(_wrong_type("policy must be tables, [[policy]]."))
        elif not isinstance(item.get("model"), str):
            problems.append(SpecError(f"[[policy]] number {number} names no model.", code="spec.policy"))
    method = sections.get("method", {"name": ""})
    if isinstance(method, dict) and not isinstance(method.get("name"), str):
        problems.append(SpecError("[method] has no name.", code="spec.method"))
    schema = sections.get("schema", {})
    for key in ("hierarchies", "kinds", "domains", "guarding", "steering") if isinstance(schema, dict) else ():
        if not isinstance(schema.get(key, {}), dict):
            problems.append(_wrong_type(f"{key} must be a table, [schema.{key}]."))
    for key in (
        ("identifier", "quasi", "sensitive", "other", "undecided", "confirmed") if isinstance(schema, dict) else ()
    ):
        if isinstance(schema.get(key), list) and not _is_text_list(schema[key]):
            problems.append(_wrong_type(f"[schema] {key} must be a list of column names."))
    release = sections.get("release", {})
    if isinstance(release, dict):
        if not _is_text_list(release.get("after", [])):
            problems.append(_wrong_type("[release] after must be a list of folders."))
        if not isinstance(release.get("ledger", ""), str):
            problems.append(_wrong_type("[release] ledger must be a text."))
        if not isinstance(release.get("ends", True), bool):
            problems.append(_wrong_type("[release] ends must be true or false."))
    reading = sections.get("read", {})
    for key, kind in (
        ("delimiter", str),
        ("encoding", str),
        ("query", str),
        ("null_values", list),
        ("merge", list),
    ):
        value = reading.get(key, kind()) if isinstance(reading, dict) else kind()
        if not (_is_text_list(value) if kind is list else isinstance(value, kind)):
            problems.append(_wrong_type(f"[read] {key} must be {'a list of texts' if kind is list else 'a text'}."))
    if isinstance(reading, dict) and type(reading.get("sheet", "")) not in (str, int):
        problems.append(_wrong_type("[read] sheet must be the name or the number of a sheet."))
    convert = reading.get("convert", {}) if isinstance(reading, dict) else {}
    if not isinstance(convert, dict) or not all(isinstance(value, str) for value in convert.values()):
        problems.append(_wrong_type("convert must be a table of texts, [read.convert].", 'E.g. birth = "day-first".'))
    engine = sections.get("engine", {})
    for key, value in engine.items() if isinstance(engine, dict) else ():
        if not isinstance(value, str):
            problems.append(_wrong_type(f"[engine] {key} must be a text."))
    return [
        *problems,
        *_malformed_preparation(sections.get("prepare", {})),
        *_malformed_comparison(sections.get("compare", {})),
    ]


def _malformed_preparation(prepare: Any) -> list[SpecError]:
    """Check the types of [prepare]; dates may be TOML dates or texts."""
    if not isinstance(prepare, dict):
        return []  # reported with the other sections
    problems = []
    if not isinstance(prepare.get("pseudonym", ""), str):
        problems.append(_wrong_type("[prepare] pseudonym must be the name of one column."))
    if not _is_text_list(prepare.get("shift_dates", [])):
        problems.append(_wrong_type("[prepare] shift_dates must be a list of column names."))
    if type(prepare.get("shift_days", 1)) is not int:
        problems.append(_wrong_type("[prepare] shift_days must be a whole number."))
    dates = [prepare.get("on", ""), *(prepare["ages"].values() if isinstance(prepare.get("ages"), dict) else [])]
    if not isinstance(prepare.get("ages", {}), dict) or not all(
        isinstance(date, (str, datetime.date)) for date in dates
    ):
        problems.append(_wrong_type("[prepare] ages must give a date for each column, and on must be a date."))
    rules = prepare.get("safe_harbor", {})
    if not isinstance(rules, dict) or not all(isinstance(rule, str) for rule in rules.values()):
        problems.append(_wrong_type("[prepare] safe_harbor must give a rule for each column."))
    return problems


def _malformed_comparison(compare: Any) -> list[SpecError]:
    """Check that [compare] has lists of plug-ins, each in short form or as a table with a name, and lists to vary."""
    if not isinstance(compare, dict):
        return []  # reported with the other sections
    problems = []
    for key in ("methods", "attacks", "measures"):
        plugins = compare.get(key, [])
        if not isinstance(plugins, list) or not all(map(_names_plugin, plugins)):
            hint = 'E.g. ["mondrian", "full-domain:suppression=0.05"].'
            problems.append(_wrong_type(f"[compare] {key} must be a list of names.", hint))
    adversary, measure, vary = compare.get("adversary", []), compare.get("by", ""), compare.get("vary", {})
    if not isinstance(adversary, str) and not _is_text_list(adversary):
        problems.append(_wrong_type("[compare] adversary must be a list of names."))
    if not isinstance(measure, str):
        problems.append(_wrong_type("[compare] by must be the name of a measure."))
    synthetic = compare.get("synthetic", [])
    if not isinstance(synthetic, list) or not all(isinstance(item, str) or _names_table(item) for item in synthetic):
        hint = (
            'E.g. [{file = "mst.csv", epsilon = 1}] or [{synthesizer = "mst", epsilon = 1, python = "ENV/bin/python"}].'
        )
        problems.append(_wrong_type("[compare] synthetic must list files, or synthesizers, with their epsilon.", hint))
    if not isinstance(compare.get("allow_lost", False), bool):
        problems.append(_wrong_type("[compare] allow_lost must be true or false."))
    if not isinstance(vary, dict) or not all(isinstance(values, list) and values for values in vary.values()):
        problems.append(_wrong_type("[compare] vary must give lists of values, e.g. k = [2, 5]."))
    return problems


def _names_plugin(item: Any) -> bool:
    return isinstance(item, str) or (isinstance(item, dict) and isinstance(item.get("name"), str))


def _names_table(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    names = {"file"} if "file" in item else {"synthesizer", "python"}
    texts = [item.get(name) for name in names] + [item.get("title", "")]
    return set(item) <= names | {"epsilon", "title"} and all(isinstance(text, str) for text in texts)


def _is_text_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _wrong_type(message: str, hint: str = "") -> SpecError:
    return SpecError(message, code="spec.type", hint=hint)
