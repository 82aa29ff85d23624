"""How it is broken: one file an attack."""

from __future__ import annotations

from voile.attacks.chain import Chain
from voile.attacks.elimination import Elimination
from voile.attacks.exclusion import Exclusion
from voile.attacks.homogeneity import Homogeneity
from voile.attacks.linking import Linking
from voile.attacks.skewness import Skewness

__all__ = ["Chain", "Elimination", "Exclusion", "Homogeneity", "Linking", "Skewness"]
