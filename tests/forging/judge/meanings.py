"""What the dictionary says of cells beyond their form: names, domains and hierarchies that the cells bear out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from forging.judge.tables import order_of, write_value


def name_faults(entry: dict[str, Any], cells: list[Any]) -> Iterator[str]:
    """Yield the names that no cell has, that rename a plain cell, or that deny what they themselves say."""
    domain, kind = entry["domain"], str(entry["type"])
    for label, listed in entry.get("names", {}).items():
        if label not in cells:
            yield f"no cell is called {label!r}"
        if not isinstance(listed, list) or not listed or not all(isinstance(item, str) for item in listed):
            yield f"{label!r} stands for nothing"
            continue
        if label == "*" or re.fullmatch(r"[\[{].*[\]}]", label):
            yield f"{label!r} needs no name"
        if entry["kind"] in ("numeric", "date"):
            yield from _range_faults(label, listed, kind)
        else:
            values = [write_value(value) for value in domain.get("values", [])]
            if len(set(listed)) < len(listed):
                yield f"{label!r} stands for a value twice"
            if label in values and listed != [label]:
                yield f"{label!r} is a value"


def _range_faults(label: str, listed: list[str], kind: str) -> Iterator[str]:
    try:
        ends = [order_of(end, kind) for end in listed]
    except (ValueError, TypeError):
        yield f"the ends of {label!r} are no {kind}"
        return
    if len(ends) != 2 or ends[0] > ends[1]:
        yield f"{label!r} has no two ends"
    period = re.fullmatch(r"(\d{4})(-\d{2})?(s?)", label)
    numbers = re.fullmatch(r"(-?\d+)\s*-\s*(-?\d+)", label)
    if kind == "Date" and period and not listed[0].startswith(period[1] + (period[2] or "-01")):
        yield f"{label!r} begins elsewhere"
    elif kind.startswith("Int") and numbers and listed != [numbers[1], numbers[2]]:
        yield f"{label!r} says other ends"
    else:
        try:
            if [order_of(label, kind)] * 2 != ends:
                yield f"{label!r} is a value"
        except (ValueError, TypeError):
            pass


def domain_faults(entry: dict[str, Any], cells: list[Any], honest: dict[str, Any] | None) -> Iterator[str]:
    """Yield what a domain lists without need: values that no cell shows. A declared domain must be the honest one."""
    domain, kind = entry["domain"], str(entry["type"])
    if entry["shown"] == "perturbed" and honest is not None and domain == honest["domain"]:
        return
    if "values" in domain and "min" in domain:
        yield "it has both a list and ends"
    listed = [write_value(value) for value in domain.get("values", [])]
    if len(set(listed)) < len(listed):
        yield "a value is listed twice"
    if domain.get("declared") or entry.get("declared"):
        return
    if entry["shown"] == "exact" and "values" in domain and set(listed) - set(cells):
        yield "it lists values that no cell shows"
    shown = {end for cell in set(cells) if cell for end in _ends(cell, entry)}
    if "min" in domain and "*" not in cells and shown:
        try:
            places = [order_of(end, kind) for end in shown]
            if [order_of(write_value(domain[end]), kind) for end in ("min", "max")] != [min(places), max(places)]:
                yield "its ends are not those of the cells"
        except (ValueError, TypeError):
            yield f"its ends are no {kind}"
    if "values" not in domain and "min" not in domain and any(cell not in (None, "*", "(missing)") for cell in cells):
        yield "it lists nothing"


def _ends(cell: str, entry: dict[str, Any]) -> list[str]:
    if entry["shown"] == "exact":
        return [cell]
    cell = cell.removeprefix("{").removesuffix("|(missing)}")
    if cell in entry.get("names", {}):
        return [str(end) for end in entry["names"][cell]]
    found = re.fullmatch(r"\[(.+?), (.+)\]", cell)
    return [found[1], found[2]] if found else [] if cell in ("*", "(missing)") else [cell]


def hierarchy_faults(entry: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the tree of a sensitive column: one row per value, from the value to the top."""
    rows = entry.get("hierarchy")
    if rows is None:
        return
    leaves = [row[0] for row in rows if row]
    if len(set(leaves)) < len(leaves) or any(len(row) != len(rows[0]) for row in rows):
        yield "its hierarchy has a value twice"
    if "values" in entry["domain"] and set(leaves) != {write_value(value) for value in entry["domain"]["values"]}:
        yield "its hierarchy has other values"
