"""Tao, Xiao, Li, Zhang: anti-corruption privacy and perturbed generalization (ICDE 2008), recomputed."""

from voile.papers.perturbed_generalization.perturbed_generalization import PAPER

__all__ = ["PAPER"]
