"""Postcodes by their beginnings, cut where each country cuts them.

A label is the beginning of a code with a star for each further character, so it means the same whatever the table
holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from voile.errors import SchemaError, recipe
from voile.tables.code_lists.code_list import name_unlisted

SHARE = 0.8  # of the values, and of the rows, that must be of one kind


@dataclass(frozen=True)
class PostcodeKind:
    """The postcodes of a country: how they are written, and after how many characters they are cut, level by level."""

    name: str
    pattern: re.Pattern[str]
    cut: Callable[[str], tuple[int, ...]]

    def matches(self, code: str) -> bool:
        return self.pattern.fullmatch(code) is not None


def _cut_british(code: str) -> tuple[int, ...]:
    """Cut to the outward code, such as EC1A, and to the area, such as EC."""
    return len(code) - 3, 2 if code[1].isalpha() else 1


BRITISH = PostcodeKind(
    "British postcodes",
    re.compile(r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}", re.ASCII | re.IGNORECASE),
    _cut_british,
)
DUTCH = PostcodeKind(
    "Dutch postcodes", re.compile(r"[1-9]\d{3} ?[A-Z]{2}", re.ASCII | re.IGNORECASE), lambda code: (4, 2, 1)
)
CANADIAN = PostcodeKind(
    "Canadian postcodes",
    re.compile(r"[A-Z]\d[A-Z] ?\d[A-Z]\d", re.ASCII | re.IGNORECASE),
    lambda code: (3, 1),
)
ZIP_PLUS_4 = PostcodeKind(
    "ZIP codes of five or nine digits", re.compile(r"\d{5}(?:-\d{4})?", re.ASCII), lambda code: (5, 4, 3, 2, 1)
)
KINDS = (BRITISH, DUTCH, CANADIAN, ZIP_PLUS_4)
FIVE = 5  # digits: such codes may be of any country, and are cut digit by digit


def recognize_postcodes(codes: Sequence[str], counts: Sequence[int]) -> PostcodeKind | None:
    """Return the kind that nearly all codes are of; None if there is none, or if they are just five digits."""
    for kind in KINDS:
        known = [kind.matches(code) for code in codes]
        rows = sum(count for count, is_known in zip(counts, known, strict=True) if is_known)
        if known and sum(known) >= SHARE * len(known) and rows >= SHARE * sum(counts):
            return None if kind is ZIP_PLUS_4 and all(len(code) <= FIVE for code in codes) else kind
    return None


def cut_postcodes(column: str, codes: Sequence[str], counts: Sequence[int]) -> tuple[list[list[str]], PostcodeKind]:
    """Return the labels of codes level by level, the finest first, and their kind. What is no such code stays as it is.

    >>> cut_postcodes("x", ["EC1A 1BB", "M1 1AE"], [1, 1])[0]
    [['EC1A ***', 'M1 ***'], ['EC******', 'M*****']]
    """
    kind = recognize_postcodes(codes, counts)
    if kind is None:
        raise SchemaError(
            f"{column!r} does not hold {', '.join(one.name for one in KINDS[:-1])} or {KINDS[-1].name}.",
            code="schema.hierarchy",
            hint=f"Cut other codes to their beginnings, e.g. {recipe('prefixes', 3, 1)}.",
        )
    cuts = [kind.cut(code) if kind.matches(code) else () for code in codes]
    height = max(map(len, cuts))
    labels = {_hide_end(code, length) for code, some in zip(codes, cuts, strict=True) for length in some}
    levels = [
        [
            _hide_end(code, some[level]) if some else name_unlisted(code, labels)
            for code, some in zip(codes, cuts, strict=True)
        ]
        for level in range(height)
    ]
    return levels, kind


def _hide_end(code: str, length: int) -> str:
    return code[:length] + "*" * (len(code) - length)
