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
        _ask_neighbours(place, columns, alone) if _is_open(suggestion) else suggestion
        for place, suggestion in enumerate(alone)
    ]


def _is_open(suggestion: RoleSuggestion) -> bool:
    """Whether neither the name nor the values of a column said anything."""
    return suggestion.meaning == TWOFOLD or (suggestion.role == UNSURE and not suggestion.meaning)


def _ask_neighbours(place: int, columns: Sequence[ColumnFeatures], alone: Sequence[RoleSuggestion]) -> RoleSuggestion:
    """Return the suggestion that follows from the columns beside a column of doubt, or else the one that it had."""
    column, own = columns[place], alone[place]
    before = _find_telling(alone, range(place - 1, max(place - NEAR, 0) - 1, -1))
    after = _find_telling(alone, range(place + 1, min(place + NEAR + 1, len(alone))))
    beside = [one for one in (before, after) if one is not None]
    roles, names = {alone[one].role for one in beside}, ", ".join(columns[one].name for one in beside)
    is_text, is_between = column.type in ("String", "Enum"), len(beside) == 2
    is_fraction = column.kind == "numeric" and not column.is_whole
    if is_fraction and is_near_unique(column.distinct, column.filled):
        return own  # it may be a weight
    needs_both = is_text or own.meaning == TWOFOLD
    if roles == {"sensitive"} and (is_between or not needs_both):
        why = f"Its name says nothing; the columns beside it ({names}) should stay secret."
        return RoleSuggestion("sensitive", why, LIKELY)
    if is_fraction and "sensitive" in roles:
        why = "Its name says nothing; it holds measurements or amounts, and a column beside it should stay secret."
        return RoleSuggestion("sensitive", why, LIKELY)
    if is_text and is_between and roles == {"quasi"} and own.role == UNSURE:
        why = f"Its name says nothing; others may know the columns beside it ({names})."
        return RoleSuggestion("quasi", why, LIKELY)
    return own


def _find_telling(alone: Sequence[RoleSuggestion], places: Iterable[int]) -> int | None:
    """Return the first place of a column that is known or secret by itself. A time or a result may be of anything."""
    telling = (one for one in places if alone[one].role in DECIDED and not _is_open(alone[one]))
    return next((one for one in telling if alone[one].meaning != "course"), None)
