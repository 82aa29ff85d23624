"""From a spec (a file, the command line, a web form) to a schema, a policy and a method. There is one parser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from voile.adversaries.prior import INDICATOR
from voile.errors import SpecError, raise_together
from voile.io.release_folder import check_format
from voile.io.spec_files import Spec
from voile.methods.base import Method
from voile.models.base import Model
from voile.models.policy import Policy
from voile.plugins.registry import build_plugin
from voile.releases.release import Release
from voile.tables.schema import Schema


@dataclass(frozen=True)
class Request:
    """A spec that has been understood."""

    schema: Schema
    policy: Policy
    method: Method | None
    format: str
    read: Mapping[str, Any]
    after: tuple[str, ...] = ()
    ledger: str | None = None
    engine: Mapping[str, Any] = field(default_factory=dict)


def request(spec: Spec) -> Request:
    """Understand a spec; all that is wrong with it is raised together."""
    problems: list[SpecError] = []

    def attempt(work: Any) -> Any:
        try:
            return work()
        except SpecError as error:
            problems.extend(cast(Sequence[SpecError], error.problems))
            return None

    schema = attempt(lambda: Schema(**spec.schema))  # its keys were checked where the spec was read
    models = []
    for item in spec.policy:
        knobs = {key: value for key, value in item.items() if key != "model"}
        models.append(attempt(lambda item=item, knobs=knobs: build_plugin("models", str(item["model"]), knobs)))
    policy = None
    if all(model is not None for model in models):
        policy = attempt(lambda: Policy(*cast(list[Model], models)))
    method = None
    if spec.method:
        knobs = {key: value for key, value in spec.method.items() if key != "name"}
        method = attempt(lambda: build_plugin("methods", str(spec.method["name"]), knobs))
    format = str(spec.release.get("format", "parquet"))
    attempt(lambda: check_format(format))
    raise_together(problems)
    after, ledger = tuple(map(str, spec.release.get("after", ()))), spec.release.get("ledger")
    kept = str(ledger) if ledger else None
    return Request(schema, cast(Policy, policy), method, format, spec.read, after, kept, spec.engine)


def schema_of(release: Release, hierarchies: Mapping[str, Any] | None = None) -> Schema:
    """The schema that a release was made with, as far as its dictionary tells: enough to read its table again."""
    entries = release.dictionary["columns"]
    by_role: dict[str, list[str]] = {"quasi": [], "sensitive": [], "other": []}
    for entry in entries:
        by_role[str(entry["role"])].append(str(entry["name"]))
    names = [name for role in by_role.values() for name in role]
    missing = "value" if any(entry["domain"].get("missing") for entry in entries) else "drop"
    return Schema(
        quasi=by_role["quasi"],
        sensitive=by_role["sensitive"],
        other=by_role["other"],
        kinds={str(entry["name"]): str(entry["kind"]) for entry in entries},
        domains={str(entry["name"]): entry["domain"]["values"] for entry in entries if _declared(release, entry)},
        hierarchies={name: wanted for name, wanted in (hierarchies or {}).items() if name in names},
        missing=missing,
    )


def _declared(release: Release, entry: Mapping[str, Any]) -> bool:
    """Whether reading the table again needs the listed values: for their order, or because some do not occur.

    Values of withheld rows are not listed, so a list is passed on only where it tells something.
    """
    listed = entry["domain"].get("values")
    if not listed or tuple(listed) == INDICATOR:  # what is shown in place of the values is not their domain
        return False
    if release.covers_domain or (entry["kind"] == "ordered" and entry["type"] == "String"):
        return True  # boxes reach to the ends of the domain, and values are redrawn from it
    homes = [table[entry["name"]] for table in release.tables.values() if entry["name"] in table.columns]
    return entry["shown"] == "exact" and all(home.drop_nulls().n_unique() < len(listed) for home in homes)


def population_schema(release: Release, hierarchies: Mapping[str, Any] | None = None) -> Schema:
    """The quasi-identifier columns alone, for an external table."""
    entries = release.described("quasi")
    names = [str(entry["name"]) for entry in entries]
    return Schema(
        quasi=names,
        kinds={str(entry["name"]): str(entry["kind"]) for entry in entries},
        hierarchies={name: wanted for name, wanted in (hierarchies or {}).items() if name in names},
        missing="drop",
    )


def corrupted_schema(release: Release) -> Schema:
    """Quasi-identifier and sensitive columns, for a table of people whose values are known; an empty sensitive cell
    means that the person is not in the table."""
    entries = [*release.described("quasi"), *release.described("sensitive")]
    quasi, sensitive = (
        [str(entry["name"]) for entry in entries if entry["role"] == role] for role in ("quasi", "sensitive")
    )
    return Schema(
        quasi, sensitive, kinds={str(entry["name"]): str(entry["kind"]) for entry in entries}, missing="value"
    )
