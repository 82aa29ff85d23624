"""Average class size: how many people a group has, compared with the fewest that the claims allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile.measures.base import ByGroup, Outline, View
from voile.releases.release import Release
from voile.results import Loss


@dataclass(frozen=True)
class ClassSize(ByGroup):
    """The mean group size; C_avg divides it by the smallest size that the claims allow."""

    name: ClassVar[str] = "class-size"

    def summarize(self, view: View) -> tuple[int, int, int, int]:
        sizes = view.release.sizes
        return int(view.release.people), len(sizes), int(sizes.min()), int(sizes.max())

    def combine(self, table: Outline, release: Release, found: Sequence[tuple[int, int, int, int]]) -> Loss:
        people, groups, smallest, largest = np.array(found).T
        mean = int(people.sum()) / max(int(groups.sum()), 1)
        asked = [claim["parameters"].get(letter) or 1 for claim in release.certificate.claims for letter in "kl"]
        numbers = [max(one.values(), default=1) if isinstance(one, Mapping) else one for one in asked]
        needed = max((int(number) for number in numbers), default=1)
        parts = {"C_avg": mean / needed, "smallest": float(smallest.min()), "largest": float(largest.max())}
        return Loss(self.name, "Average class size", mean, parts, "people a group")
