"""Suggest the role of a column from its features. This is only a start: a person must decide.

No column that may tell who somebody is is suggested for publication. Where neither the name nor the values say enough,
the suggestion is `unsure`, and the user decides before anything is published.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from voile.tables.code_lists.known_lists import ENOUGH
from voile.tables.roles.check_digits import DATES, FIVE_DIGITS, GENERAL, MIXED, PERSONAL, POINTED, POSTCODES
from voile.tables.roles.column_features import LONG, ColumnFeatures
from voile.tables.roles.column_words import (
    PERSON,
    ROLE_OF,
    find_meanings,
    is_vague,
    name_number,
    names_area,
    names_number,
    names_people,
    names_thing,
    names_weight,
    split_words,
)

UNSURE = "unsure"  # the answer that a person must give
NEARLY = 0.95  # share of the filled cells whose value is unique: nearly everybody has a value of their own
MANY = 20  # different values from which a column without a telling name may tell people apart
SMALL = 20  # filled cells up to which different values tell nothing
PROSE_LENGTH, PROSE_WORDS = 40, 4.0  # on average, from which a column counts as free text
FEW_WORDS = 3.0  # on average, from which notes are free text even if few of them differ
MOSTLY = 0.8  # share of different values that must be codes of one kind
NAMED = 0.5  # share of different values that must look like names of people
MAYBE_NAMED = 0.25  # share from which they may be names of a language that the lexicon knows little of
LABELLED = 0.5  # share of the values of a category that are about the same
TWOFOLD = "category"  # what a column of two values means of which nothing else is known
FEW = 12  # different values from which names are no categories
SHARED = 5  # rows per value that are many
ROWS_EACH = 20  # rows per value that nobody has: a number of people or papers has fewer
WHEN = "Others may know when something happened to a person."
SURE, LIKELY = "sure", "likely"
# they may be different from row to row, or shared by several people
LISTED = ("countries", "US states")  # their short codes are also short words, so it takes several
WORDS = (*LISTED, "sexes", "months")  # what the name of the column says counts more
CONTACTS = ("telephone numbers", "IP addresses", "web addresses", "street addresses", "payment cards", "UUIDs")


@dataclass(frozen=True)
class RoleSuggestion:
    """A suggested role (empty: leave the column out), the reason, how certain it is (`sure`, `likely`, `unsure`), what
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


def is_shared(column: ColumnFeatures) -> bool:
    """Whether many rows share each value of a column, so that it tells few people apart."""
    return column.filled >= SHARED * column.distinct


def suggest_role(column: ColumnFeatures) -> RoleSuggestion:
    """Suggest the role of a column.

    >>> suggest_role(ColumnFeatures("zip", "categorical", "String", 400, 40, 1)).role
    'quasi'
    >>> suggest_role(ColumnFeatures("patient_id", "numeric", "Int64", 903, 620, 400)).why
    '620 different values in 903 rows: it may tell people apart.'
    """
    if column.filled == 0:
        return RoleSuggestion("", "It is empty.", SURE)
    if column.distinct == 1 and not column.missing:
        return RoleSuggestion("other", "Everybody has the same value.", SURE)
    meanings = find_meanings(column.name) or find_meanings(column.title) or _read_labels(column)
    if names_area(column.name) and not _holds_contacts(column) and column.words < PROSE_WORDS:
        return _tell_place(column)
    return _find_identifier(column, meanings) or _find_secret_or_known(column, meanings) or _doubt(column)


def _holds_contacts(column: ColumnFeatures) -> bool:
    return max((column.codes.get(code, 0.0) for code in PERSONAL), default=0.0) >= MOSTLY


def _find_identifier(column: ColumnFeatures, meanings: Sequence[str]) -> RoleSuggestion | None:
    """Return the suggestion for a column that may tell who somebody is: by its values, its name, or both."""
    return _find_personal(column, meanings) or _find_named(column, meanings) or _find_number(column, meanings)


def _find_personal(column: ColumnFeatures, meanings: Sequence[str]) -> RoleSuggestion | None:
    """Return the suggestion for a column whose values are personal, or number people."""
    is_text = column.type in ("String", "Enum")
    personal = max(PERSONAL, key=lambda code: column.codes.get(code, 0.0))
    if column.codes.get(personal, 0.0) >= MOSTLY and column.distinct >= MANY:
        is_person = personal not in CONTACTS
        return RoleSuggestion("identifier", f"It holds {personal}.", SURE, personal, is_person)
    if names_people(column.name, column.distinct, MANY) and _may_be_people(column) and column.distinct < column.filled:
        return RoleSuggestion("identifier", _tell_repeats(column), LIKELY, "person", True)
    is_prose = column.length > PROSE_LENGTH or column.words >= PROSE_WORDS
    if is_text and is_prose and 5 * column.distinct > column.filled:
        return RoleSuggestion("identifier", "It holds free text, which may name people.", SURE, "free text")
    if is_text and "free text" in meanings and (column.words >= FEW_WORDS or column.distinct >= MANY):
        return RoleSuggestion("identifier", "It seems to hold notes, which may name people.", LIKELY, "free text")
    if is_text and column.names >= NAMED and column.distinct >= FEW and not names_thing(column.name):
        return RoleSuggestion("identifier", "Its values look like names of people.", SURE, "name")
    return None


