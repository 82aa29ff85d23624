"""Build the levels of a hierarchy, one function per recipe: for each level above the leaves, one label per value.

Values with the same label at a level belong to the same node. The levels do not include the root, and the functions
ignore missing values.
"""

from __future__ import annotations

import datetime
import heapq
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from voile.errors import SchemaError
from voile.tables.code_lists.known_lists import ENOUGH, recognize_list
from voile.tables.code_lists.postcodes import recognize_postcodes
from voile.tables.domain import Domain
from voile.tables.value_text import MISSING, format_set, format_value

Levels = list[list[str]]
_MOST_LEVELS = 100


def build_from_rows(column: str, domain: Domain, counts: np.ndarray, rows: Sequence[Sequence[str]]) -> Levels:
    """Build the levels from the rows of a file: the leaf first, then its label at each level."""
    widths = {len(row) for row in rows}
    if not widths or widths == {0}:
        raise _hierarchy_error(f"The hierarchy of {column!r} is empty.", "Give one row per value, leaf first.")
    if len(widths) != 1:
        raise _hierarchy_error(
            f"The hierarchy of {column!r} has rows of {len(widths)} different lengths.",
            "Give every leaf the same number of levels, leaf first.",
        )
    by_leaf: dict[str, Sequence[str]] = {}
    for row in rows:
        if list(by_leaf.setdefault(row[0], row)) != list(row):
            raise _hierarchy_error(f"The hierarchy of {column!r} lists a leaf twice.", "Keep one row per value.")
    texts = domain.labels[: len(domain.values)]
    unlisted = [code for code, leaf in enumerate(texts) if leaf not in by_leaf]
    if unlisted:
        people = int(counts[unlisted].sum())
        raise SchemaError(
            f"The hierarchy of {column!r} lacks {len(unlisted)} of {len(texts)} values ({people} rows).",
            code="schema.hierarchy-leaf",
            hint=f"Add them to the file; `voile hierarchies` writes a complete one for {column!r}.",
        )
    levels = [[by_leaf[leaf][level] for leaf in texts] for level in range(1, widths.pop())]
    for finer, coarser in itertools.pairwise(levels):
        if len({*zip(finer, coarser, strict=True)}) != len(set(finer)):
            raise _hierarchy_error(
                f"The hierarchy of {column!r} is not a tree: a label has two parents.",
                "Give the two nodes different names.",
            )
    if domain.missing and any(MISSING in level for level in levels):
        raise _hierarchy_error(
            f"The hierarchy of {column!r} uses the label {MISSING!r}, which stands for missing values.",
            "Give the node another name.",
        )
    return levels


def flatten_tree(column: str, nested: Any) -> list[list[str]]:
    """Flatten nested dicts, whose innermost values are lists of leaves, into the rows of a file."""
    rows: list[list[str]] = []

    def walk(node: Any, path: list[str]) -> None:
        if len(path) > _MOST_LEVELS:
            raise _hierarchy_error(f"The hierarchy of {column!r} has more than {_MOST_LEVELS} levels.")
        if isinstance(node, Mapping):
            for name, child in node.items():
                walk(child, [str(name), *path])
        elif isinstance(node, (list, tuple, set, frozenset)):
            rows.extend([format_value(leaf), *path] for leaf in node)
        else:
            raise _hierarchy_error(
                f"The hierarchy of {column!r} must consist of dicts whose innermost values are lists of leaves."
            )

    walk(nested, [])
    deepest = max((len(row) for row in rows), default=0)
    # a short branch repeats its top, so that every leaf has the same number of levels
    return [row + [row[-1]] * (deepest - len(row)) for row in rows]


