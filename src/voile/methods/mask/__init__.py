"""MASK: blind groups, then changed values."""

from voile.methods.mask.mask import Mask

__all__ = ["Mask"]
