"""Average class size: how many people hide together, against the fewest that had to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from voile.core.measure import Measure, View
from voile.core.microdata import Microdata
from voile.core.release import Release
from voile.core.results import Loss


@dataclass(frozen=True)
class ClassSize(Measure):
    """The mean group size; C_avg is that over the smallest size the claims allow."""

    name: ClassVar[str] = "class-size"

    def __call__(self, data: Microdata, release: Release) -> Loss:
        View(data, release)
        mean = release.people / max(release.groups, 1)
        asked = [claim["parameters"].get(letter) or 1 for claim in release.certificate.claims for letter in "kl"]
        numbers = [max(one.values(), default=1) if isinstance(one, Mapping) else one for one in asked]
        needed = max((int(number) for number in numbers), default=1)
        parts = {"C_avg": mean / needed, "smallest": float(release.sizes.min()), "largest": float(release.sizes.max())}
        return Loss(self.name, "Average class size", mean, parts, "people a group")
