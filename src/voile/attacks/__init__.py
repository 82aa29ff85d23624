"""How a release is attacked: one file or folder per attack."""

from __future__ import annotations

from voile.attacks.agreeing_rows.agreeing_rows import AgreeingRows
from voile.attacks.chain import Chain
from voile.attacks.corruption import Corruption
from voile.attacks.elimination import Elimination
from voile.attacks.exact_counts.exact_counts import ExactCounts
from voile.attacks.exclusion.exclusion import Exclusion
from voile.attacks.homogeneity import Homogeneity
from voile.attacks.linking import Linking
from voile.attacks.minimality.minimality import Minimality
from voile.attacks.prior.prior import Prior
from voile.attacks.replay import Replay
from voile.attacks.skewness import Skewness
from voile.attacks.subtraction.subtraction import Subtraction

__all__ = [
    "AgreeingRows",
    "Chain",
    "Corruption",
    "Elimination",
    "ExactCounts",
    "Exclusion",
    "Homogeneity",
    "Linking",
    "Minimality",
    "Prior",
    "Replay",
    "Skewness",
    "Subtraction",
]
