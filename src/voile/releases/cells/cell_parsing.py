"""Published columns read back: the values that each cell stands for, from the tables and the dictionary alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from voile.errors import DataError, SchemaError
from voile.releases.cells.cells import Cells
from voile.releases.cells.column_types import parse_type
from voile.releases.cells.label_ends import range_ends
from voile.releases.cells.label_meanings import is_prefix, match_prefix
from voile.tables.domain import Domain, encode_column
from voile.tables.value_text import MISSING, TOP, format_value, parse_values, shield_label, split_set, unescape


def read_dtype(name: str) -> pl.DataType:
    """The type of a column's values by its name in the dictionary; moments are compared in microseconds."""
    dtype = parse_type(name) or pl.String()
    return pl.Datetime("us") if isinstance(dtype, pl.Datetime) else dtype


def read_domain(entry: Mapping[str, Any], values: pl.Series) -> tuple[Domain, np.ndarray]:
    """The domain of an exactly published column, listed in the dictionary or read off the column."""
    listed = entry["domain"].get("values")
    dtype = read_dtype(str(entry["type"]))
    if values.dtype == pl.String and dtype != pl.String:
        values = parse_values(values, dtype)
    if listed is not None and dtype in (pl.Date, pl.Datetime, pl.Time):
        listed = parse_values(pl.Series(listed, dtype=pl.String), dtype).to_list()
    try:
        return encode_column(str(entry["name"]), values, str(entry["kind"]), listed)
    except SchemaError as error:
        raise DataError(
            error.message, code="data.dictionary", hint="The folder was changed after publishing."
        ) from None


def read_column(entry: Mapping[str, Any], values: pl.Series) -> tuple[Cells, np.ndarray]:
    """A published quasi-identifier column: its cells, and the cell of each row."""
    name, kind = str(entry["name"]), str(entry["kind"])
    if entry["shown"] == "exact":
        domain, codes = read_domain(entry, values)
        return exact_cells(domain), codes
    written, codes = number_labels(values)
    dtype, names, listed = read_dtype(str(entry["type"])), entry.get("names", {}), entry["domain"]
    if entry["shown"] == "suppressed" and any(label != TOP for label in written):
        raise unexplained_cell(name)
    if kind in ("numeric", "date"):
        return read_ranges(written, dtype, kind, listed, names, name), codes
    domain, prefixes = _collect_values(written, dtype, kind, listed, names, entry.get("prefixes") is True)
    if domain.values.null_count():
        raise unexplained_cell(name)
    return read_sets(written, domain, names, name, prefixes), codes


def _collect_values(
    labels: Sequence[str],
    dtype: pl.DataType,
    kind: str,
    listed: Mapping[str, Any],
    names: Mapping[str, Sequence[Any]],
    by_prefix: bool,
) -> tuple[Domain, frozenset[str]]:
    """The domain of categories, and the labels that are the beginning of a code. The domain has the values that the
    dictionary lists, those that names stand for, and each beginning: some code like it that is not listed."""
    values = [format_value(value) for value in listed.get("values", ())]
    values += [format_value(leaf) for label in labels if label in names for leaf in names[label]]
    prefixes = frozenset[str]()
    if by_prefix:
        known, dtype = {*values, *names}, pl.String()
        prefixes = frozenset(x for x in labels if is_prefix(x) and x not in known and not x.startswith(("{", "\\")))
    texts = pl.Series([*dict.fromkeys(values), *sorted(prefixes)], dtype=pl.String)
    return Domain(parse_values(texts, dtype), kind, bool(listed["missing"]), True), prefixes


def exact_cells(domain: Domain) -> Cells:
    """Return one cell for each value of a domain, in the order of the codes."""
    every, labels = np.arange(domain.size), pl.Series(domain.labels, dtype=pl.String)
    if domain.uses_intervals:
        missing = (every == domain.size - 1) & domain.missing
        return Cells(domain, labels, np.where(missing, 0, every), np.where(missing, -1, every), missing)
    shielded = [shield_label(leaf) for leaf in domain.labels[: len(domain.values)]] + [MISSING] * domain.missing
    labels = pl.Series(shielded, dtype=pl.String)
    return Cells(domain, labels, starts=np.arange(domain.size + 1), members=every)


def number_labels(values: pl.Series) -> tuple[list[str], np.ndarray]:
    """The labels of a column and the number of each row's label."""
    if isinstance(values.dtype, pl.Enum) and not values.null_count():
        return values.dtype.categories.to_list(), values.to_physical().to_numpy()
    labels = values.cast(pl.String).fill_null("").unique().sort()
    codes = values.cast(pl.String).fill_null("").cast(pl.Enum(labels)).to_physical().to_numpy()
    return labels.to_list(), codes


