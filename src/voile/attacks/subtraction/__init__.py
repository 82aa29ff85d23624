"""Subtraction: an adversary who keeps every release and takes them together."""

from voile.attacks.subtraction.subtraction import Subtraction

__all__ = ["Subtraction"]
