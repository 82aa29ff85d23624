"""Columns of a schema from their values: domains, hierarchies, and the meaning of missing cells."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from voile.errors import DataError, SchemaError, option, recipe
from voile.io import hierarchy_files
from voile.plugins.number_text import parse_number
from voile.tables.domain import build_domain, encode_values, infer_kind
from voile.tables.hierarchy import RECIPES, Hierarchy, HierarchyRecipe, tree
from voile.tables.roles.role_guessing import is_near_unique
from voile.tables.schema import Column, Columns, Schema
from voile.tables.steering.steer import Steer
from voile.tables.steering.value_coding import check_coding
from voile.tables.value_text import MISSING, count_lookalikes


def check_missing_cells(counts: Mapping[str, int], schema: Schema) -> None:
    """Refuse missing cells unless the schema says what they mean: that is the user's choice."""
    incomplete = {name: count for name, count in counts.items() if count}
    if incomplete and schema.missing == "error":
        listed = ", ".join(f"{count} in {name!r}" for name, count in incomplete.items())
        raise DataError(
            f"The table has missing cells: {listed}.",
            code="data.missing",
            hint=f"Leave those rows out ({option('missing', 'drop')}), or treat missing as a value of its own "
            f"({option('missing', 'value')}).",
        )


def check_near_unique(values: Mapping[str, pl.DataFrame], schema: Schema) -> None:
    """Refuse columns that would be published as they are although nearly every row has a value of its own."""
    found = []
    for name in (name for name in schema.other if name not in schema.confirmed):
        table = values[name].drop_nulls("value")
        filled = int(table["count"].sum())
        if is_near_unique(table.height, filled):
            found.append((name, f"{table.height:,} different values in {filled:,} rows of {name!r}"))
    if found:
        names = [name for name, _ in found]
        raise DataError(
            f"There are {' and '.join(text for _, text in found)}, which would be published as they are: nearly every "
            "row could be recognised by its value.",
            code="data.near-unique",
            hint=f"Mark such a column {option('identifier', names)} (never published) or {option('quasi', names)} "
            f"(coarsened), leave it out, or confirm that nobody can know its values: {option('confirmed', names)}.",
        )


def check_weights(name: str, table: pl.DataFrame) -> None:
    """Refuse weights that are not numbers above 0."""
    values = table["value"]
    if not values.dtype.is_numeric():
        raise DataError(
            f"The survey weight {name!r} does not hold numbers.",
            code="data.weight",
            hint="A weight says how many people of the population a row stands for.",
        )
    wrong = int(table.filter(pl.col("value") <= 0)["count"].sum())
    if wrong:
        raise DataError(
            f"{wrong:,} rows have a survey weight {name!r} that is not above 0.",
            code="data.weight",
            hint="Leave those rows out, or correct their weights: nobody stands for less than one part of a person.",
        )


def build_column(name: str, table: pl.DataFrame, schema: Schema) -> Column:
    """Build a column with its domain and hierarchy from a table of its values and how often each occurs (count)."""
    values, counts = table["value"], table["count"].to_numpy()
    if name == schema.weight:
        check_weights(name, table)
    kind = schema.kinds.get(name) or ("numeric" if name == schema.weight else infer_kind(values))
    steer = schema.steer(name)
    kind = "numeric" if kind == "date" and steer.round == "year" else kind
    check_coding(name, kind, values.dtype, steer)
    domain = build_domain(name, values, kind, schema.domains.get(name), counts)
    if domain.missing and MISSING in domain.labels[:-1]:
        raise DataError(
            f"Column {name!r} holds the text {MISSING!r}, which stands for missing values.",
            code="data.missing-text",
            hint="Write it otherwise.",
        )
    hierarchy = None
    if name in schema.hierarchies or steer.has_levels:
        hierarchy = parse_recipe(schema.hierarchies.get(name, "auto"), name).fit(
            name, domain, np.bincount(encode_values(domain, values), counts, domain.size).astype(np.int64)
        )
        check_levels(name, hierarchy, steer)
    return Column(name, schema.role(name), domain, hierarchy, name == schema.weight, steer=steer)