def read_sets(
    labels: Sequence[str],
    domain: Domain,
    names: Mapping[str, Sequence[Any]],
    column: str,
    prefixes: frozenset[str] = frozenset(),
) -> Cells:
    """What published labels of categories stand for. `names` are the hierarchy's labels, from the dictionary;
    `prefixes` are the labels that are the beginning of a code."""
    position = {leaf: code for code, leaf in enumerate(domain.labels)}

    def codes_of(label: str) -> list[int]:
        if label == TOP:
            return list(range(domain.size))
        if label in names:
            return sorted({position[format_value(leaf)] for leaf in names[label]})
        if label.startswith("{") and label.endswith("}"):
            return sorted({position[unescape(part)] for part in split_set(label[1:-1])})
        if label in prefixes:
            return match_prefix(label, domain.labels[: len(domain.values)])
        return [position[label[1:] if label.startswith("\\") else label]]

    is_set = [label[:1] == "{" and label[-1:] == "}" and "\\" not in label and label not in names for label in labels]
    owners, codes = _split_plain_sets(np.flatnonzero(is_set), labels, position, column)
    others, more = list[int](), list[int]()
    for number, label in enumerate(labels):
        if is_set[number]:
            continue
        try:
            members = codes_of(label)
        except KeyError:
            raise unexplained_cell(column) from None
        if not members and label != TOP:  # a name that stands for nothing
            raise unexplained_cell(column)
        others += [number] * len(members)
        more += members
    owners, codes = np.concatenate([owners, others]).astype(np.int64), np.concatenate([codes, more]).astype(np.int64)
    order = np.argsort(owners, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=len(labels)))])
    shown = pl.Series("label", list(labels), dtype=pl.String)
    return Cells(domain, shown, starts=starts, members=codes[order], prefixes=prefixes)


def _split_plain_sets(
    numbers: np.ndarray, labels: Sequence[str], position: Mapping[str, int], column: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes of the values that sets without escapes list, in order and each once, and whose they are."""
    parts = pl.Series([labels[number][1:-1] for number in numbers], dtype=pl.String).str.split("|")
    owners = np.repeat(numbers, parts.list.len().to_numpy())
    flat = parts.explode(empty_as_null=False)
    codes = flat.replace_strict(list(position), list(position.values()), default=-1, return_dtype=pl.Int64).to_numpy()
    if (codes < 0).any():
        raise unexplained_cell(column)
    keys = owners * len(position) + codes
    if (keys[1:] <= keys[:-1]).any():
        keys = np.sort(keys)
        keys = keys[np.append(True, keys[1:] != keys[:-1])[: len(keys)]]
        owners, codes = keys // len(position), keys % len(position)
    return owners, codes


def read_ranges(
    labels: Sequence[str],
    dtype: pl.DataType,
    kind: str,
    ends: Mapping[str, Any],
    names: Mapping[str, Sequence[Any]],
    column: str,
) -> Cells:
    """What published labels of numbers or dates stand for. The domain is made of the ends that are written; no cell
    lies outside the ends that the dictionary states, and `*` reaches at least from one to the other."""
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
        raise unexplained_cell(column)
    domain = Domain(values.unique().sort(), kind, missing)
    code = dict(zip(written, domain.values.search_sorted(values).to_list(), strict=True)) if written else {}
    low = np.array([code[pair[0]] if pair else 0 for pair in pairs], dtype=np.int64)
    high = np.array([code[pair[1]] if pair else -1 for pair in pairs], dtype=np.int64)
    shown = np.array([pair is not None for pair in pairs], dtype=bool)
    if shown.any():
        outside = whole is None or bool((low[shown] < code[whole[0]]).any() or (high[shown] > code[whole[1]]).any())
        if "values" in ends and whole is not None:  # a bin may reach beyond a declared domain, but not lie beside it
            outside = bool((low[shown] > code[whole[1]]).any() or (high[shown] < code[whole[0]]).any())
        if outside or bool((low[shown] > high[shown]).any()):
            raise unexplained_cell(column)
    return Cells(domain, pl.Series("label", list(labels), dtype=pl.String), low, high, absent)


def unexplained_cell(column: str) -> DataError:
    return DataError(
        f"Column {column!r} has a published cell that its dictionary does not explain.",
        code="data.cell",
        hint="The file or dictionary.json was changed after publishing.",
    )
