"""The columns of a release in plain words: what each is for, what a cell of it means, and what cells look like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from voile.releases.release import Release

EXAMPLES = 2  # published cells of each column that are shown
VALUES = 8  # values of a column that are listed
LONG = 60  # characters of a cell that are shown
ROLES = {
    "quasi": "Others may know it about a person",
    "sensitive": "A secret of the person",
    "other": "Published as it is; no promise speaks of it",
}
SHOWN = {
    "exact": "Exact values.",
    "generalized": "Shown coarsely.",
    "suppressed": "Not shown: * in every row.",
}


def describe_columns(release: Release) -> list[dict[str, Any]]:
    """Describe each published column, from the dictionary and the published cells."""
    return [_describe_column(entry, release) for entry in release.dictionary["columns"]]


def _describe_column(entry: Mapping[str, Any], release: Release) -> dict[str, Any]:
    name, ends = str(entry["name"]), entry.get("ends", {})
    coding = str(entry.get("coded", ""))
    return {
        "name": name,
        "title": str(entry.get("title", "")),
        "role": ROLES.get(str(entry["role"]), str(entry["role"])),
        "shown": SHOWN.get(str(entry["shown"]), ""),
        "cell": _finish(str(entry.get("cell", ""))),
        "coded": f"{coding[:1].upper()}{coding[1:]}." if coding else "",
        "weight": _finish(str(entry.get("means", ""))),
        "ends": [str(ends[part]) for part in ("low", "high") if part in ends],
        "values": _list_values(entry["domain"]),
        "cells": _find_cells(name, release),
    }


def _finish(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""


def _list_values(domain: Mapping[str, Any]) -> str:
    """Say which values the column has, as far as the dictionary tells."""
    values = domain.get("values")
    if values:
        more = f" and {len(values) - VALUES:,} more" if len(values) > VALUES else ""
        return ", ".join(_shorten(str(value)) for value in values[:VALUES]) + more
    return f"{domain['min']} to {domain['max']}" if "min" in domain else ""


def _find_cells(name: str, release: Release) -> list[str]:
    """Return the most frequent published cells of a column that say something."""
    tables = [table for table in release.tables.values() if name in table.columns]
    if not tables:
        return []
    cells = tables[0][name].cast(pl.String)
    counted = cells.filter(cells != "*").value_counts().sort(["count", name], descending=[True, False])
    return [_shorten(cell) for cell in counted[name][:EXAMPLES]]


def _shorten(text: str) -> str:
    return text if len(text) <= LONG else f"{text[: LONG - 1]}…"
