"""Combine flags with a spec: the flags win."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voile.cli.flags import EngineOptions, ReadOptions, SchemaOptions, parse_domain, parse_pair, split_names
from voile.cli.unused_options import refuse_unused_reading
from voile.errors import SpecError

if TYPE_CHECKING:
    from voile.flow.request.request import Request
    from voile.io.spec_files import Spec
    from voile.tables.microdata import Microdata

ROLES = ("identifier", "quasi", "sensitive", "other")
PEOPLE = ("person", "rows_per_person", "rows_are")


def parse_plugin(name_key: str, text: str) -> dict[str, Any]:
    """Parse a model or a method into its entry in a spec: its name under `name_key`, beside its knobs."""
    from voile.plugins.parameters import parse_short_form

    name, knobs = parse_short_form(text)
    return {name_key: name, **knobs}


def combine_spec(
    spec: Path | Spec | None,
    schema_options: SchemaOptions,
    models: Sequence[str] | None,
    method: str | None,
    read_options: ReadOptions,
    engine_options: EngineOptions,
) -> Spec:
    """Read a spec, if there is one, and replace what the flags say otherwise."""
    from voile.io.spec_files import Spec, read_spec

    base = read_spec(spec) if isinstance(spec, Path) else spec or Spec()
    return replace(
        base,
        schema=combine_schema(base.schema, schema_options),
        policy=tuple(parse_plugin("model", text) for text in models or ()) or base.policy,
        method=parse_plugin("name", method) if method else base.method,
        read=combine_reading(base.read, read_options),
        engine={**base.engine, **engine_options},
    )


def combine_reading(read: Mapping[str, Any], flags: ReadOptions) -> dict[str, Any]:
    """Replace the parts of [read] that the flags name; readings are replaced column by column."""
    convert = {**read.get("convert", {}), **flags.get("convert", {})}
    return {**read, **flags, **({"convert": convert} if convert else {})}


def combine_schema(schema: Mapping[str, Any], flags: SchemaOptions) -> dict[str, Any]:
    """Replace the parts of a schema that the flags name."""
    lists = {name: split_names(flags[name]) for name in (*ROLES, "confirmed") if name in flags}
    roles = {name: lists[name] for name in ROLES if name in lists}
    combined = override_roles(schema, roles, {name: flags[name] for name in PEOPLE if name in flags})
    combined |= {name: flags[name] for name in ("missing", "weight", "withhold_weight") if name in flags}
    combined |= {"confirmed": lists["confirmed"]} if "confirmed" in lists else {}
    combined |= {"guarding": dict(map(parse_pair, flags["guarding"]))} if flags.get("guarding") else {}
    if flags.get("quasi_sets"):
        combined["quasi_sets"] = [split_names(text) for text in flags["quasi_sets"]]
    if flags.get("steering"):
        combined["steering"] = {**combined.get("steering", {}), **parse_steering(flags["steering"])}
    combined = add_column_flags(combined, flags.get("kind"), flags.get("domain"), flags.get("hierarchies"))
    recipes = dict(map(parse_pair, flags.get("hierarchy") or ()))
    return combined | ({"hierarchies": {**combined.get("hierarchies", {}), **recipes}} if recipes else {})


def parse_steering(texts: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Parse wishes for columns, each in the form COLUMN:weight=2,top=90; the last colon ends the column's name.

    >>> parse_steering(["age:top=90,round=5"])
    {'age': {'top': '90', 'round': '5'}}
    """
    from voile.plugins.parameters import parse_short_form

    wishes: dict[str, dict[str, Any]] = {}
    for text in texts:
        name, colon, rest = text.rpartition(":")
        if not colon or not name.strip():
            raise SpecError(f"{text!r} names no column.", code="spec.pair", hint="Write COLUMN:weight=2,coarsest=1.")
        wishes.setdefault(name.strip(), {}).update(parse_short_form(f":{rest}")[1])
    return wishes


def add_column_flags(
    schema: dict[str, Any], kinds: list[str] | None, domains: list[str] | None, hierarchies: Path | None
) -> dict[str, Any]:
    """Add the flags about single columns to a schema; hierarchies of columns without a role are left out."""
    from voile.io.hierarchy_files import find_hierarchies

    flags: dict[str, dict[str, Any]] = {}
    if kinds:
        flags["kinds"] = dict(map(parse_pair, kinds))
    if domains:
        flags["domains"] = dict(map(parse_domain, domains))
    if hierarchies is not None:
        listed = [name for role in ("quasi", "sensitive", "other") for name in schema.get(role, ())]
        listed += [schema["weight"]] if schema.get("weight") else []
        flags["hierarchies"] = {name: path for name, path in find_hierarchies(hierarchies).items() if name in listed}
    return schema | {part: {**schema.get(part, {}), **columns} for part, columns in flags.items()}


def override_roles(
    schema: Mapping[str, Any], roles: Mapping[str, list[str]], people: Mapping[str, Any]
) -> dict[str, Any]:
    """Replace roles of a schema by those of the flags: a column that a flag names or leaves out follows the flag.

    `people` are the flags that say whose a row is (person, rows_per_person, rows_are). A column of persons replaces the
    spec's word that every row is a person, and the other way round.
    """
    flagged = {name for names in roles.values() for name in names}
    person = {people["person"]} if "person" in people else set()
    replaced = {"rows_are"} if "person" in people else {"person", "rows_per_person"} if "rows_are" in people else set()
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ROLES and isinstance(value, list):
            result[key] = [name for name in value if name not in flagged | person]
        elif key not in replaced:
            result[key] = value
    result |= {**roles, **people}
    roleless = {name for role in roles for name in schema.get(role, ()) if name not in flagged} | (person - flagged)
    for part in ("kinds", "domains", "hierarchies", "steering"):
        if isinstance(result.get(part), dict):
            result[part] = {name: value for name, value in result[part].items() if name not in roleless}
    return result


def read_requested(
    combined: Spec, source: str, step: Callable[[int, int | None, str], None]
) -> tuple[Request, Microdata]:
    """Return what a spec asks for, and the table prepared and read as it says."""
    from voile.engines.selection import choose_engine
    from voile.flow.prepare.prepare import prepare_as_asked
    from voile.flow.read.read import read
    from voile.flow.request.request import read_request

    refuse_unused_reading(combined.read, source)
    request = read_request(combined)
    step(0, None, "read")
    engine, person = choose_engine(source, request.engine), request.schema.person
    table, reading = prepare_as_asked(source, combined.prepare, request.read, person=person, engine=engine)
    return request, read(table, request.schema, **reading, engine=engine)
