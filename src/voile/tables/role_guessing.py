"""Guess the role of a column from its name and its values. This is only a start: a person must decide."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

# words in the names of columns, in a few languages; the whole word must occur
_IDENTIFIER = (
    "name surname firstname lastname forename fullname vorname nachname nom prenom nombre apellido cognome id uid uuid "
    "identifier ssn nhs nino passport email mail phone telephone tel mobile fax address street iban account patient "
    "mrn insurance_number licence plate ip url"
)
_SENSITIVE = (
    "disease diagnosis diagnose illness condition symptom hiv cancer icd treatment therapy drug medication salary "
    "income wage wages pay earnings cost charges debt credit religion belief politics party orientation "
    "crime offence conviction disability pregnancy mortality death outcome result score maladie malattia krankheit "
    "diagnosi gehalt einkommen lohn salaire revenu reddito enfermedad renta"
)
_PATTERNS = {
    role: re.compile(rf"(?:^|[^a-z])(?:{'|'.join(words.split())})(?:[^a-z]|$)")
    for role, words in (("identifier", _IDENTIFIER), ("sensitive", _SENSITIVE))
}
# whole names that speak of nothing but people: patient_id, customer no, MRN, id; but not ward_id or patient_age
_WHOM = (
    "patient|pat|person|subject|participant|respondent|proband|customer|client|consumer|member|user|household|"
    "hh|family|employee|worker|student|pupil|insured|policyholder|taxpayer|voter|kunde|kunden|patienten|haushalt|"
    "versicherten|cliente|paciente|paziente|malade|menage|assure"
)
_NUMBER = "id|ids|identifier|nr|no|num|number|nummer|numero|key|code"
_PERSON = re.compile(
    rf"(?:id[^a-z]*)?(?:{_WHOM})(?:[^a-z]*(?:{_NUMBER}))?|id|uid|uuid|identifier|pid|mrn|ssn|nhs(?:[^a-z]*"
    rf"(?:{_NUMBER}))?|nino|passport|e[^a-z]?mail|seqn|enrolid|bene[^a-z]*id"
)
# what does not change from one row of a person to the next
_TRAIT = re.compile(
    r"(?:^|[^a-z])(?:birth|birthday|birthdate|dob|born|sex|gender|geburt|geburtsdatum|geschlecht|sexe|naissance|sesso|"
    r"nascita|sexo|nacimiento|race|ethnicity)(?:[^a-z]|$)"
)
NEARLY = 0.95  # share of the filled cells whose value is unique: nearly everybody has a value of their own
MANY = 20  # different values from which a column without a telling name may tell people apart
SMALL = 20  # filled cells up to which different values tell nothing
PROSE = 40  # average number of letters from which a column counts as free text


@dataclass(frozen=True)
class ColumnProfile:
    """A summary of a column: how many values it has, how many cells are missing, how many people have a value that
    nobody else has, the suggested role (empty: leave the column out) with the reason, and whether its values may be
    people, each with one row or several."""

    name: str
    kind: str
    type: str
    distinct: int
    missing: int
    alone: int
    role: str = ""
    why: str = ""
    tells_people_apart: bool = False


def is_near_unique(distinct: int, filled: int) -> bool:
    """Whether nearly every filled cell of a column has a value of its own; a few cells tell nothing.

    >>> is_near_unique(95, 100), is_near_unique(20, 20)
    (True, False)
    """
    return filled > SMALL and distinct >= NEARLY * filled


def suggest_role(
    column: ColumnProfile, rows: int, length: float, has_constant_trait: Callable[[], bool] = lambda: False
) -> ColumnProfile:
    """Return the column with a suggested role; `length` is the average number of letters of its texts.

    `has_constant_trait` answers whether birth and sex, say, never change within a value of the column. It is asked only
    where that would show that the values are people.

    >>> suggest_role(ColumnProfile("zip", "categorical", "String", 40, 0, 1), 400, 5.0).role
    'quasi'
    >>> suggest_role(ColumnProfile("patient_id", "numeric", "Int64", 620, 0, 400), 903, 0.0).why
    '620 different values in 903 rows: it may tell people apart.'
    """
    role, why, tells_people_apart = _guess_role(column, rows - column.missing, length, has_constant_trait)
    return replace(column, role=role, why=why, tells_people_apart=tells_people_apart)


def is_trait(name: str) -> bool:
    """Whether a name suggests what does not change from one row of a person to the next, such as birth or sex."""
    return _TRAIT.search(_split_words(name)) is not None


def _split_words(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


def _guess_role(
    column: ColumnProfile, filled: int, length: float, has_constant_trait: Callable[[], bool]
) -> tuple[str, str, bool]:
    """Return the role, the reason, and whether the column may tell people apart."""
    words = _split_words(column.name)
    can_number_people = column.type.startswith(("Int", "UInt", "String"))
    if filled == 0:
        return "", "It is empty.", False
    if column.distinct == 1:
        return "other", "Everybody has the same value.", False
    repeats = f"{column.distinct:,} different values in {filled:,} rows: it may tell people apart."
    if _names_people(words, column.distinct) and can_number_people and column.distinct < filled:
        return "identifier", repeats, True
    if length > PROSE and 2 * column.distinct > filled:
        return "identifier", "It holds free text, which may name people.", False
    if _PATTERNS["identifier"].search(words) and 2 * column.distinct > filled:
        why = "Its name and its many different values suggest that it identifies people."
        return "identifier", why, _PERSON.fullmatch(words.strip()) is not None
    if can_number_people and is_near_unique(column.distinct, filled):
        return "identifier", "Nearly everybody has a value of their own.", False
    if _PATTERNS["sensitive"].search(words):
        return "sensitive", "Its name suggests that it should stay secret.", False
    if can_number_people and MANY <= column.distinct <= filled - MANY and not is_trait(words) and has_constant_trait():
        return "identifier", repeats, True
    return "quasi", "Others may know it about a person; this is the safe guess.", False


def _names_people(words: str, distinct: int) -> bool:
    """Whether a name speaks of people alone. Without a number in its name (`member`, `household`), a column needs many
    values: it may as well say what kind of member or household it is."""
    if _PERSON.fullmatch(words.strip()) is None:
        return False
    return distinct >= MANY or (distinct > 2 and re.fullmatch(_WHOM, words.strip()) is None)
