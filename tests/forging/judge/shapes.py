"""The shapes as a reader knows them: which tables, which columns, who is in which group."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from forging.judge.claims import Groups
from forging.judge.ends import list_ends
from forging.judge.means import list_means
from forging.judge.tables import Rows, plain


def own_columns(shape: str, dictionary: dict[str, Any]) -> dict[str, set[str]]:
    """The tables of a shape, and the columns of each."""
    roles = defaultdict(list)
    for entry in dictionary["columns"]:
        roles[entry["role"]].append(entry["name"])
    quasi, sensitive = {"group", *roles["quasi"], *roles["other"]}, roles["sensitive"]
    if shape in ("generalized", "sampled"):
        added = {"group_size"} if shape == "sampled" else set()
        return {
            "table": {
                *roles["quasi"],
                *sensitive,
                *roles["other"],
                *added,
                *list_ends(dictionary),
                *list_means(dictionary),
            }
        }
    if shape == "decomposed":
        lists = {f"sensitive_{name}": {"group", name} for name in sensitive}
        return {"quasi": quasi, **lists, "joint": set(sensitive)}
    tables = {"quasi": quasi, "sensitive": {"group", "count", *sensitive}}
    return {**tables, "counterfeits": {"group", "count"}} if shape == "republished" else tables


def _group_rows(
    tables: dict[str, Rows], dictionary: dict[str, Any], known: list[str] | None = None
) -> list[tuple[Any, ...]]:
    names = known or [entry["name"] for entry in dictionary["columns"] if entry["role"] == "quasi"]
    return list(zip(*(tables["table"][name] for name in names), strict=True))


def shape_groups(
    shape: str, tables: dict[str, Rows], dictionary: dict[str, Any], claim: dict[str, Any]
) -> tuple[dict[Any, int], Groups | None]:
    """Return the size of each group and, where the shape counts them, how often it has each value of the claim's
    column: groups of those who look alike in the columns that its adversary knows."""
    column = claim["column"]
    if shape == "sampled":
        return {}, None
    groups: Groups = defaultdict(Counter)
    if shape == "generalized":
        keys = _group_rows(tables, dictionary, claim["quasi"])
        sizes = dict(Counter(keys))
        for key, value in zip(keys, tables["table"][column] if column else (), strict=False):
            groups[key][plain(value) if value is not None else ""] += 1
        return sizes, groups
    sizes = dict(Counter(tables["quasi"]["group"]))
    if shape == "decomposed":
        if column != dictionary["primary"]:
            return {}, None  # beliefs in other columns are spread over all ways to match rows and people
        table = tables[f"sensitive_{column}"]
        for key, value in zip(table["group"], table[str(column)], strict=True):
            groups[key][plain(value or "")] += 1
        return sizes, groups
    table = tables["sensitive"]
    for key, value, count in zip(table["group"], table[str(column)], table["count"], strict=True):
        groups[key][plain(value or "")] += int(count)
    if shape == "republished":
        sizes = {key: sum(counts.values()) for key, counts in groups.items()}
    return sizes, groups


def structure_faults(shape: str, tables: dict[str, Rows], dictionary: dict[str, Any]) -> Iterator[str]:
    """Yield where the tables of a release contradict each other."""
    sensitive = [entry["name"] for entry in dictionary["columns"] if entry["role"] == "sensitive"]
    if shape == "generalized":
        return
    if shape == "sampled":
        boxes = _group_rows(tables, dictionary)
        if len(set(boxes)) < len(boxes) or any(int(size) < 1 for size in tables["table"]["group_size"]):
            yield "a box occurs twice, or is empty"
        return
    sizes = Counter(tables["quasi"]["group"])
    if shape == "decomposed":
        yield from _list_faults(tables, sizes, dictionary["primary"], sensitive)
        return
    listed = Counter[str]()
    for key, count in zip(tables["sensitive"]["group"], tables["sensitive"]["count"], strict=True):
        listed[key] += int(count)
    if any(int(count) < 1 for count in tables["sensitive"]["count"]):
        yield "a value occurs never"
    if shape == "republished":
        extra = tables["counterfeits"]
        if len(set(extra["group"])) < len(extra["group"]) or not set(extra["group"]) <= set(sizes):
            yield "counterfeits belong to no group"
        if any(int(count) < 1 for count in extra["count"]):
            yield "there are no counterfeits"
        for key, count in zip(extra["group"], extra["count"], strict=True):
            sizes[key] += int(count)
    if dict(sizes) != dict(listed):
        yield "the tables have groups of different sizes"


def _list_faults(tables: dict[str, Rows], sizes: Counter[str], primary: str, sensitive: list[str]) -> Iterator[str]:
    for name in sensitive:
        table = tables[f"sensitive_{name}"]
        pairs = list(zip(table["group"], table[name], strict=True))
        if set(table["group"]) != set(sizes):
            yield f"the list of {name} has other groups"
        if name == primary and Counter(table["group"]) != sizes:
            yield "the primary list has other sizes"
        if name != primary and len(set(pairs)) < len(pairs):
            yield f"a value of {name} is listed twice"
        if "joint" in tables and name == primary and Counter(tables["joint"][name]) != Counter(table[name]):
            yield "the joint table has other primary values"
        if "joint" in tables and not set(tables["joint"][name]) <= set(table[name]):
            yield f"no list has a value of {name}"
