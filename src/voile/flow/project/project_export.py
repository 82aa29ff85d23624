"""A project as a file without data, to send to a colleague: only what is known to be no cell is written.

Kept are roles and other names of columns, numbers, choices among given words, recipes of hierarchies, and how the file
is read (among it the texts that mean missing). Hierarchies and domains that list values, free texts of models and
methods, queries, paths and engines are left out, and named as such.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from voile.errors import DataError, VoileError
from voile.io.safe_writing.file_replacement import replace_files
from voile.io.spec_files import make_spec
from voile.io.toml_writing import render_toml
from voile.plugins.registry import find_class, knob_fields
from voile.tables.hierarchy import RECIPES

KIND, FORMAT = "voile project", 1
_RECIPE = re.compile(rf"({'|'.join(RECIPES)})(:[0-9., ]{{0,100}})?")
_KEPT = {
    "schema": {
        *("identifier", "quasi", "sensitive", "other", "missing", "kinds", "person", "rows_per_person", "rows_are"),
        *("weight", "withhold_weight", "confirmed", "guarding", "steering", "quasi_sets"),
    },
    "prepare": {"pseudonym", "ages", "shift_dates", "shift_days", "safe_harbor", "on"},
    "release": {"format", "ends"},
    "read": {"delimiter", "encoding", "null_values", "convert", "merge", "sheet"},
}


def write_export(path: Path, name: str, specs: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Write the specs of a project to a file, without data; return what was left out, each with its table."""
    left_out: list[str] = []
    tables = []
    for table, sections in specs.items():
        kept = {}
        for part, content in sections.items():
            kept[part] = _keep_section(part, content, _list_columns(sections), f"{table}: ", left_out)
        tables.append({"name": table, "spec": {part: content for part, content in kept.items() if content}})
    body = {"kind": KIND, "format": FORMAT, "name": name, "tables": tables}
    try:
        replace_files({path: render_toml(body).encode()}, private=True)
    except OSError as error:
        raise DataError(
            f"The project cannot be written to {path.name!r} ({error.strerror}).",
            code="data.write",
            hint="Check the free space and the permissions there.",
        ) from None
    return left_out


def _keep_section(part: str, content: Any, columns: set[str], where: str, left_out: list[str]) -> Any:
    if part in ("policy", "method"):
        name_key, family = ("model", "models") if part == "policy" else ("name", "methods")
        entries = [content] if isinstance(content, Mapping) else content
        kept = [_keep_knobs(family, name_key, entry, columns, where, left_out) for entry in entries if entry]
        return kept if part == "policy" else (kept or [{}])[0]
    known = _KEPT.get(part, set())
    left_out += [f"{where}[{part}] {key}" for key in content if key not in known and key != "hierarchies"]
    section = {key: value for key, value in content.items() if key in known}
    if part == "schema":
        trees = content.get("hierarchies", {})
        recipes = {name: tree for name, tree in trees.items() if isinstance(tree, str) and _RECIPE.fullmatch(tree)}
        left_out += [f"{where}the hierarchy of {name}" for name in trees if name not in recipes]
        section |= {"hierarchies": recipes} if recipes else {}
    return section


def _keep_knobs(
    family: str, name_key: str, entry: Mapping[str, Any], columns: set[str], where: str, left_out: list[str]
) -> dict[str, Any]:
    """Keep the numbers of a model or a method, the words that are choices of its own, and names of columns."""
    name = str(entry[name_key])
    try:
        choices = {
            knob.name: limits.choices
            for knob in knob_fields(find_class(family, name))
            if (limits := knob.metadata.get("limits"))
        }
    except VoileError:
        choices = {}  # a plug-in that is not loaded here
    kept: dict[str, Any] = {name_key: name}
    for key, value in entry.items():
        if isinstance(value, (bool, int, float)) or value in choices.get(key, ()) or _is_column(key, value, columns):
            kept[key] = value
        elif key != name_key:
            left_out.append(f"{where}{key} of {name}")
    return kept


def _is_column(key: str, value: Any, columns: set[str]) -> bool:
    return key == "column" and isinstance(value, str) and value in columns


def _list_columns(sections: Mapping[str, Any]) -> set[str]:
    schema = sections.get("schema", {})
    return {name for role in ("identifier", "quasi", "sensitive", "other") for name in schema.get(role, ())}


def read_export(path: Path) -> tuple[str, dict[str, dict[str, Any]]]:
    """Read an exported file: the name of the project, and the spec of each table. Nothing in it is believed."""
    try:
        body = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{path.name!r} cannot be read ({error.strerror}).", code="data.project-file") from None
    except (ValueError, RecursionError):
        raise _no_export(path) from None
    if body.get("kind") != KIND or type(body.get("format")) is not int:
        raise _no_export(path)
    if body["format"] > FORMAT:
        raise DataError(
            f"{path.name!r} was exported by a newer version of voile.",
            code="data.project-version",
            hint="Import it with that version, or a newer one.",
        )
    tables = body.get("tables", [])
    if not isinstance(body.get("name"), str) or not isinstance(tables, list) or not all(map(_is_table, tables)):
        raise _no_export(path)
    specs = {table["name"]: table.get("spec", {}) for table in tables}
    for sections in specs.values():
        make_spec(sections, path)
        if any(_list_paths(sections)):
            raise _no_export(path)
    return body["name"], specs


def _is_table(table: Any) -> bool:
    return isinstance(table, dict) and isinstance(table.get("name"), str) and isinstance(table.get("spec", {}), dict)


def _list_paths(sections: Mapping[str, Any]) -> Iterator[str]:
    """List entries that may name a file of whoever imports this: an export never has any."""
    trees = sections.get("schema", {}).get("hierarchies", {})
    yield from (name for name, tree in trees.items() if not isinstance(tree, str) or not _RECIPE.fullmatch(tree))
    yield from (part for part in sections if part not in (*_KEPT, "policy", "method"))
    yield from (key for part in _KEPT for key in sections.get(part, {}) if key not in {*_KEPT[part], "hierarchies"})
    policy = sections.get("policy", [])
    entries = [*([policy] if isinstance(policy, dict) else policy), sections.get("method", {})]
    yield from (key for entry in entries for key in entry if key == "prior")


def _no_export(path: Path) -> DataError:
    return DataError(
        f"{path.name!r} is not an exported project.", code="data.project-file", hint="Export the project again."
    )
