"""Compare the groups of several releases: is everybody in the same group as before, with the same values?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from voile.releases.release import Release

Row = tuple[str, ...]


@dataclass(frozen=True)
class NumberedGroup:
    """A group as a release shows it: the values, the quasi-identifiers of the people, and how many values belong to
    nobody who is there."""

    values: tuple[str, ...]
    rows: Counter[Row]
    counterfeits: int


@dataclass(frozen=True)
class Comparison:
    """How many groups list other values than before (`changed`), how many new groups have values that belong to nobody
    (`invented`), and how many people may have been in another group before (`doubtful`)."""

    changed: int = 0
    invented: int = 0
    doubtful: int = 0


def list_groups(release: Release) -> dict[int, NumberedGroup]:
    """Return the groups of a release by their published numbers."""
    counts = next(iter(release.tallies.values()))
    assert counts.column is not None
    texts, cuts = counts.column.domain.labels, counts.starts
    rows: list[Counter[Row]] = [Counter() for _ in range(counts.groups)]
    for group, row in release.exact_texts():
        rows[group][row] += 1
    return {
        int(number): NumberedGroup(
            tuple(sorted(texts[code] for code in counts.values[cuts[place] : cuts[place + 1]])),
            rows[place],
            int(release.counterfeits[place]),  # type: ignore[attr-defined]
        )
        for place, number in enumerate(release.group_numbers)  # type: ignore[attr-defined]
    }


def compare_groups(release: Release, earlier: Sequence[Release]) -> Comparison:
    """Compare a release with the earlier ones, the first one first.

    A group shows everybody when it is new, and some of them later. So somebody whose quasi-identifier the group did not
    show then has changed it, or has taken another person's place; and somebody in a new group with the quasi-identifier
    of a person who was there before is new, or has changed the group. The releases alone do not tell which.
    """
    first = dict[int, NumberedGroup]()
    for before in earlier:
        for number, group in list_groups(before).items():
            first.setdefault(number, group)
    changed = invented = doubtful = 0
    still_there, newcomers = Counter[Row](), Counter[Row]()
    for number, group in list_groups(release).items():
        origin = first.get(number)
        if origin is None:
            invented += group.counterfeits > 0
            newcomers += group.rows
            continue
        changed += origin.values != group.values
        doubtful += (group.rows - origin.rows).total()
        still_there += group.rows & origin.rows
    seats: Counter[Row] = Counter()
    for group in first.values():
        seats += group.rows
    doubtful += (newcomers & (seats - still_there)).total()
    return Comparison(changed, invented, doubtful)
