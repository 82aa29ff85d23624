"""The code lists that voile has, and how the codes of a column are placed in one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voile.errors import SchemaError, recipe
from voile.plugins.counted_nouns import count_noun
from voile.tables.code_lists.code_list import CodeList, name_unlisted
from voile.tables.code_lists.countries import COUNTRIES
from voile.tables.code_lists.education import EDUCATION
from voile.tables.code_lists.icd10 import ICD10
from voile.tables.code_lists.isco import ISCO08, is_title
from voile.tables.domain import Domain

CODE_LISTS = {code_list.name: code_list for code_list in (ICD10, COUNTRIES, ISCO08, EDUCATION)}
_BY_ITSELF = (ICD10, COUNTRIES, EDUCATION)  # ISCO's codes are numbers, which may be anything
_ISCO = re.compile(r"(?<![a-z])isco(?![a-z])(?!\W?_?(?:19)?[568]8)")  # isco, isco_code and isco08, but not isco88
ENOUGH = 4  # different codes below which a list is not recognised by itself
PROBE = 1_000  # values that are looked up first: most columns with many values are of no list
SOME = 0.65  # share of the different values from which a list that a column does not fit is worth a word


@dataclass(frozen=True)
class ListFit:
    """How far the values of a column are of a public list: how many `values`, how many of them are `unlisted`, and the
    list or edition that those seem to be of. `holds` says whether the list gives the column its hierarchy by itself."""

    list: str
    title: str
    values: int
    unlisted: int
    other: str
    holds: bool

    def describe(self, column: str) -> str:
        """Say which list it is and what does not fit, without naming a value."""
        if not self.unlisted:
            return f"{column}: all {self.values:,} values are in {self.title}"
        verb = "is" if self.unlisted == 1 else "are"
        counted = f"{self.unlisted:,} of {count_noun(self.values, 'value')} {verb} not in {self.title}"
        other = f", and {'seems' if self.unlisted == 1 else 'seem'} to be of {self.other}" if self.other else ""
        then = "the others are grouped by it" if self.holds else "too many for a hierarchy by that list"
        return f"{column}: {counted}{other}; {then}"


def measure_fit(codes: Sequence[str], counts: Sequence[int], column: str = "") -> ListFit | None:
    """Return how far the values of a column are of the list that has the most of them; None if no list has enough."""
    if len(codes) < ENOUGH:
        return None
    if len(codes) > PROBE and measure_fit(codes[:: len(codes) // PROBE][:PROBE], [1] * PROBE, column) is None:
        return None
    names_isco = _ISCO.search(column.lower()) is not None
    lists = (ISCO08, *_BY_ITSELF) if names_isco or any(map(is_title, codes)) else _BY_ITSELF
    unlisted = [known.count_unknown(codes) for known in lists]
    best = unlisted.index(min(unlisted))
    if len(codes) - unlisted[best] < SOME * len(codes):
        return None
    known = lists[best]
    holds = _fits_nearly(known, codes, counts)
    return ListFit(known.name, known.title, len(codes), unlisted[best], known.guess_other(codes), holds)


def measure_column_fit(column: str, domain: Domain, counts: np.ndarray) -> ListFit | None:
    """Return how far a column of categories, whose values have these numbers of rows, is of a list."""
    if domain.uses_intervals:
        return None
    size = len(domain.values)
    return measure_fit(domain.labels[:size], counts[:size].tolist(), column)


def recognize_list(codes: Sequence[str], counts: Sequence[int] | None = None, column: str = "") -> CodeList | None:
    """Return the list that has nearly all of some codes; None if there are few of them, or no list has so many."""
    fit = measure_fit(codes, [1] * len(codes) if counts is None else counts, column)
    return CODE_LISTS[fit.list] if fit is not None and fit.holds else None


def _fits_nearly(code_list: CodeList, codes: Sequence[str], counts: Sequence[int]) -> bool:
    """Whether a list has nearly all codes, in values and in rows, and no rival has more of them."""
    known = [code_list.place(code) is not None for code in codes]
    if all(known):
        return True
    rows = sum(count for count, is_known in zip(counts, known, strict=True) if is_known)
    most = max((sum(map(rival, codes)) for rival in code_list.rivals), default=0)
    are_most = sum(known) >= code_list.share * len(codes) and rows >= code_list.share * sum(counts)
    return are_most and most <= sum(known)


def place_codes(
    column: str, code_list: CodeList, codes: Sequence[str], editions: Sequence[float], counts: Sequence[int]
) -> tuple[list[list[str]], int]:
    """Return the labels of codes level by level, the finest first, and how many codes the list lacks. Such a code stays
    as it is up to the coarsest level, where they are together. SchemaError if too many are lacking, or if another
    edition is asked for."""
    if list(editions) not in ([], [code_list.edition]):
        raise SchemaError(
            f"The hierarchy of {column!r} asks for an edition of {code_list.name} that voile does not have.",
            code="schema.hierarchy-edition",
            hint=f"This version has {code_list.title}: write {code_list.name}:{code_list.edition}.",
        )
    unknown = code_list.count_unknown(codes)
    if not _fits_nearly(code_list, codes, counts):
        other = code_list.guess_other(codes)
        raise SchemaError(
            f"{unknown} of {len(codes)} codes of {column!r} are not in {code_list.title}"
            + (f"; they look like codes of {other}." if other else "."),
            code="schema.hierarchy-edition",
            hint="Convert those codes, take them as plain text "
            f"({recipe('prefixes', 3, 1)}), or give the hierarchy as a file.",
        )
    paths = [code_list.place(code) for code in codes]
    height = max((len(path) for path in paths if path is not None), default=0)
    top = f"not in {code_list.title}"
    labels = {label for path in paths if path is not None for label in path}
    placed = [
        path if path is not None else (*[name_unlisted(code, labels)] * (height - 1), top)
        for code, path in zip(codes, paths, strict=True)
    ]
    return [list(level) for level in zip(*placed, strict=True)], unknown
