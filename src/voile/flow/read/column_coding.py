"""Columns of a schema from their values: domains, hierarchies, and what missing cells mean."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from voile.errors import DataError, SchemaError, option, recipe
from voile.io import hierarchy_files
from voile.tables.domain import encode_column, infer_kind
from voile.tables.hierarchy import HierarchyRecipe, tree
from voile.tables.schema import Column, Schema
from voile.tables.value_text import MISSING


def missing_cells(counts: Mapping[str, int], schema: Schema) -> bool:
    """Whether rows with missing cells are to be left out. That is the user's choice; a clear error is the default."""
    lost = {name: count for name, count in counts.items() if count}
    if lost and schema.missing == "error":
        listed = ", ".join(f"{count} in {name!r}" for name, count in lost.items())
        raise DataError(
            f"The table has missing cells: {listed}.",
            code="data.missing",
            hint=f"Leave those rows out ({option('missing', 'drop')}), or treat missing as a value of its own "
            f"({option('missing', 'value')}).",
        )
    return bool(lost) and schema.missing == "drop"


def nothing_left() -> DataError:
    return DataError(
        "Every row has a missing cell.",
        code="data.no-rows",
        hint=f"Treat missing as a value of its own ({option('missing', 'value')}), or name fewer columns.",
    )


def column_of(
    name: str, values: pl.Series, schema: Schema, counts: np.ndarray | None = None
) -> tuple[Column, np.ndarray]:
    """A column with its domain and hierarchy, and the codes of the values, each of which stands for `counts` cells."""
    kind = schema.kinds.get(name) or infer_kind(values)
    domain, codes = encode_column(name, values, kind, schema.domains.get(name))
    if domain.missing and MISSING in domain.labels[:-1]:
        raise DataError(
            f"Column {name!r} holds the text {MISSING!r}, which stands for missing values.",
            code="data.missing-text",
            hint="Write it otherwise.",
        )
    hierarchy = None
    if name in schema.hierarchies:
        recipe = recipe_of(schema.hierarchies[name], name)
        hierarchy = recipe.fit(name, domain, np.bincount(codes, counts, domain.size).astype(np.int64))
    return Column(name, schema.role(name), domain, hierarchy), codes


def recipe_of(wanted: Any, column: str) -> HierarchyRecipe:
    """What a user may write for a hierarchy: a recipe, a nested dict, `prefixes:5,3,1`, `auto`, or a file."""
    if isinstance(wanted, HierarchyRecipe):
        return wanted
    if isinstance(wanted, Mapping):
        return tree(wanted)
    if isinstance(wanted, (str, Path)):
        text = str(wanted)
        name, _, arguments = text.partition(":")
        if name in ("prefixes", "intervals", "dates", "frequency", "auto"):
            try:
                numbers = tuple(float(part) for part in arguments.split(",") if part.strip())
            except ValueError:
                raise SchemaError(
                    f"The hierarchy {text!r} of {column!r} has an argument that is no number.",
                    code="schema.hierarchy",
                    hint=f"E.g. {recipe('prefixes', 5, 3, 1)}.",
                ) from None
            return HierarchyRecipe(name, numbers)
        return HierarchyRecipe("rows", content=hierarchy_files.read_hierarchy(Path(wanted)), source=text)
    raise SchemaError(
        f"The hierarchy of {column!r} is of type {type(wanted).__name__}.",
        code="schema.hierarchy",
        hint=f"Give a recipe such as {recipe('prefixes', 5, 3, 1)}, a tree of labels, or the path of a CSV.",
    )
