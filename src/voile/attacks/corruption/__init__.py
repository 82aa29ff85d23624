"""The corruption attack: what remains for somebody once the values of others are known."""

from voile.attacks.corruption.corruption import Corruption
from voile.attacks.corruption.perturbed_posterior import posterior

__all__ = ["Corruption", "posterior"]
