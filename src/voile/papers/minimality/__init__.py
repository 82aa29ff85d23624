"""Minimality and MASK, recomputed."""

from voile.papers.minimality.minimality import PAPER

__all__ = ["PAPER"]