def build_intervals(column: str, domain: Domain, widths: Sequence[float]) -> Levels:
    """Build intervals of these widths. Each width must be a multiple of the one before, so that the intervals nest."""
    if domain.kind != "numeric":
        raise _hierarchy_error(
            f"Column {column!r} is {domain.kind}; intervals are for numbers.",
            "Use dates() for dates and prefixes(...) or by_frequency() for categories.",
        )
    if any(not math.isfinite(width) or width <= 0 for width in widths) or list(widths) != sorted(set(widths)):
        raise _hierarchy_error(
            f"The interval widths of {column!r} must be positive and increasing.", "E.g. intervals(5, 10, 20)."
        )
    ratios = [wide / narrow for narrow, wide in itertools.pairwise(widths)]
    if any(abs(ratio - round(ratio)) > 1e-9 for ratio in ratios):
        raise _hierarchy_error(
            f"The interval widths of {column!r} do not nest: each must be a multiple of the one before.",
            "E.g. intervals(5, 10, 20).",
        )
    points = domain.numeric_values
    if not len(points):
        return []
    whole = domain.values.dtype.is_integer() and all(float(width).is_integer() for width in widths)
    if not widths:
        widths = _round_widths(float(points[0]), float(points[-1]), whole)
        ratios = [2.0] * (len(widths) - 1)
    if not widths:
        return []
    if whole:
        wide = int(points[-1]) >= 1 << 63 or int(widths[0]) >= 1 << 63
        bins = points.astype(object if wide else np.int64) // int(widths[0])
    else:
        bins = np.floor(points.astype(float) / widths[0] + 1e-12)
    levels = []
    for width, ratio in zip(widths, [1.0, *ratios], strict=True):
        bins = bins // round(ratio)  # computed from the bins below, so that rounding cannot spoil the nesting
        levels.append(_bin_labels(domain, bins, int(width) if whole else None))
    return levels


def _round_widths(low: float, high: float, whole: bool) -> list[float]:
    """Choose widths for four levels below the root: a sixteenth of the range, rounded up to 1, 2 or 5, then doubled."""
    raw = high / 16 - low / 16
    if raw < 1e-290:
        return []
    scale = 10.0 ** np.floor(np.log10(raw))
    width = next(float(step * scale) for step in (1, 2, 5, 10) if step * scale >= raw)
    if whole:
        width = max(2.0, float(round(width)))
    return [width * 2**step for step in range(4) if width * 2**step < 32 * raw]


def _bin_labels(domain: Domain, bins: np.ndarray, width: int | None) -> list[str]:
    """Label bins of integers by their ends, others by the least and greatest value inside (neighbours share an end)."""
    texts = domain.labels
    labels: list[str] = []
    start = 0
    for number, run in itertools.groupby(bins.tolist()):
        size = len(list(run))
        low, high = texts[start], texts[start + size - 1]
        if width is not None:
            low, high = str(number * width), str((number + 1) * width - 1)
        labels += [low if low == high else f"[{low}, {high}]"] * size
        start += size
    return labels


def build_prefixes(column: str, domain: Domain, lengths: Sequence[float]) -> Levels:
    """Cut codes to their first characters, with a star for each character that is cut."""
    cuts = [int(length) for length in lengths]
    if any(length < 1 for length in lengths) or cuts != list(lengths) or cuts != sorted(set(cuts), reverse=True):
        raise _hierarchy_error(
            f"The prefix lengths of {column!r} must be whole, positive and decreasing.", "E.g. prefixes(5, 3, 1)."
        )
    texts = domain.labels[: len(domain.values)]
    longest = max((len(leaf) for leaf in texts), default=0)
    cuts = [min(length, longest) for length in cuts] or list(range(longest - 1, 0, -1))
    return [[leaf[:length] + "*" * (len(leaf) - length) for leaf in texts] for length in cuts]


def build_dates(column: str, domain: Domain) -> Levels:
    """Show dates by day, month, year and decade."""
    if domain.kind != "date":
        raise _hierarchy_error(
            f"Column {column!r} is {domain.kind}; dates() is for dates.",
            "Mark the column as a date, or choose intervals(...).",
        )
    days = [value.date() if isinstance(value, datetime.datetime) else value for value in domain.values]
    return [
        [day.isoformat() for day in days],
        [day.isoformat()[:7] for day in days],
        [day.isoformat()[:4] for day in days],
        [f"{day.year // 10 * 10:04}s" for day in days],
    ]


