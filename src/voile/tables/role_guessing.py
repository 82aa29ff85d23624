"""Guess the role of a column from its name and its values. This is only a start: a person must decide."""

from __future__ import annotations

import re
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
NEARLY = 0.95  # share of the filled cells whose value is unique: nearly everybody has a value of their own
PROSE = 40  # average number of letters from which a column counts as free text


@dataclass(frozen=True)
class ColumnProfile:
    """A summary of a column: how many values it has, how many cells are missing, how many people have a value that
    nobody else has, and the suggested role (empty: leave the column out) with the reason."""

    name: str
    kind: str
    type: str
    distinct: int
    missing: int
    alone: int
    role: str = ""
    why: str = ""


def suggest_role(column: ColumnProfile, rows: int, length: float) -> ColumnProfile:
    """Return the column with a suggested role; `length` is the average number of letters of its texts.

    >>> suggest_role(ColumnProfile("zip", "categorical", "String", 40, 0, 1), 400, 5.0).role
    'quasi'
    """
    role, why = _guess_role(column, rows - column.missing, length)
    return replace(column, role=role, why=why)


def _guess_role(column: ColumnProfile, filled: int, length: float) -> tuple[str, str]:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column.name).lower()
    can_number_people = column.type.startswith(("Int", "UInt", "String"))
    if filled == 0:
        return "", "It is empty."
    if column.distinct == 1:
        return "other", "Everybody has the same value."
    if length > PROSE and 2 * column.distinct > filled:
        return "identifier", "It holds free text, which may name people."
    if _PATTERNS["identifier"].search(words) and 2 * column.distinct > filled:
        return "identifier", "Its name and its many different values suggest that it identifies people."
    if can_number_people and filled > 20 and column.distinct >= NEARLY * filled:
        return "identifier", "Nearly everybody has a value of their own."
    if _PATTERNS["sensitive"].search(words):
        return "sensitive", "Its name suggests that it should stay secret."
    return "quasi", "Others may know it about a person; this is the safe guess."
