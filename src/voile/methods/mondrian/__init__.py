"""Mondrian: cut the people into boxes of similar people."""

from voile.methods.mondrian.mondrian import Mondrian

__all__ = ["Mondrian"]
