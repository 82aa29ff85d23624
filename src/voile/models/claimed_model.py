"""Claims of a certificate turned back into the models that make them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from voile.models.abilities import count_people
from voile.models.base import Model
from voile.plugins.registry import build_plugin, find_class, narrow_type
from voile.tables.unit import Unit


def claimed_model(claim: Mapping[str, Any]) -> Model:
    """Build the model that a claim names, as it applies to the claim's column and unit."""
    model = narrow_type(Model, build_plugin("models", str(claim["model"]), dict(claim["parameters"])))
    return count_people(model, Unit.parse(claim.get("unit")).rows)


def requested_model(claim: Mapping[str, Any]) -> Model:
    """Build the model as a user would request it: with the claim's column, if the model takes the name of one."""
    name, column = str(claim["model"]), claim["column"]
    takes_column = any(field.name == "column" for field in fields(find_class("models", name)))
    column_parameter = {"column": column} if takes_column and column is not None else {}
    return narrow_type(Model, build_plugin("models", name, {**claim["parameters"], **column_parameter}))
