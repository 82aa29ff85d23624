"""Wishes for single columns, as forms state them: changes before the table is read, and how columns are coarsened."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.datastructures import FormData

from voile.errors import SpecError
from voile.tables.steering.steer import parse_steer
from voile.web.form_labels import LABELS
from voile.web.forms import read_index

CODING = ("bottom", "top", "round")
FIELDS = ("tails", "weight", "finest", "coarsest", "mean", *CODING)


def read_preparation(form: FormData) -> dict[str, Any]:
    """Read the changes at the border, as `[prepare]` of a spec states them; empty fields are left out."""
    asked: dict[str, Any] = {name: read_pairs(form, name) for name in ("ages", "safe_harbor")}
    asked["shift_dates"] = [name.strip() for name in str(form.get("shift_dates", "")).split("|") if name.strip()]
    days, asked["on"] = str(form.get("shift_days", "")).strip(), str(form.get("on", "")).strip()
    if days:
        label = LABELS["shift_days"]
        if not re.fullmatch("[0-9]{1,9}", days):
            raise SpecError(f"“{label}” must be a whole number.", code="spec.prepare", hint="E.g. 182.")
        if not asked["shift_dates"]:
            hint = f"Fill “{LABELS['shift_dates']}”, or leave it out."
            raise SpecError(f"“{label}” has no effect here.", code="spec.unused-option", hint=hint)
        asked["shift_days"] = int(days)
    return {name: value for name, value in asked.items() if value}


def read_pairs(form: FormData, field: str) -> dict[str, str]:
    """Read pairs such as birth=2026-01-01|died=2026-01-01."""
    pairs = [text.partition("=") for text in str(form.get(field, "")).split("|") if text.strip()]
    return {name.strip(): value.strip() for name, _, value in pairs}


def read_quasi_sets(form: FormData) -> list[list[str]]:
    """Read sets of columns, one per line, with commas between the names."""
    lines = str(form.get("quasi_sets", ""))[:10_000].splitlines()
    sets = [[name.strip() for name in line.split(",") if name.strip()] for line in lines]
    return [names for names in sets if names]


def read_weight(columns: Sequence[Mapping[str, Any]], form: FormData) -> dict[str, Any]:
    """Read which column is a survey weight, and whether it is withheld; nothing if none is chosen."""
    number = read_index(form.get("weight_column"), len(columns))
    if number is None:
        return {}
    return {"weight": columns[number]["name"]} | ({"withhold_weight": True} if form.get("withhold_weight") else {})


def read_steering(
    columns: Sequence[Mapping[str, Any]], form: FormData, schema: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Read the wishes of each column that is published; empty fields are no wishes. A column that nobody coarsens can
    only be coded: what its other fields say is left out, because the form shows them for every column."""
    steering: dict[str, dict[str, Any]] = {}
    for number, column in enumerate(columns):
        name = column["name"]
        quasi = name in schema.get("quasi", ()) or name == schema.get("weight")
        if not quasi and not any(name in schema.get(role, ()) for role in ("sensitive", "other")):
            continue
        allowed = FIELDS[1:] if quasi else (*CODING, "tails") if name in schema.get("sensitive", ()) else CODING
        typed = {what: str(form.get(f"{what}.{number}", "")).strip() for what in FIELDS if what in allowed}
        wishes: dict[str, Any] = {what: text for what, text in typed.items() if text}
        if quasi and form.get(f"by_rank.{number}"):
            wishes["by_rank"] = True
        stated = parse_steer(name, wishes).as_json() if wishes else {}
        steering |= {name: stated} if stated else {}
    return steering
