"""Decompose, recomputed."""

from voile.papers.decompose.decompose import PAPER

__all__ = ["PAPER"]
