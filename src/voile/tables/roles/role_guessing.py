"""Suggest the role of a column from its features. This is only a start: a person must decide.

No column that may tell who somebody is is suggested for publication. Where neither the name nor the values say enough,
the suggestion is `unsure`, and the user decides before anything is published.
"""

from __future__ import annotations

from dataclasses import dataclass

from voile.tables.roles.check_digits import GENERAL, PERSONAL
from voile.tables.roles.column_features import ColumnFeatures
from voile.tables.roles.column_words import PERSON, ROLE_OF, find_meanings, names_people, names_thing, split_words

UNSURE = "unsure"  # the answer that a person must give
NEARLY = 0.95  # share of the filled cells whose value is unique: nearly everybody has a value of their own
MANY = 20  # different values from which a column without a telling name may tell people apart
SMALL = 20  # filled cells up to which different values tell nothing
PROSE_LENGTH, PROSE_WORDS = 40, 4.0  # on average, from which a column counts as free text
MOSTLY = 0.8  # share of different values that must be codes of one kind
NAMED = 0.5  # share of different values that must look like names of people
FEW = 12  # different values from which names are no categories
SHARED = 5  # rows per value that are many
SURE, LIKELY = "sure", "likely"


@dataclass(frozen=True)
class RoleSuggestion:
    """A suggested role (empty: leave the column out), the reason, how certain it is (`sure`, `likely` or `unsure`), what
    the column seems to mean, and whether its values may be people, each with one row or several."""

    role: str
    why: str
    confidence: str = LIKELY
    meaning: str = ""
    tells_people_apart: bool = False


def is_near_unique(distinct: int, filled: int) -> bool:
    """Whether nearly every filled cell of a column has a value of its own; a few cells tell nothing.

    >>> is_near_unique(95, 100), is_near_unique(20, 20)
    (True, False)
    """
    return filled > SMALL and distinct >= NEARLY * filled


def suggest_role(column: ColumnFeatures) -> RoleSuggestion:
    """Suggest the role of a column.

    >>> suggest_role(ColumnFeatures("zip", "categorical", "String", 400, 40, 1)).role
    'quasi'
    >>> suggest_role(ColumnFeatures("patient_id", "numeric", "Int64", 903, 620, 400)).why
    '620 different values in 903 rows: it may tell people apart.'
    """
    if column.filled == 0:
        return RoleSuggestion("", "It is empty.", SURE)
    if column.distinct == 1:
        return RoleSuggestion("other", "Everybody has the same value.", SURE)
    meanings = find_meanings(column.name)
    return _find_identifier(column, meanings) or _find_secret_or_known(column, meanings) or _doubt(column)


def _find_identifier(column: ColumnFeatures, meanings: list[str]) -> RoleSuggestion | None:
    """Return the suggestion for a column that may tell who somebody is, by its values or its name."""
    is_text, can_number = column.type in ("String", "Enum"), column.type.startswith(("Int", "UInt", "String"))
    personal = max(PERSONAL, key=lambda code: column.codes.get(code, 0.0))
    if column.codes.get(personal, 0.0) >= MOSTLY and column.distinct >= MANY:
        return RoleSuggestion("identifier", f"It holds {personal}.", SURE, personal, True)
    repeats = f"{column.distinct:,} different values in {column.filled:,} rows: it may tell people apart."
    can_be_people = can_number or (column.is_whole and not column.is_negative)
    if names_people(column.name, column.distinct, MANY) and can_be_people and column.distinct < column.filled:
        return RoleSuggestion("identifier", repeats, LIKELY, "person", True)
    if is_text and (column.length > PROSE_LENGTH or column.words >= PROSE_WORDS) and 5 * column.distinct > column.filled:
        return RoleSuggestion("identifier", "It holds free text, which may name people.", SURE, "free text")
    if is_text and column.names >= NAMED and column.distinct >= FEW:
        return RoleSuggestion("identifier", "Its values look like names of people.", SURE, "name")
    if {"name", "contact", "number of a person"} & set(meanings) and not names_thing(column.name):
        is_person = PERSON.fullmatch(split_words(column.name).strip()) is not None
        if is_text or can_be_people and 2 * column.distinct > column.filled:
            why = "Its name suggests that it identifies people."
            return RoleSuggestion("identifier", why, LIKELY, meanings[0], is_person)
    if can_be_people and (can_number or not meanings) and is_near_unique(column.distinct, column.filled):
        if not column.is_negative and not (column.kind == "numeric" and _names_quantity(meanings)):
            return RoleSuggestion("identifier", "Nearly everybody has a value of their own.", LIKELY, "number")
    if column.keeps_traits and MANY <= column.distinct <= column.filled - MANY and not meanings:
        return RoleSuggestion("identifier", repeats, LIKELY, "person", True)
    return None


def _names_quantity(meanings: list[str]) -> bool:
    """Whether a name speaks of an amount or a measurement, which differs from person to person by nature."""
    return bool({"money", "lab value", "outcome", "score", "body", "work"} & set(meanings))


def _find_secret_or_known(column: ColumnFeatures, meanings: list[str]) -> RoleSuggestion | None:
    """Return the suggestion for a column that should stay secret, or that others may know."""
    general = max(GENERAL, key=lambda code: column.codes.get(code, 0.0))
    if column.codes.get(general, 0.0) >= MOSTLY:
        if general == "ICD-10 codes":
            return RoleSuggestion("sensitive", "It holds codes of diagnoses (ICD-10).", SURE, "diagnosis")
        return RoleSuggestion("quasi", f"It holds {general}, which others may know.", SURE, "place")
    if "weight" in meanings or (set(meanings) == {"body"} and "age" not in column.ranges and _differs_widely(column)):
        why = "It may be a survey weight, which tells who somebody is, or a measurement: say which."
        return RoleSuggestion(UNSURE, why, UNSURE, "weight")
    roles = [ROLE_OF[meaning] for meaning in meanings if meaning in ROLE_OF]
    is_text = column.type in ("String", "Enum")
    if roles and is_text and 2 * column.distinct > column.filled > SMALL:
        why = "Its values are texts that most rows have for themselves; its name does not say that they identify people."
        return RoleSuggestion(UNSURE, why, UNSURE, meanings[0])
    if "sensitive" in roles:
        meaning = next(one for one in meanings if ROLE_OF.get(one) == "sensitive")
        return RoleSuggestion("sensitive", f"Its name suggests that it should stay secret ({meaning}).", LIKELY, meaning)
    if "quasi" in roles:
        return RoleSuggestion("quasi", f"Others may know it about a person ({meanings[0]}).", LIKELY, meanings[0])
    if column.kind == "date":
        return RoleSuggestion("quasi", "Others may know when something happened to a person.", LIKELY, "date")
    return None


def _differs_widely(column: ColumnFeatures) -> bool:
    return column.kind == "numeric" and column.distinct > 100


def _doubt(column: ColumnFeatures) -> RoleSuggestion:
    """Return the suggestion for a column whose name says nothing: known to others if it has two values that many rows
    share, which tell nobody apart; otherwise a person must decide."""
    if column.distinct == 2 and column.filled >= SHARED * column.distinct and column.alone == 0:
        why = "It has two values that many rows share; that others may know it is the safe guess."
        return RoleSuggestion("quasi", why, LIKELY, "category")
    why = f"Neither its name nor its {column.distinct:,} different values say what it is: decide yourself."
    return RoleSuggestion(UNSURE, why, UNSURE)
