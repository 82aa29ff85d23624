"""What each attack of a comparison means, in one sentence, and whether a promise covers it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from voile.flow.compare.trial import Trial
from voile.plugins.descriptions import read_description
from voile.plugins.registry import registered_classes

NUMBERS = {
    "identity": "how likely the row that an adversary picks is the person's",
    "gain": "how much more is believed than the whole table tells",
    "distance": "how far a group is from the whole table",
}
BELIEF = "how certain an adversary is of a person's secret"


@dataclass(frozen=True)
class AttackMeaning:
    """One attack of a comparison: `inside` if the promise of some trial covers it, and what its number says."""

    title: str
    attack: str
    inside: bool
    limits: str
    sentence: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def explain_attacks(trials: Sequence[Trial]) -> list[AttackMeaning]:
    """Explain every attack that reached something, those inside a promise first."""
    results = [item for trial in trials for item in trial.reached if item.worst is not None]
    inside = {item.title for item in results if item.inside}
    first = {item.title: item for item in reversed(results)}
    titles = sorted(dict.fromkeys(item.title for item in results), key=lambda title: title not in inside)
    return [
        AttackMeaning(
            title,
            first[title].attack,
            title in inside,
            first[title].limits,
            _explain(title, first[title].attack, first[title].limits),
        )
        for title in titles
    ]


def _explain(title: str, attack: str, limits: str) -> str:
    """Say what is tried, and what the number says of the person most at risk, or of everybody on average."""
    known = registered_classes("attacks").get(attack)
    tried = read_description(known)[0].rstrip(".") if known else attack
    whom = "on average over all people" if title.startswith("Marketer") else "for the person most at risk"
    return f"{tried}; the number is {NUMBERS.get(limits, BELIEF)}, {whom}."
