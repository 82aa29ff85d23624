"""Decomposition (Ye, Liu, Wang, Lv, Feng, DASFAA 2009, poster), recomputed."""

from __future__ import annotations

from voile.papers.decompose import example_claims, experiment, theorems
from voile.papers.paper import Paper

PAPER = Paper(
    "decompose",
    "Decomposition: privacy preservation for multiple sensitive attributes (DASFAA 2009)",
    (*example_claims.ITEMS, theorems.ITEM, *experiment.ITEMS),
)
