"""Tao, Xiao, Li, Zhang: On Anti-Corruption Privacy Preserving Publication (ICDE 2008), recomputed."""

from __future__ import annotations

from voile.papers.paper import Paper
from voile.papers.perturbed_generalization import (
    attacks,
    guarantees,
    lemmas,
    publication,
    reconstruction,
    theorems,
    utility_claims,
)

PAPER = Paper(
    "pg",
    "On Anti-Corruption Privacy Preserving Publication",
    (
        attacks.ITEM,
        lemmas.ITEM,
        publication.ITEM,
        theorems.ITEM,
        guarantees.ITEM,
        *utility_claims.ITEMS,
        reconstruction.ITEM,
    ),
)
