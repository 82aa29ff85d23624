"""Commands and code that run beside a release, written for its own columns."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from voile.errors import VoileError
from voile.releases.release import Release


@dataclass(frozen=True)
class Examples:
    """How to verify, count and complete one release: at the command line and in Python."""

    verify: str
    query: str
    complete: str
    python: str

    def as_json(self) -> dict[str, str]:
        return asdict(self)


def write_examples(release: Release, name: str) -> Examples:
    """Write the examples for the folder of that name. A query that the release cannot answer is not shown."""
    place, condition = shlex.quote(name), _find_condition(release)
    sql = _write_sql(release)
    lines = ["import voile as vl", "", f"print(vl.verify({name!r}))", f"release = vl.load({name!r})"]
    lines += [f"print(release.count({condition!r}))"] if condition else []
    lines += ["tables = release.complete(20)  # analyse each alike, then vl.pool(...)"]
    return Examples(
        f"voile verify {place}",
        f"voile query {place} {shlex.quote(sql)}" if sql else "",
        f"voile complete {place} --draws 20 --out tables.csv",
        "\n".join(lines),
    )


def _find_condition(release: Release) -> dict[str, Any]:
    """Return a condition on the first column that has values to ask for: a single value, or a range of numbers."""
    for entry in release.dictionary["columns"]:
        domain = entry["domain"]
        if domain.get("values") and not entry.get("indicator"):
            return {str(entry["name"]): domain["values"][0]}
    ranged = next((entry for entry in release.dictionary["columns"] if "min" in entry["domain"]), None)
    return {str(ranged["name"]): (ranged["domain"]["min"], ranged["domain"]["max"])} if ranged else {}


def _write_sql(release: Release) -> str:
    """Write a query that the release answers: rows by a column of few categories, else all rows; empty if it cannot."""
    few = [entry for entry in release.dictionary["columns"] if _has_few_values(entry)]
    column = '"' + str(few[0]["name"]).replace('"', '""') + '"' if few else ""
    sql = f"select {column}, count(*) from t group by {column}" if few else "select count(*) from t"
    try:
        release.query(sql)
    except VoileError:
        return ""
    return sql


def _has_few_values(entry: Mapping[str, Any]) -> bool:
    return 1 < len(entry["domain"].get("values", ())) <= 30 and not entry.get("indicator")
