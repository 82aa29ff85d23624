"""Perturbed generalization, recomputed."""

from voile.papers.perturbed_generalization.perturbed_generalization import PAPER

__all__ = ["PAPER"]
