"""The columns of group means, as a reader checks them: one per group, of enough people, round, and inside the cell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from forging.judge.tables import Rows

FEWEST = 5


def list_means(dictionary: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The columns of means, each as an entry of a column of numbers that is shown as it is."""
    stated = [entry for entry in dictionary["columns"] if "mean" in entry]
    return {entry["mean"]["name"]: {**entry, "type": "Float64", "shown": "exact"} for entry in stated}


def mean_faults(entry: dict[str, Any], dictionary: dict[str, Any], tables: dict[str, Rows]) -> Iterator[str]:
    """Yield the means that have another name than their column, or that no such group can have."""
    if ("mean" in entry) != ("mean" in entry.get("steering", {}) and entry["shown"] == "generalized"):
        yield "means are asked for and not shown, or shown and not asked for"
    if "mean" not in entry:
        return
    if entry["role"] != "quasi" or dictionary["withheld"] or "quasi_sets" in dictionary or "absent" in dictionary:
        yield "it has no means"
    name, base, rows = entry["mean"]["name"], Fraction(str(entry["steering"]["mean"])), tables["table"]
    if not re.fullmatch(re.escape(entry["name"]) + "_mean_*", name):
        yield f"{name} is not named after its column"
    known = [each["name"] for each in dictionary["columns"] if each["role"] == "quasi"]
    group = list(zip(*(rows[each] for each in known), strict=True))
    if min(Counter(group).values()) < FEWEST:
        yield "a group with a mean is small"
    if len(set(zip(group, rows[name], strict=True))) > len(set(group)):
        yield "a group has two means"
    people_of = Counter(group)
    for label, cell, row in zip(rows[entry["name"]], rows[name], group, strict=True):
        people = people_of[row]
        if not _is_mean(label, cell, people, base, str(entry["type"]).startswith(("Int", "UInt"))):
            yield f"{name} is {cell} where the label says {label}"


def _is_mean(label: str, cell: str | None, people: int, base: Fraction, whole: bool) -> bool:
    if label == "*" or "(missing)" in label:
        return cell is None
    found = re.fullmatch(r"\[(.+?), (.+)\]", label)
    low, high = (Fraction(end) for end in (found.groups() if found else (label, label)))
    mean = Fraction(cell or "nan") if cell not in (None, "nan", "inf", "-inf", "-0.0") else high + 1
    if not low <= mean <= high or (mean not in (low, high) and (mean / base).denominator > 1):
        return False
    least = low * people if mean == low else (mean - base / 2) * people
    most = high * people if mean == high else (mean + base / 2) * people
    least, most = max(least, low * (people - 1) + high), min(most, low + high * (people - 1))  # both ends occur
    return -(-least // 1) <= most // 1 if whole else least <= most
