"""Personalized privacy: everybody decides what must not be found out about them."""

from voile.models.personalized.personalized import Personalized

__all__ = ["Personalized"]
