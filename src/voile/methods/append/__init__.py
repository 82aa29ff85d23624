"""Publish quarter after quarter: what was published stays as it was, and newcomers form groups of their own."""

from voile.methods.append.append import Append

__all__ = ["Append"]
