"""The exclusion attack: several values of a second column are ruled out."""

from voile.attacks.exclusion.exclusion import Exclusion

__all__ = ["Exclusion"]
