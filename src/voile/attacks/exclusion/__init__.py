"""The exclusion attack: values of one sensitive column are ruled out to learn another."""

from voile.attacks.exclusion.exclusion import Exclusion

__all__ = ["Exclusion"]