def _find_named(column: ColumnFeatures, meanings: Sequence[str]) -> RoleSuggestion | None:
    """Return the suggestion for a column with the name of a name, a contact or a personal number. A few values that
    many rows share are none: whether there is a telephone, the name of an agency."""
    named = {"name", "contact", "number of a person"} & set(meanings)
    is_label = column.distinct < FEW and is_shared(column) and "number of a person" not in named
    is_bare_name = "name" in named and len(split_words(column.name).split()) == 1
    if not named or (is_label and not is_bare_name) or names_thing(column.name):
        return None
    is_usual = 2 * column.distinct > column.filled or "number of a person" in named
    if column.type in ("String", "Enum") or (_may_be_people(column) and is_usual):
        why = "Its name suggests that it identifies people."
        return RoleSuggestion("identifier", why, LIKELY, meanings[0], _is_person(column))
    return None


def _find_number(column: ColumnFeatures, meanings: Sequence[str]) -> RoleSuggestion | None:
    """Return the suggestion for a column that may number people, or what they have."""
    is_number = names_number(column.name) or _is_person(column)
    is_long = column.is_whole and LONG in column.ranges
    is_quantity = column.is_negative or (
        column.kind == "numeric" and _names_quantity(meanings) and not is_number and not is_long
    )
    can_number = column.type.startswith(("Int", "UInt", "String"))
    is_date = column.codes.get(DATES, 0.0) >= MOSTLY
    may_number = _may_be_people(column) and (can_number or not meanings) and not is_quantity and not is_date
    if may_number and is_near_unique(column.distinct, column.filled):
        if {"birth", "age", "place", "date", "money"} & set(meanings) and not is_number:
            why = f"Nearly everybody has a value of their own, but its name speaks of something else ({meanings[0]})."
            return RoleSuggestion(UNSURE, why, UNSURE, meanings[0])
        why = "Nearly everybody has a value of their own."
        return RoleSuggestion("identifier", why, LIKELY, "number", _is_person(column))
    is_repeated = MANY <= column.distinct <= column.filled - MANY
    if column.keeps_traits and is_repeated and (not meanings or is_number):
        return RoleSuggestion("identifier", _tell_repeats(column), LIKELY, "person", True)
    repeats_much = is_repeated and SHARED * (column.filled - column.distinct) > column.filled
    if column.keeps_traits and repeats_much and not {"birth", "age", "place", "date"} & set(meanings):
        return RoleSuggestion(UNSURE, "Its values repeat as a person's number would: say what it is.", UNSURE, "number")
    if column.codes.get(MIXED, 0.0) >= MOSTLY and not is_date and SHARED * column.distinct > column.filled > SMALL:
        return RoleSuggestion(UNSURE, "It holds codes that may number people: say what they are.", UNSURE, "number")
    if is_long and column.distinct >= MANY and not is_date and "date" not in meanings:
        return RoleSuggestion(UNSURE, "It holds long numbers, as of accounts or papers: say of what.", UNSURE, "number")
    if not is_number or not _may_be_people(column) or column.distinct < MANY:
        return None
    if not names_thing(column.name) and ROWS_EACH * column.distinct > column.filled:
        return RoleSuggestion("identifier", "Its name suggests that it numbers people or papers.", LIKELY, "number")
    if not meanings or SHARED * column.distinct > column.filled:
        return RoleSuggestion(UNSURE, "It may number people, or what its name says: say which.", UNSURE, "number")
    return None


def _may_be_people(column: ColumnFeatures) -> bool:
    return column.type.startswith(("Int", "UInt", "String")) or (column.is_whole and not column.is_negative)


def _is_person(column: ColumnFeatures) -> bool:
    return PERSON.fullmatch(name_number(column.name)) is not None


def _tell_repeats(column: ColumnFeatures) -> str:
    return f"{column.distinct:,} different values in {column.filled:,} rows: it may tell people apart."


def _names_quantity(meanings: Sequence[str]) -> bool:
    """Whether a name speaks of an amount or a measurement, which differs from person to person by nature."""
    return bool({"money", "lab value", "outcome", "score", "body", "work", "course", "conduct"} & set(meanings))


