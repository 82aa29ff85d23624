"""Schemas of the tables that belong to a release: its own table, a register of the population, corrupted people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from voile.errors import SpecError, option
from voile.releases.release import Release
from voile.tables.hierarchy import HierarchyRecipe
from voile.tables.schema import Schema
from voile.tables.steering.steer import Steer
from voile.tables.steering.value_coding import coding_of, read_wishes
from voile.tables.unit import PERSON_COLUMN


def table_schema(
    release: Release,
    hierarchies: Mapping[str, Any] | None = None,
    person: str | None = None,
    guarding: Mapping[str, str] | None = None,
) -> Schema:
    """The schema that a release was made with, as far as its dictionary tells: enough to read its table again.

    Which column tells people apart is not published, so `person` must name it where the release was made with one:
    otherwise the rows of the table would be compared with people. Nor is the column of guarding nodes (`guarding`);
    the hierarchy that they belong to is the published one, unless another is given.
    """
    if person is None and release.unit.basis == PERSON_COLUMN:
        raise SpecError(
            "The release was made from a table in which a column tells people apart, and the release does not say "
            "which one.",
            code="spec.person",
            hint=f"Name the column, e.g. {option('person', 'patient_id')}.",
        )
    entries = release.dictionary["columns"]
    by_role: dict[str, list[str]] = {"quasi": [], "sensitive": [], "other": []}
    weight = release.weight_name
    for entry in entries:
        if entry["name"] != weight:
            by_role[str(entry["role"])].append(str(entry["name"]))
    return Schema(
        quasi=by_role["quasi"],
        sensitive=by_role["sensitive"],
        other=by_role["other"],
        confirmed=by_role["other"],  # they are published already
        weight=weight,
        kinds=_kinds(entries),
        domains={str(entry["name"]): entry["domain"]["values"] for entry in entries if _is_declared(entry)},
        hierarchies={**_published_hierarchies(entries, guarding or {}), **_hierarchies_of(entries, hierarchies)},
        guarding=guarding or {},
        steering=_steering_of(entries, hierarchies or {}),
        quasi_sets=release.dictionary.get("quasi_sets", ()),
        missing="value" if release.dictionary.get("missing") == "value" else "drop",
        person=person,
        rows_per_person=release.unit.rows,
    )


def _published_hierarchies(entries: list[Mapping[str, Any]], guarding: Mapping[str, str]) -> dict[str, Any]:
    """The hierarchies that the dictionary shows of columns whose nodes people guard."""
    return {
        str(entry["name"]): HierarchyRecipe("rows", content=entry["hierarchy"])
        for entry in entries
        if entry["name"] in guarding and "hierarchy" in entry
    }


def register_schema(release: Release, hierarchies: Mapping[str, Any] | None = None) -> Schema:
    """The schema of a register of the population: the quasi-identifier columns alone, without a survey weight."""
    entries = [entry for entry in release.described("quasi") if entry["name"] != release.weight_name]
    names = [str(entry["name"]) for entry in entries]
    return Schema(
        quasi=names,
        kinds=_kinds(entries),
        hierarchies=_hierarchies_of(entries, hierarchies),
        steering=_codings_of(entries),
        missing="drop",
    )


def corrupted_schema(release: Release) -> Schema:
    """The schema of a table of people whose values are known: quasi-identifier and sensitive columns. An empty
    sensitive cell means that the person is not in the release."""
    entries = [*release.described("quasi"), *release.described("sensitive")]
    quasi, sensitive = (
        [str(entry["name"]) for entry in entries if entry["role"] == role] for role in ("quasi", "sensitive")
    )
    return Schema(quasi, sensitive, kinds=_kinds(entries), steering=_codings_of(entries), missing="value")


def _steering_of(entries: list[Mapping[str, Any]], hierarchies: Mapping[str, Any]) -> dict[str, Steer]:
    """The wishes of columns; levels only where the hierarchy is given that they belong to."""
    wishes = {str(entry["name"]): read_wishes(entry) for entry in entries if "steering" in entry}
    return {
        name: steer if name in hierarchies or not steer.has_levels else replace(steer, finest=0, coarsest=None)
        for name, steer in wishes.items()
    }


def _codings_of(entries: list[Mapping[str, Any]]) -> dict[str, Steer]:
    """How the values of columns are coded: whoever compares other values with them codes those too."""
    return {str(entry["name"]): coding_of(read_wishes(entry)) for entry in entries if "coded" in entry}


def _kinds(entries: list[Mapping[str, Any]]) -> dict[str, str]:
    return {str(entry["name"]): str(entry["kind"]) for entry in entries}


def _hierarchies_of(entries: list[Mapping[str, Any]], hierarchies: Mapping[str, Any] | None) -> dict[str, Any]:
    """The hierarchies of these columns; a folder of hierarchies may hold those of other columns too."""
    names = {str(entry["name"]) for entry in entries}
    return {name: hierarchy for name, hierarchy in (hierarchies or {}).items() if name in names}


def _is_declared(entry: Mapping[str, Any]) -> bool:
    """Whether the dictionary lists a declared domain. Other lists have only the values that cells name, and an
    indicator stands in place of the values: it is not their domain."""
    return entry["domain"].get("declared") is True and entry.get("indicator") is not True