def check_levels(name: str, hierarchy: Hierarchy, steer: Steer) -> None:
    """Refuse levels that a hierarchy does not have."""
    for what, level in (("finest", steer.finest), ("coarsest", steer.coarsest)):
        if level is not None and level > hierarchy.height:
            raise SchemaError(
                f"The {what} level of {name!r} is {level}, and its hierarchy has the levels 0 to {hierarchy.height}.",
                code="schema.steering",
                hint="Name a level of the hierarchy; 0 is a single value, the highest is *.",
            )


def parse_recipe(hierarchy: Any, column: str) -> HierarchyRecipe:
    """Return the recipe for what a user wrote: a recipe, a nested dict, `prefixes:5,3,1`, `auto`, or a file."""
    if isinstance(hierarchy, HierarchyRecipe):
        return hierarchy
    if isinstance(hierarchy, Mapping):
        return tree(hierarchy)
    if isinstance(hierarchy, (str, Path)):
        text = str(hierarchy)
        name, _, arguments = text.partition(":")
        if name in RECIPES:
            try:
                numbers = tuple(parse_number(part) for part in arguments.split(",") if part.strip())
            except ValueError:
                raise SchemaError(
                    f"The hierarchy {text!r} of {column!r} has an argument that is not a number.",
                    code="schema.hierarchy",
                    hint=f"E.g. {recipe('prefixes', 5, 3, 1)}.",
                ) from None
            return HierarchyRecipe(name, numbers)
        _check_recipe_name(text, name, column)
        return HierarchyRecipe("rows", content=hierarchy_files.read_hierarchy(Path(hierarchy)), source=text)
    raise SchemaError(
        f"The hierarchy of {column!r} is of type {type(hierarchy).__name__}.",
        code="schema.hierarchy",
        hint=f"Give a recipe such as {recipe('prefixes', 5, 3, 1)}, a tree of labels, or the path of a CSV.",
    )


def _check_recipe_name(text: str, name: str, column: str) -> None:
    """Refuse what is nearly the name of a recipe, and no file."""
    near = [known for known in RECIPES if known.startswith(name.lower())] if len(name) > 2 else []
    near = near or difflib.get_close_matches(name.lower(), RECIPES, n=1)
    if near and Path(name).suffix == "" and not Path(text).exists():
        raise SchemaError(
            f"There is no hierarchy recipe {name!r} for {column!r}, and no such file.",
            code="schema.hierarchy",
            hint=f"Did you mean {near[0]!r}?",
        )


def list_grouped_columns(columns: Columns, schema: Schema) -> list[str]:
    """List the quasi-identifier columns whose categories are to be grouped by how alike their rows are."""
    recipes = {name: parse_recipe(schema.hierarchies[name], name).name for name in schema.hierarchies}
    return [
        column.name
        for column in columns.quasi
        if recipes.get(column.name) == "alike"
        or (recipes.get(column.name) == "auto" and not column.domain.uses_intervals and _is_by_frequency(column))
    ]


def _is_by_frequency(column: Column) -> bool:
    return column.hierarchy is not None and column.hierarchy.named_by_values


def check_lookalikes(column: Column) -> None:
    """Raise DataError if a sensitive column writes one value in several ways that look the same: they would count as
    different values, and promise a diversity that no reader sees."""
    if column.role != "sensitive" or column.domain.values.dtype not in (pl.String, pl.Enum):
        return
    alike = count_lookalikes(column.domain.values.cast(pl.String).to_list())
    if alike:
        raise DataError(
            f"{alike} values of {column.name!r} look like others: they differ only in blanks, invisible characters or "
            "variants of a letter.",
            code="data.lookalikes",
            hint="Write each value in one way before reading the table, e.g. without blanks at its ends.",
        )