def _find_secret_or_known(column: ColumnFeatures, meanings: Sequence[str]) -> RoleSuggestion | None:
    """Return the suggestion for a column that should stay secret, or that others may know."""
    general = max(
        (code for code in GENERAL if code not in (POINTED, MIXED)), key=lambda code: column.codes.get(code, 0.0)
    )
    is_secret = general in WORDS and any(ROLE_OF.get(meaning) == "sensitive" for meaning in meanings)
    is_enough = general not in LISTED or column.distinct >= ENOUGH
    if column.codes.get(general, 0.0) >= MOSTLY and is_enough and not is_secret:
        if general == "ICD-10 codes" and ("diagnosis" in meanings or column.codes.get(POINTED, 0.0)):
            return RoleSuggestion("sensitive", "It holds codes of diagnoses (ICD-10).", SURE, "diagnosis")
        if general == "ICD-10 codes":
            return RoleSuggestion(UNSURE, "It holds codes that may be diagnoses (ICD-10), or rooms.", UNSURE)
        if general == FIVE_DIGITS and "place" not in meanings:
            return RoleSuggestion(UNSURE, "It holds five digits: postcodes, or numbers of people?", UNSURE, "number")
        if general == DATES:
            return _tell_date(meanings)
        meaning = {"sexes": "sex", "months": "date"}.get(general, "place")
        return RoleSuggestion("quasi", f"It holds {general}, which others may know.", SURE, meaning)
    if column.kind == "date" or column.type == "Time":
        return _tell_date(meanings)
    if "weight" in meanings or (column.kind == "numeric" and names_weight(column.name) and set(meanings) <= {"body"}):
        why = "It may be a survey weight, which tells who somebody is, or a measurement: say which."
        return RoleSuggestion(UNSURE, why, UNSURE, "weight")
    if "technical" in meanings:
        why = "It seems to be technical, as a version, a unit or a key to answers: say whether it is about people."
        return RoleSuggestion(UNSURE, why, UNSURE, "technical")
    may_be_named = column.names >= (NAMED if names_thing(column.name) else MAYBE_NAMED)
    if may_be_named and column.distinct >= (FEW if column.names >= NAMED else MANY):
        why = "Some of its values look like names of people: say what they are."
        return RoleSuggestion(UNSURE, why, UNSURE, "name")
    roles = [ROLE_OF[meaning] for meaning in meanings if meaning in ROLE_OF]
    is_text = column.type in ("String", "Enum")
    if roles and is_text and 2 * column.distinct > column.filled > SMALL:
        why = (
            "Its values are texts that most rows have for themselves; its name does not say that they identify people."
        )
        return RoleSuggestion(UNSURE, why, UNSURE, meanings[0])
    if is_text and column.words >= PROSE_WORDS and column.distinct >= FEW:
        return RoleSuggestion(UNSURE, "It holds sentences, which may name people: say what they are.", UNSURE, "text")
    if "sensitive" in roles:
        meaning = next(one for one in meanings if ROLE_OF.get(one) == "sensitive")
        return RoleSuggestion(
            "sensitive", f"Its name suggests that it should stay secret ({meaning}).", LIKELY, meaning
        )
    if "quasi" in roles:
        return RoleSuggestion("quasi", f"Others may know it about a person ({meanings[0]}).", LIKELY, meanings[0])
    return None


def _tell_place(column: ColumnFeatures) -> RoleSuggestion:
    code = max(POSTCODES, key=lambda code: column.codes.get(code, 0.0))
    if column.codes.get(code, 0.0) >= MOSTLY:
        return RoleSuggestion("quasi", f"It holds {code}, which others may know.", SURE, "place")
    return RoleSuggestion("quasi", "Others may know it about a person (place).", LIKELY, "place")


def _tell_date(meanings: Sequence[str]) -> RoleSuggestion:
    is_birth = "birth" in meanings
    why = "Others may know it about a person (birth)." if is_birth else WHEN
    return RoleSuggestion("quasi", why, LIKELY, "birth" if is_birth else "date")


def _read_labels(column: ColumnFeatures) -> tuple[str, ...]:
    """Return what most values of a column are about, where its name does not say what it is about."""
    telling = ROLE_OF.keys() - {"course"}
    return tuple(meaning for meaning, share in column.labels.items() if share >= LABELLED and meaning in telling)


def _doubt(column: ColumnFeatures) -> RoleSuggestion:
    """Return the suggestion for a column whose name says nothing: known to others if it has two values that many rows
    share, which tell nobody apart, and its name is not one for everything; otherwise a person must decide. A flag that
    is set or missing has two values, too."""
    values = column.distinct + (column.missing > 0 and column.distinct == 1)
    if values == 2 and column.filled >= SHARED * column.distinct and column.alone == 0 and not is_vague(column.name):
        why = "It has two values that many rows share; that others may know it is the safe guess."
        return RoleSuggestion("quasi", why, LIKELY, TWOFOLD)
    why = f"Neither its name nor its {column.distinct:,} different values say what it is: decide yourself."
    return RoleSuggestion(UNSURE, why, UNSURE)
