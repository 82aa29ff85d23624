"""Decompose: several sensitive columns in one release."""

from voile.methods.decompose.decompose import Decompose

__all__ = ["Decompose"]
