"""The poster's running example, small enough to be examined row by row.

The surviving text does not print its tables. The example is rebuilt from every constraint that it does print: the
counts, the groups, and which noise values are allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from voile.releases.row_matching import kernel as row_matching_kernel

Row = Mapping[str, Any]
PEOPLE: tuple[tuple[str, str, int, str], ...] = (
    ("Alice", "nurse", 4, "first"),
    ("Betty", "nurse", 6, "first"),
    ("Carl", "police", 8, "first"),
    ("Diana", "lawyer", 9, "first"),
    ("Ella", "clerk", 8, "second"),
    ("Finch", "clerk", 7, "second"),
    ("Gavin", "cook", 5, "second"),
    ("Helen", "cook", 6, "second"),
)
EXAMPLE: tuple[Row, ...] = tuple(dict(zip(("name", "occ", "salary", "area"), row, strict=True)) for row in PEOPLE)
GROUPS = ((1, 4, 6, 2), (0, 5, 7, 3))


class PosterLists:
    """Groups of rows with the secondary values that each lists."""

    def __init__(
        self,
        rows: Sequence[Row],
        primary: str,
        secondary: str,
        groups: Sequence[Sequence[int]],
        noise: Mapping[int, Iterable[Any]] | None = None,
    ) -> None:
        self.rows, self.primary, self.secondary, self.groups = rows, primary, secondary, groups
        self.listed = [{rows[person][secondary] for person in group} for group in groups]
        for group, values in (noise or {}).items():
            self.listed[group] |= set(values)

    def with_noise(self, group: int, value: Any) -> PosterLists:
        noise = {number: set(listed) for number, listed in enumerate(self.listed)}
        noise[group].add(value)
        return PosterLists(self.rows, self.primary, self.secondary, self.groups, noise)

    def candidates(self, group: int) -> list[Any]:
        """Return the values that the group does not list."""
        return sorted({row[self.secondary] for row in self.rows} - self.listed[group])

    def values(self, group: int) -> list[Any]:
        """Return the primary values of a group."""
        return [self.rows[person][self.primary] for person in self.groups[group]]

    def match(self, value: Any) -> tuple[list[int], list[Any], np.ndarray]:
        """Return, for one primary value, the groups that list it, the secondary values of its rows, and which row fits
        which group."""
        homes = [number for number in range(len(self.groups)) if value in self.values(number)]
        held = [row[self.secondary] for row in self.rows if row[self.primary] == value]
        return homes, held, np.array([[one in self.listed[home] for one in held] for home in homes], dtype=bool)

    def chances(self, group: int, value: Any) -> dict[Any, float]:
        """Return the belief in each secondary value of the person of a group with a primary value, counted exactly."""
        homes, held, allowed = self.match(value)
        ones = np.ones(len(homes), dtype=np.int64)
        usable, mine, theirs = row_matching_kernel.matchable(allowed, ones, ones)
        place = homes.index(group)
        c, t = np.flatnonzero(mine == mine[place]), np.flatnonzero(theirs == mine[place])
        exact = row_matching_kernel.marginals(usable[np.ix_(c, t)], ones[c], ones[t])
        assert exact is not None
        found: dict[Any, float] = {}
        for column, chance in zip(t, exact[c.tolist().index(place)], strict=True):
            if chance > 0:
                found[held[column]] = found.get(held[column], 0.0) + float(chance)
        return found


def legal_noise_local(lists: PosterLists, group: int) -> list[Any]:
    """Return the noise values that the poster allows: some row pairs the value with a primary value of the group."""
    inside = set(lists.values(group))
    paired = {row[lists.secondary] for row in lists.rows if row[lists.primary] in inside}
    return [value for value in lists.candidates(group) if value in paired]


def legal_noise_global(lists: PosterLists, group: int) -> list[Any]:
    """Return the noise values that cannot be refuted: once listed, they lie in a perfect matching of rows to groups."""
    found = []
    for value in lists.candidates(group):
        tried = lists.with_noise(group, value)
        for primary in tried.values(group):
            homes, held, allowed = tried.match(primary)
            ones = np.ones(len(homes), dtype=np.int64)
            usable, _, _ = row_matching_kernel.matchable(allowed, ones, ones)
            if any(usable[homes.index(group), place] and one == value for place, one in enumerate(held)):
                found.append(value)
                break
    return found


def posterior(lists: PosterLists, group: int) -> dict[Any, float]:
    """Return the belief in each secondary value of a person of the group if all matchings are equally likely."""
    primaries = lists.values(group)
    found: dict[Any, float] = {}
    for primary in primaries:
        for value, chance in lists.chances(group, primary).items():
            found[value] = found.get(value, 0.0) + chance / len(primaries)
    return dict(sorted(found.items()))
