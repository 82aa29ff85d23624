"""Ye, Liu, Wang, Lv, Feng: Decomposition (DASFAA 2009), recomputed."""

from voile.papers.decompose.decompose import PAPER

__all__ = ["PAPER"]
