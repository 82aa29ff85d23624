"""The claims, recounted: from groups as a reader sees them to the numbers that the certificate states."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from forging.judge.tables import plain

Groups = dict[Any, Counter[str]]  # how often each group has each value


def restated(honest: dict[str, Any], claim: dict[str, Any]) -> dict[str, Any]:
    """An honest claim with the numbers of another: what that one would have to say."""
    words = {**honest, "parameters": dict(honest["parameters"])}
    asked, less = honest["parameters"].get("l"), claim["parameters"].get("l")
    has_levels = honest["parameters"].get("reached") and isinstance(less, dict) and asked.keys() == less.keys()
    if has_levels and all(1 <= less[name] <= asked[name] for name in less):
        words["parameters"]["l"] = less  # the level reached is promised, whatever was asked for
    for letter in ("k", "l", "m", "r"):
        old, new = honest["parameters"].get(letter), claim["parameters"].get(letter)
        if type(old) is not int or type(new) is not int or old == new or new < 2:
            continue
        words["parameters"][letter] = new
        words["bound"] = f"1/{new}" if words["bound"] == f"1/{old}" else words["bound"]
        words["promise"] = re.sub(rf"1/{old}\b", f"1/{new}", words["promise"])
        words["promise"] = re.sub(rf"at least {old - 1}\b", f"at least {new - 1}", words["promise"])
        words["promise"] = re.sub(rf"at least {old} values", f"at least {new} values", words["promise"])
    return words


def word_faults(claim: dict[str, Any], honest: list[dict[str, Any]], indicates: bool) -> Iterator[str]:
    """Yield if no honest claim, with these numbers, says the same in all its words. Where cells only tell protected
    values from others, which values these are is the publisher's word."""
    values = claim["parameters"].get("protect", [])
    seen = {plain(str(value)) for value in values}
    if indicates and "" not in seen and len(seen) == len(values):
        honest = [{**one, "parameters": {**one["parameters"], "protect": values}} for one in honest]
    ours = _without_findings(claim)
    if not any(ours == _without_findings(restated(one, claim)) for one in honest if one["model"] == claim["model"]):
        yield "its words do not follow from its model"
    found = claim.get("found", {})
    if not all(type(number) in (int, float) and 0 <= number <= 1 for number in found.values()):
        yield "it found what is no number"


def _without_findings(claim: dict[str, Any]) -> dict[str, Any]:
    parts = {key: part for key, part in claim.items() if key != "found"}
    passed_over = ["prior", "earlier", "min_support", "max_columns"]  # only who has the statistics can tell
    passed_over += ["l"] if claim["bound"] == "1" else []  # nothing is promised
    parts["parameters"] = {key: part for key, part in claim["parameters"].items() if key not in passed_over}
    return parts


def count_faults(claim: dict[str, Any], sizes: dict[Any, int], groups: Groups | None) -> Iterator[str]:
    """Yield if the groups do not bear out a claim. Models that only the publisher can check are not complained of."""
    numbers, rows = claim["parameters"], claim["unit"]["rows"]
    check = CHECKS.get(claim["model"])
    if check is None:
        return
    for group, size in sizes.items():
        counts = (groups or {}).get(group, Counter())
        largest = max(counts.values(), default=0)
        if not check(numbers, size, counts, largest, rows):
            yield f"a group of {size} has {sorted(counts.values())}"
            return


def closeness_faults(claim: dict[str, Any], groups: Groups, rows: list[list[str]] | None) -> Iterator[str]:
    """Yield if the values of a group are further from those of the table than t; `rows` is the tree of the values."""
    total = sum(groups.values(), Counter[str]())
    distance = claim["parameters"]["distance"]
    if distance not in ("equal", "hierarchical") or (distance == "hierarchical" and rows is None):
        return
    for counts in groups.values():
        gaps = {value: counts[value] / counts.total() - total[value] / total.total() for value in total}
        moved = sum(map(abs, gaps.values())) / 2 if distance == "equal" else _move_in_tree(gaps, rows or [])
        if moved > Fraction(str(claim["parameters"]["t"])) + Fraction(1, 10**6):
            yield f"a group is {moved:.3f} away"
            return


def _move_in_tree(gaps: dict[str, float], rows: list[list[str]]) -> float:
    """What it costs to move a group's shares to those of the table: each move as much as the height that it climbs."""
    extra = {(plain(row[0]),): gaps.get(plain(row[0]), 0.0) for row in rows}
    paths = {(plain(row[0]),): tuple(row[1:]) for row in rows}
    moved, top = 0.0, len(rows[0]) - 1
    for height in range(1, top + 1):
        parents: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        for node in extra:
            parents.setdefault(paths[node], []).append(node)
        for children in parents.values():
            most = sum(max(extra[child], 0.0) for child in children)
            least = sum(max(-extra[child], 0.0) for child in children)
            moved += height / top * min(most, least)
        extra = {parent: sum(extra[child] for child in children) for parent, children in parents.items()}
        paths = {parent: parent[1:] for parent in extra}
    return moved


def _diverse(numbers: dict[str, Any], size: int, counts: Counter[str], largest: int, rows: int) -> bool:
    form, l = numbers.get("form", "frequency"), numbers["l"]  # noqa: E741 - the letter of the literature
    if form == "frequency":
        return largest * l * rows <= size
    if form == "distinct":
        return len(counts) >= l
    if form == "entropy":
        return -sum(n / size * math.log(n / size) for n in counts.values()) >= math.log(l) - 1e-6
    rarest = sorted(counts.values(), reverse=True)[l - 1 :]
    return largest < Fraction(str(numbers["c"])) * sum(rarest)


def _multi(numbers: dict[str, Any], size: int, counts: Counter[str], largest: int, rows: int) -> bool:
    levels = [Fraction(1, number) for number in numbers["l"].values()]
    levels += [Fraction(level) for level in numbers.get("reached", {}).values()]
    return Fraction(largest, size) <= max(levels, default=Fraction(1)) + Fraction(1, 10**6)


def _alpha(numbers: dict[str, Any], size: int, counts: Counter[str], largest: int, rows: int) -> bool:
    rare = [counts[value] for value in numbers.get("protect", [])] if numbers.get("protect") else [largest]
    return size >= numbers["k"] * rows and max(rare, default=0) <= numbers["alpha"] * size + 1e-9


def _spread(numbers: dict[str, Any], size: int, counts: Counter[str], largest: int, rows: int) -> bool:
    values = [float(value) for value in counts]
    return len(values) >= numbers["k"] and max(values) - min(values) >= numbers["e"]


def _confidential(numbers: dict[str, Any], size: int, counts: Counter[str], largest: int, rows: int) -> bool:
    rare = [counts[plain(value)] for value in numbers["protect"]] if numbers["protect"] else [largest]
    return max(rare, default=0) * numbers["m"] <= size


CHECKS = {
    "k-anonymity": lambda numbers, size, counts, largest, rows: size >= numbers["k"] * rows,
    "l-diversity": _diverse,
    "multi-diversity": _multi,
    "alpha-k-anonymity": _alpha,
    "k-e-anonymity": _spread,
    "m-confidentiality": _confidential,
    "m-invariance": lambda numbers, size, counts, largest, rows: largest <= 1 and sum(counts.values()) >= numbers["m"],
}
