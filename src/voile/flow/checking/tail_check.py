"""Check that enough people share the ends of a column whose tails were bounded, as far as the release shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from voile.releases.dictionary import LISTED_ONCE, OWN_VALUE
from voile.releases.release import Release

Ends = tuple[tuple[Any, int], tuple[Any, int]]  # the least and the greatest value, and how many people have each


def count_tails(release: Release) -> dict[str, Ends]:
    """Count the people at both ends of each column with bounded tails, in a release or a piece of one; only where the
    values of everybody who is published are counted exactly."""
    counted = {}
    for entry in release.dictionary["columns"]:
        if "tails" not in entry.get("steering", {}) or entry["cell"] not in (OWN_VALUE, LISTED_ONCE):
            continue
        counts = release.tallies[str(entry["name"])]
        if counts.remarks or counts.column is None:
            continue
        values = counts.column.domain.values
        filled = counts.values < len(values)  # the last code may stand for missing values
        people = np.bincount(counts.values[filled], counts.counts[filled], len(values))
        codes = np.flatnonzero(people)
        if len(codes):
            first, last = ((values[int(code)], int(people[code])) for code in (codes[0], codes[-1]))
            counted[str(entry["name"])] = (first, last)
    return counted


def find_thin_tails(release: Release, pieces: Sequence[Mapping[str, Ends]]) -> list[str]:
    """Return the columns at one of whose ends there are fewer people than stated, even with all who are withheld; and
    those whose cells do not tell."""
    faults = []
    for entry in release.dictionary["columns"]:
        if "tails" in entry.get("steering", {}) and entry["cell"] not in (OWN_VALUE, LISTED_ONCE):
            faults.append(f"Nobody can count who shares the least or the greatest value of {entry['name']!r}.")
            continue
        ends = [piece[str(entry["name"])] for piece in pieces if str(entry["name"]) in piece]
        if not ends:
            continue
        least, most = min(low for (low, _), _ in ends), max(high for _, (high, _) in ends)
        at_least = sum(people for (low, people), _ in ends if low == least)
        at_most = sum(people for _, (high, people) in ends if high == most)
        if min(at_least, at_most) + int(release.dictionary.get("withheld", 0)) < entry["steering"]["tails"]:
            faults.append(f"Fewer people than stated share the least or the greatest value of {entry['name']!r}.")
    return faults
