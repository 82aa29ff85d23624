"""The unit of privacy: whom a promise protects. Every promise is about a person, and a person may have several rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PERSON_COLUMN = "person column"  # a column says whose row it is
IDENTIFIER = "identifier"  # an identifier was found to be different in every row
DECLARED = "declared"  # the publisher says that different people share the values of an identifier
ASSUMED = "assumed"  # nothing in the table tells people apart
BASES = (PERSON_COLUMN, IDENTIFIER, DECLARED, ASSUMED)


@dataclass(frozen=True)
class Unit:
    """A person has at most `rows` rows in the release; `basis` says how that is known.

    >>> Unit(5, PERSON_COLUMN).count(903)
    '903 rows of at least 181 people'
    """

    rows: int = 1
    basis: str = ASSUMED

    @property
    def checked(self) -> bool:
        """Whether the publisher's table was found to tell people apart."""
        return self.basis in (PERSON_COLUMN, IDENTIFIER)

    @property
    def noun(self) -> str:
        """What a number of rows counts: people, where every row was found to be a person of their own."""
        return "people" if self.checked and self.rows == 1 else "rows"

    def fewest_people(self, rows: int) -> int:
        """Return how many people so many rows have at least."""
        return -(-rows // self.rows)

    def count(self, rows: int) -> str:
        """Say how many rows there are, and of people only what is known."""
        if self.rows > 1:
            return f"{rows} rows of at least {self.fewest_people(rows)} people"
        return f"{rows} {self.noun}"

    def describe(self) -> str:
        """Say in one sentence what a row is, and how that is known."""
        if self.basis == PERSON_COLUMN:
            several = "one row" if self.rows == 1 else f"at most {self.rows} rows"
            return f"Every person has {several}: the publisher tells people apart by a column that is not published."
        return {
            IDENTIFIER: "Every row is a person of their own: an identifier that is not published differs in every row.",
            DECLARED: "Every row is taken as a person of its own: the publisher says so, although values of an "
            "identifier repeat.",
            ASSUMED: "Every row is taken as a person of its own: no column told people apart, so nobody checked it.",
        }[self.basis]

    def not_covered(self) -> tuple[str, ...]:
        """List the adversaries against whom no promise about people with several rows holds."""
        if self.rows == 1:
            return ()
        return (
            "an adversary who knows how many rows a person has and that these rows agree, such as the visits of "
            "somebody with a chronic disease",
        )

    def as_json(self) -> dict[str, Any]:
        return {"of": "person", "rows": self.rows, "basis": self.basis}

    @staticmethod
    def parse(document: object) -> Unit:
        """Read a unit as a certificate or a dictionary states it; ValueError where it states none."""
        if not isinstance(document, Mapping) or set(document) != {"of", "rows", "basis"} or document["of"] != "person":
            raise ValueError("it does not state whose privacy it protects")
        rows, basis = document["rows"], document["basis"]
        if type(rows) is not int or rows < 1 or basis not in BASES or (rows > 1 and basis != PERSON_COLUMN):
            raise ValueError("it states a unit that does not exist")
        return Unit(rows, str(basis))


ONE_ROW = Unit()
