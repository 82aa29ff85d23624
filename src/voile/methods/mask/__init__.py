"""MASK: group people without looking at sensitive values, then change the values that reveal too much."""

from voile.methods.mask.mask import Mask

__all__ = ["Mask"]
