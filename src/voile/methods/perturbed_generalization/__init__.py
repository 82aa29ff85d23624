"""Perturbed generalization: one disturbed row per box."""

from voile.methods.perturbed_generalization.perturbed_generalization import PerturbedGeneralization

__all__ = ["PerturbedGeneralization"]
