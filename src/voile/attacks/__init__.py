"""How it is broken: one file an attack."""

from __future__ import annotations

from voile.attacks.elimination import Elimination
from voile.attacks.homogeneity import Homogeneity
from voile.attacks.linking import Linking
from voile.attacks.minimality import Minimality
from voile.attacks.skewness import Skewness

__all__ = ["Elimination", "Homogeneity", "Linking", "Minimality", "Skewness"]
