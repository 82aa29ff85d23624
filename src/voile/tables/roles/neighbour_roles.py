"""Suggest the roles of all columns of a table: what one column does not say, the others may.

Tables keep together what belongs together: on tables whose roles people decided on, a column of doubt between two
secret ones was secret nearly always. Answers to a questionnaire stand in columns that differ by a number, and a weight
beside a height is that of a body.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from voile.tables.roles.column_features import ColumnFeatures
from voile.tables.roles.column_words import find_meanings, names_height
from voile.tables.roles.role_guessing import (
    FEW,
    LIKELY,
    TWOFOLD,
    UNSURE,
    RoleSuggestion,
    is_near_unique,
    is_shared,
    suggest_role,
)

DECIDED = ("quasi", "sensitive")
NEAR = 2  # columns to the next one that counts as beside
ITEMS = 4  # columns of a questionnaire whose names differ by a number
ANSWERS = 11  # different answers to a question


def suggest_roles(columns: Sequence[ColumnFeatures]) -> list[RoleSuggestion]:
    """Suggest the role of every column of a table, in its order.

    >>> names = ("cholesterol", "zz4", "creatinine")
    >>> columns = [ColumnFeatures(name, "numeric", "Int64", 900, 90, 9, is_whole=True) for name in names]
    >>> suggest_roles(columns)[1].why
    'Its name says nothing; the columns beside it (cholesterol, creatinine) should stay secret.'
    """
    alone = [suggest_role(column) for column in columns]
    items = Counter(map(_name_item, columns))
    has_height = any(names_height(column.name) for column in columns)
    return [
        _settle(place, columns, alone, items[_name_item(columns[place])], has_height) for place in range(len(columns))
    ]


def _name_item(column: ColumnFeatures) -> tuple[str, int] | None:
    """Return what the columns of a questionnaire share: the name but for a number, and the number of answers."""
    stem = re.sub(r"(?<!\d)\d{1,2}$", "", column.name)  # v003 is a variable's code
    is_item = stem != column.name and 2 < column.distinct <= ANSWERS and column.kind == "numeric"
    return (stem, column.distinct) if is_item else None


def _settle(
    place: int, columns: Sequence[ColumnFeatures], alone: Sequence[RoleSuggestion], items: int, has_height: bool
) -> RoleSuggestion:
    """Return the suggestion for a column of a table. `items` are the columns of the questionnaire that it may be of."""
    column, own = columns[place], alone[place]
    if own.meaning == "weight" and has_height and "body" in find_meanings(column.name):
        return RoleSuggestion(
            "quasi", "Others may know it about a person (body), as the height beside it.", LIKELY, "body"
        )
    if not _is_open(own):
        return own
    if items >= ITEMS and _name_item(column) is not None:
        why = f"It is one of {items} columns whose names differ by a number, as answers to a questionnaire."
        return RoleSuggestion("sensitive", why, LIKELY, "belief")
    return _ask_neighbours(place, columns, alone)


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
    is_fraction = column.kind == "numeric" and not column.is_whole
    if (
        is_fraction and beside and column.distinct > FEW and not is_near_unique(column.distinct, column.filled)
    ):  # a weight is near unique
        why = f"Its name says nothing; beside {names}, fractions are measurements or amounts."
        return RoleSuggestion("sensitive", why, LIKELY)
    if len(beside) < 2 or is_fraction:
        return _leave_open(own)
    if roles == {"sensitive"} and (column.kind == "numeric" or own.meaning == TWOFOLD) and is_shared(column):
        why = f"Its name says nothing; the columns beside it ({names}) should stay secret."
        return RoleSuggestion("sensitive", why, LIKELY)
    return own


def _leave_open(own: RoleSuggestion) -> RoleSuggestion:
    """Return doubt: two values that many rows share are the safe guess only among columns that are known or secret."""
    if own.role == UNSURE:
        return own
    why = "Neither its name, its two values nor the columns beside it say what it is: decide yourself."
    return RoleSuggestion(UNSURE, why, UNSURE)


def _find_telling(alone: Sequence[RoleSuggestion], places: Iterable[int]) -> int | None:
    """Return the first place of a column that is known or secret by itself. A time or a result may be of anything."""
    telling = (one for one in places if alone[one].role in DECIDED and not _is_open(alone[one]))
    return next((one for one in telling if alone[one].meaning != "course"), None)
