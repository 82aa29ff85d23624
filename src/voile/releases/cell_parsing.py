"""Published labels read again: which values each of them stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from voile.errors import DataError
from voile.releases.cells import Cells, range_ends
from voile.tables.domain import Domain
from voile.tables.hierarchy import TOP
from voile.tables.value_text import MISSING, format_value, parse_values, split_set, unescape


def read_sets(labels: Sequence[str], domain: Domain, names: Mapping[str, Sequence[Any]], column: str) -> Cells:
    """What published labels of categories stand for. `names` are the hierarchy's labels, from the dictionary."""
    position = {leaf: code for code, leaf in enumerate(domain.labels)}

    def codes_of(label: str) -> list[int]:
        if label == TOP:
            return list(range(domain.size))
        if label in names:
            return sorted({position[format_value(leaf)] for leaf in names[label]})
        if label.startswith("{") and label.endswith("}"):
            return sorted({position[unescape(part)] for part in split_set(label[1:-1])})
        return [position[label[1:] if label.startswith("\\") else label]]

    starts, members = [0], list[int]()
    for label in labels:
        try:
            members.extend(codes_of(label))
        except KeyError:
            raise unexplained(column) from None
        starts.append(len(members))
        if starts[-1] == starts[-2]:  # a name that stands for nothing
            raise unexplained(column)
    shown = pl.Series("label", list(labels), dtype=pl.String)
    return Cells(domain, shown, starts=np.array(starts), members=np.array(members, dtype=np.int64))


def read_ranges(
    labels: Sequence[str],
    dtype: pl.DataType,
    kind: str,
    ends: Mapping[str, Any],
    names: Mapping[str, Sequence[Any]],
    column: str,
) -> Cells:
    """What published labels of numbers or dates stand for. The domain is made of the ends that are written."""
    missing = bool(ends.get("missing"))
    listed = ends.get("values") or [ends[end] for end in ("min", "max") if end in ends]
    whole = (format_value(listed[0]), format_value(listed[-1])) if listed else None
    pairs: list[tuple[str, str] | None] = []
    absent = np.zeros(len(labels), dtype=bool)
    for number, label in enumerate(labels):
        if label.startswith("{") and label.endswith("|" + MISSING + "}"):
            absent[number], label = True, label[1:].removesuffix("|" + MISSING + "}")
        if label == TOP:
            absent[number] = missing
            pairs.append(whole)
        elif label == MISSING:
            absent[number] = True
            pairs.append(None)
        elif names.get(label):
            pairs.append((format_value(names[label][0]), format_value(names[label][-1])))
        else:
            pairs.append(range_ends(label) or (label, label))
    written = sorted({end for pair in pairs if pair for end in pair} | set(whole or ()))
    values = parse_values(pl.Series(written, dtype=pl.String), dtype)
    if values.null_count() or (absent.any() and not missing):
        raise unexplained(column)
    domain = Domain(values.unique().sort(), kind, missing)
    code = dict(zip(written, domain.values.search_sorted(values).to_list(), strict=True)) if written else {}
    low = np.array([code[pair[0]] if pair else 0 for pair in pairs], dtype=np.int64)
    high = np.array([code[pair[1]] if pair else -1 for pair in pairs], dtype=np.int64)
    shown = np.array([pair is not None for pair in pairs], dtype=bool)
    # a period or a bin of a hierarchy may reach beyond the values that occur, but not lie beside them
    outside = whole is None or bool((low[shown] > code[whole[1]]).any() or (high[shown] < code[whole[0]]).any())
    if shown.any() and (outside or bool((low[shown] > high[shown]).any())):
        raise unexplained(column)
    return Cells(domain, pl.Series("label", list(labels), dtype=pl.String), low, high, absent)


def unexplained(column: str) -> DataError:
    return DataError(
        f"Column {column!r} has a published cell that its dictionary does not explain.",
        code="data.cell",
        hint="The file or dictionary.json was changed after publishing.",
    )
