"""The code lists that voile has, and how the codes of a column are placed in one."""

from __future__ import annotations

from collections.abc import Sequence

from voile.errors import SchemaError, recipe
from voile.tables.code_lists.code_list import CodeList
from voile.tables.code_lists.countries import COUNTRIES
from voile.tables.code_lists.education import EDUCATION
from voile.tables.code_lists.icd10 import ICD10
from voile.tables.code_lists.isco import ISCO08

CODE_LISTS = {code_list.name: code_list for code_list in (ICD10, COUNTRIES, ISCO08, EDUCATION)}
_BY_ITSELF = (ICD10, COUNTRIES, EDUCATION)  # ISCO's codes are numbers, which may be anything
ENOUGH = 4  # different codes below which a list is not recognised by itself


def recognize_list(codes: Sequence[str]) -> CodeList | None:
    """Return the list that has every one of some codes; None if there are few of them, or no list has all."""
    if len(codes) < ENOUGH:
        return None
    return next((known for known in _BY_ITSELF if known.count_unknown(codes) == 0), None)


def place_codes(column: str, code_list: CodeList, codes: Sequence[str], editions: Sequence[float]) -> list[list[str]]:
    """Return the labels of codes level by level, the finest first; SchemaError if the list lacks some of them, or if
    another edition is asked for."""
    if list(editions) not in ([], [code_list.edition]):
        raise SchemaError(
            f"The hierarchy of {column!r} asks for an edition of {code_list.name} that voile does not have.",
            code="schema.hierarchy-edition",
            hint=f"This version has {code_list.title}: write {code_list.name}:{code_list.edition}.",
        )
    unknown = code_list.count_unknown(codes)
    if unknown:
        other = code_list.guess_other(codes)
        raise SchemaError(
            f"{unknown} of {len(codes)} codes of {column!r} are not in {code_list.title}"
            + (f"; they look like codes of {other}." if other else "."),
            code="schema.hierarchy-edition",
            hint="Convert those codes, take them as plain text "
            f"({recipe('prefixes', 3, 1)}), or give the hierarchy as a file.",
        )
    paths = [code_list.place(code) or () for code in codes]
    return [list(level) for level in zip(*paths, strict=True)]
