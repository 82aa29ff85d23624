"""Accounted cuts: generalization whose refusals tell an adversary who knows the algorithm no more than 1/l."""

from voile.methods.accounted_cuts.accounted_cuts import AccountedCuts

__all__ = ["AccountedCuts"]
