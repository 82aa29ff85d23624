"""Mondrian: cut people into boxes of similar ones."""

from voile.methods.mondrian.mondrian import Mondrian

__all__ = ["Mondrian"]
