"""Signatures: how a file writes them, and which person has which."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from voile import kernels
from voile.errors import PolicyError
from voile.tables.schema import Column

REST = "*"  # stands for every signature of a column set that is not listed


def match_signatures(
    names: Sequence[str], signatures: Sequence[Sequence[str]], people: Sequence[Column], codes: np.ndarray
) -> np.ndarray:
    """Return for each person the position of their signature (the texts of these columns), or -1."""
    by_name = {column.name: (index_in_codes, column) for index_in_codes, column in enumerate(people)}
    if any(name not in by_name for name in names):
        missing_names = [name for name in names if name not in by_name]
        raise PolicyError(
            f"The prior names {', '.join(map(repr, missing_names))}, which the release does not show exactly.",
            code="policy.prior-column",
            hint="Use a prior about its quasi-identifier columns.",
        )
    indexed_columns = [by_name[name] for name in names]
    sizes = [column.size for _, column in indexed_columns]
    codes_by_text = [{text: code for code, text in enumerate(column.domain.labels)} for _, column in indexed_columns]
    signature_codes = np.array(
        [
            [code_of.get(text, -1) for code_of, text in zip(codes_by_text, signature, strict=True)]
            for signature in signatures
        ],
        dtype=np.int64,
    ).reshape(len(signatures), len(indexed_columns))
    usable_signatures = np.flatnonzero((signature_codes >= 0).all(axis=1))
    stacked_codes = [
        np.concatenate([codes[:, index_in_codes].astype(np.int64), signature_codes[usable_signatures, position]])
        for position, (index_in_codes, _) in enumerate(indexed_columns)
    ]
    row_ranks, first_rows = kernels.distinct_rows.rank_rows(stacked_codes, [max(size, 1) for size in sizes])
    signature_of_row = np.full(len(first_rows), -1, dtype=np.int64)
    signature_of_row[row_ranks[len(codes) :]] = usable_signatures
    return np.asarray(signature_of_row[row_ranks[: len(codes)]])


def write_signature(signature: Sequence[str]) -> str:
    """Join the texts of a signature by `|`. A single text `*` is written `\\*`, because `*` stands for the rest.

    >>> write_signature(("39", "a|b")), write_signature((REST,))
    ('39|a\\\\|b', '\\\\*')
    """
    return "\\*" if tuple(signature) == (REST,) else join_escaped(signature)


def join_escaped(parts: Sequence[str]) -> str:
    """Join texts by `|`, which a backslash escapes within them."""
    return "|".join(part.replace("\\", "\\\\").replace("|", "\\|") for part in parts)


def split_escaped(text: str) -> list[str]:
    """Split a text that `join_escaped` joined.

    >>> split_escaped("39|a\\\\|b")
    ['39', 'a|b']
    """
    parts, current, escaped = [], "", False
    for letter in text:
        if escaped or letter not in "\\|":
            current, escaped = current + letter, False
        elif letter == "\\":
            escaped = True
        else:
            parts.append(current)
            current = ""
    return [*parts, current]
