"""The columns of ends beside labels of ranges, as a reader checks them: cell by cell, from the label."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from forging.judge.tables import Rows, order_of

SIDES = ("low", "high")


def list_ends(dictionary: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The columns of ends, each as an entry of a column that is shown as it is."""
    return {
        entry["ends"][side]: {**entry, "shown": "exact"}
        for entry in dictionary["columns"]
        if "ends" in entry
        for side in SIDES
    }


def end_faults(entry: dict[str, Any], tables: dict[str, Rows]) -> Iterator[str]:
    """Yield the ends that have another name than their column, or are not those of its labels."""
    if "ends" not in entry:
        return
    if entry["kind"] not in ("numeric", "date") or entry["shown"] != "generalized":
        yield "it has no ranges"
    for place, side in enumerate(SIDES):
        name = entry["ends"][side]
        if not re.fullmatch(re.escape(entry["name"]) + "_*_" + side, name):
            yield f"{name} is not named after its column"
        rows = tables["table"]
        for label, cell in zip(rows[entry["name"]], rows[name], strict=True):
            if not _is_end(entry, label, cell, place):
                yield f"{name} is {cell} where the label says {label}"


def _is_end(entry: dict[str, Any], label: str, cell: str | None, place: int) -> bool:
    label = label.removeprefix("{").removesuffix("|(missing)}")
    if label in ("*", "(missing)"):
        return cell is None
    found = re.fullmatch(r"\[(.+?), (.+)\]", label)
    pair = entry.get("names", {}).get(label) or (found.groups() if found else (label, label))
    kind = str(entry["type"])
    return cell is not None and bool(order_of(cell, kind) == order_of(str(pair[place]), kind))
