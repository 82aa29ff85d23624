"""The wishes for single columns, as the form of the step "mark" states them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.datastructures import FormData

from voile.tables.steering.steer import parse_steer

CODING = ("bottom", "top", "round")
FIELDS = ("weight", "finest", "coarsest", *CODING)


def read_quasi_sets(form: FormData) -> list[list[str]]:
    """Read sets of columns, one per line, with commas between the names."""
    lines = str(form.get("quasi_sets", ""))[:10_000].splitlines()
    sets = [[name.strip() for name in line.split(",") if name.strip()] for line in lines]
    return [names for names in sets if names]


def read_steering(
    columns: Sequence[Mapping[str, Any]], form: FormData, schema: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Read the wishes of each column that is published; empty fields are no wishes. A column that nobody coarsens can
    only be coded: what its other fields say is left out, because the form shows them for every column."""
    steering: dict[str, dict[str, Any]] = {}
    for number, column in enumerate(columns):
        name = column["name"]
        quasi = name in schema.get("quasi", ())
        if not quasi and not any(name in schema.get(role, ()) for role in ("sensitive", "other")):
            continue
        typed = {what: str(form.get(f"{what}.{number}", "")).strip() for what in FIELDS if quasi or what in CODING}
        wishes: dict[str, Any] = {what: text for what, text in typed.items() if text}
        if quasi and form.get(f"by_rank.{number}"):
            wishes["by_rank"] = True
        stated = parse_steer(name, wishes).as_json() if wishes else {}
        steering |= {name: stated} if stated else {}
    return steering
