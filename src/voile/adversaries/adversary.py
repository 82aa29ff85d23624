"""The adversary against whom a promise holds. "Safe" means nothing until you name one: the same table is safe against
one adversary and broken by another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Knowledge(Enum):
    """What an adversary may know besides the release. The value of each member is the phrase that a reader sees."""

    MEMBERSHIP = "that the person is in the table"
    QUASI = "the person's quasi-identifier"
    POPULATION = "an external table of the population with its quasi-identifiers"
    EXCLUSION = "some sensitive values that the person does not have"
    OTHER_VALUE = "the person's value in another sensitive column"
    OTHER_EXCLUSION = "some values of another sensitive column that the person does not have"
    STATISTICS = "how common each sensitive value is in the whole table"
    PRIOR = "how likely each sensitive value is for every group of people"
    RATES = "how likely each protected value is for every group of people, and nothing about the other values"
    COUNTS = "exactly how many people of this table have each protected value, for every group of people"
    ALGORITHM = "which algorithm made the release, and its parameters"
    CORRUPTION = "the true sensitive values of other people in the table"
    RULES = "some rules that link people (if one person has a certain value, another has a certain one too)"
    EARLIER = "earlier releases of the same people"
    AGREEMENT = "how many rows each person has, and that the rows of one person agree"


@dataclass(frozen=True)
class Adversary:
    """An adversary with a name and a set of knowledge. One adversary is within another that knows at least as much.

    `excludes` is how many sensitive values the adversary can rule out for a person, given EXCLUSION or OTHER_EXCLUSION.

    >>> Adversary.who("neighbour", Knowledge.MEMBERSHIP, Knowledge.QUASI).describe()
    "a neighbour who knows that the person is in the table and the person's quasi-identifier"
    """

    name: str
    knows: frozenset[Knowledge]
    excludes: int = 0

    @staticmethod
    def who(name: str, *knows: Knowledge, excludes: int = 0) -> Adversary:
        """Name an adversary who knows these things."""
        return Adversary(name, frozenset(knows), excludes)

    def within(self, other: Adversary) -> bool:
        """Return whether a promise against `other` covers this adversary."""
        return self.knows <= other.knows and self.excludes <= other.excludes

    def describe(self) -> str:
        """Describe the adversary in a phrase that continues a sentence."""
        article = "an" if self.name[:1].lower() in "aeiou" else "a"
        knowledge = join_phrases(item.value for item in Knowledge if item in self.knows)
        return f"{article} {self.name} who knows {knowledge}"

    def as_json(self) -> dict[str, object]:
        knows = [item.name.lower() for item in Knowledge if item in self.knows]
        return {"name": self.name, "knows": knows, "excludes": self.excludes}


def join_phrases(items: Iterable[str]) -> str:
    """Join phrases into an enumeration: `nothing`, `a`, `a and b`, `a, b, and c`."""
    words = list(items) or ["nothing"]
    return " and ".join(words) if len(words) < 3 else ", ".join(words[:-1]) + ", and " + words[-1]
