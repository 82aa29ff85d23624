"""What an adversary believes who runs the method again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class ReplayedBeliefs:
    """For each entry of a release's members the belief in a protected value (`risk`), and whether it is exact or only
    an upper bound; `details` are further remarks, by what they count."""

    risk: np.ndarray
    exact: np.ndarray
    details: Mapping[str, float] = field(default_factory=dict)
