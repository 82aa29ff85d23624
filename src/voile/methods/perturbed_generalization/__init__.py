"""Perturbed generalization: publish one perturbed row per box."""

from voile.methods.perturbed_generalization.perturbed_generalization import PerturbedGeneralization

__all__ = ["PerturbedGeneralization"]
