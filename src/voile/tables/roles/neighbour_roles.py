"""Suggest the roles of all columns of a table: what one column does not say, the columns around it may.

Tables keep together what belongs together. On tables whose roles people decided on, a column of doubt between two
secret ones was secret nearly always; one between two that others know was only mostly known, unless it was a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from voile.tables.roles.column_features import ColumnFeatures
from voile.tables.roles.role_guessing import LIKELY, TWOFOLD, UNSURE, RoleSuggestion, is_near_unique, suggest_role

DECIDED = ("quasi", "sensitive")
NEAR = 2  # columns to the next one that counts as beside


def suggest_roles(columns: Sequence[ColumnFeatures]) -> list[RoleSuggestion]:
    """Suggest the role of every column of a table, in its order.

    >>> names = ("cholesterol", "zz4", "creatinine")
    >>> columns = [ColumnFeatures(name, "numeric", "Float64", 900, 300, 9) for name in names]
    >>> suggest_roles(columns)[1].why
    'Its name says nothing; the columns beside it (cholesterol, creatinine) should stay secret.'
    """
    alone = [suggest_role(column) for column in columns]
    return [
        _ask_neighbours(
            column, alone[place], _find_decided(columns, alone, range(place - 1, place - 1 - NEAR, -1)), after
        )
        if _is_open(alone[place])
        else alone[place]
        for place, column in enumerate(columns)
        for after in [_find_decided(columns, alone, range(place + 1, place + 1 + NEAR))]
    ]


def _is_open(suggestion: RoleSuggestion) -> bool:
    """Whether neither the name nor the values of a column said anything."""
    return suggestion.meaning == TWOFOLD or (suggestion.role == UNSURE and not suggestion.meaning)


def _is_vague(suggestion: RoleSuggestion) -> bool:
    """Whether a suggestion says too little about the columns around it: a time or a result may be of anything."""
    return _is_open(suggestion) or suggestion.meaning == "course"


def _find_decided(
    columns: Sequence[ColumnFeatures], alone: Sequence[RoleSuggestion], places: Iterable[int]
) -> tuple[str, str]:
    """Return role and name of the first column that is known or secret by itself; empty texts if there is none."""
    for place in places:
        if 0 <= place < len(alone) and alone[place].role in DECIDED and not _is_vague(alone[place]):
            return alone[place].role, columns[place].name
    return "", ""


def _ask_neighbours(
    column: ColumnFeatures, alone: RoleSuggestion, before: tuple[str, str], after: tuple[str, str]
) -> RoleSuggestion:
    """Return the suggestion that follows from the columns beside a column of doubt, or else the one that it had."""
    roles = sorted({before[0], after[0]} - {""})
    names = ", ".join(name for _, name in (before, after) if name)
    is_text = column.type in ("String", "Enum")
    is_fraction = column.kind == "numeric" and not column.is_whole
    if is_fraction and is_near_unique(column.distinct, column.filled):
        return alone  # it may be a weight
    is_between = bool(before[0] and after[0])
    needs_both = is_text or alone.meaning == TWOFOLD
    if roles == ["sensitive"] and (is_between or not needs_both):
        why = f"Its name says nothing; the columns beside it ({names}) should stay secret."
        return RoleSuggestion("sensitive", why, LIKELY)
    if is_fraction and "sensitive" in roles:
        why = "Its name says nothing; it holds measurements or amounts, and a column beside it should stay secret."
        return RoleSuggestion("sensitive", why, LIKELY)
    if is_text and is_between and roles == ["quasi"] and alone.role == UNSURE:
        why = f"Its name says nothing; others may know the columns beside it ({names})."
        return RoleSuggestion("quasi", why, LIKELY)
    return alone