def build_by_frequency(column: str, domain: Domain, counts: np.ndarray, fanout: float) -> Levels:
    """Merge `fanout` groups into one at each level; a greedy rule keeps the weights as even as it can."""
    if fanout < 2 or fanout != int(fanout):
        raise _hierarchy_error(f"The fan-out of {column!r} must be a whole number of at least 2.", "E.g. frequency:3.")
    texts = domain.labels[: len(domain.values)]
    groups = [([code], int(counts[code])) for code in range(len(texts))]
    levels: Levels = []
    while len(groups) > fanout:
        groups = _merge_groups(groups, -(-len(groups) // int(fanout)))
        level = [""] * len(texts)
        for members, _ in groups:
            name = texts[members[0]] if len(members) == 1 else format_set([texts[code] for code in members])
            for code in members:
                level[code] = name
        levels.append(level)
    return levels


def name_groups(domain: Domain, groups: Sequence[np.ndarray]) -> Levels:
    """Name groups of categories by their members, level by level; `groups` has the group of each category."""
    texts = domain.labels[: len(domain.values)]
    levels: Levels = []
    for level in groups:
        members: dict[int, list[str]] = {}
        for group, text in zip(level.tolist(), texts, strict=True):
            members.setdefault(group, []).append(text)
        names = {group: some[0] if len(some) == 1 else format_set(some) for group, some in members.items()}
        levels.append([names[group] for group in level.tolist()])
    return levels


def _merge_groups(groups: list[tuple[list[int], int]], size: int) -> list[tuple[list[int], int]]:
    """Merge groups into `size` groups: the heaviest open one each, every other joins the lightest so far."""
    ordered = sorted(groups, key=lambda group: (-group[1], group[0][0]))
    heap = [(weight, number) for number, (_, weight) in enumerate(ordered[:size])]
    members = [list(codes) for codes, _ in ordered[:size]]
    heapq.heapify(heap)
    for codes, weight in ordered[size:]:
        total, number = heapq.heappop(heap)
        members[number] += codes
        heapq.heappush(heap, (total + weight, number))
    weights = {number: weight for weight, number in heap}
    return [(sorted(codes), weights[number]) for number, codes in enumerate(members)]


def name_by_values(label: str, texts: Sequence[str]) -> str:
    """Return the label of a node of values, in the form of a former label: a single value, a range, or a set."""
    if len(texts) == 1:
        return texts[0]
    return f"[{texts[0]}, {texts[-1]}]" if label.startswith("[") else format_set(texts)


def choose_recipe(column: str, domain: Domain, counts: np.ndarray) -> str:
    """Return the recipe of an automatic hierarchy: intervals for numbers, day to decade for dates, a public list that
    has nearly all codes, postcodes, prefixes for other codes, and frequency for other categories."""
    if domain.uses_intervals:
        return "intervals" if domain.kind == "numeric" else "dates"
    texts = domain.labels[: len(domain.values)]
    rows = counts[: len(texts)].tolist()
    known = recognize_list(texts, rows, column)
    if known is not None:
        return known.name
    if len(texts) >= ENOUGH and recognize_postcodes(texts, rows) is not None:
        return "postcodes"
    lengths = {len(leaf) for leaf in texts}
    are_codes = len(lengths) == 1 and len(texts) > 3 and all(any(letter.isdigit() for letter in leaf) for leaf in texts)
    return "prefixes" if are_codes and 2 <= lengths.pop() <= 12 else "frequency"


def list_leaves(rows: Sequence[Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """List the leaves that the rows of a file put below each label, in the order of the file; not for a label that has
    other leaves at another level."""
    found: dict[str, tuple[str, ...]] = {}
    unclear = set[str]()
    leaves, *levels = zip(*rows, strict=True)
    for level in levels:
        below: dict[str, dict[str, None]] = {}
        for leaf, label in zip(leaves, level, strict=True):
            below.setdefault(label, {})[leaf] = None
        unclear |= {label for label in below if label in found and found[label] != tuple(below[label])}
        found |= {label: tuple(some) for label, some in below.items()}
    return {label: some for label, some in found.items() if label not in unclear}


def _hierarchy_error(message: str, hint: str = "") -> SchemaError:
    return SchemaError(message, code="schema.hierarchy", hint=hint)
