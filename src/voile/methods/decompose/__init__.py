"""Decompose: several sensitive columns in one release, unlinked from people and from each other."""

from voile.methods.decompose.decompose import Decompose

__all__ = ["Decompose"]
