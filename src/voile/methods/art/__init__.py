"""ART: groups in which known statistics single out nobody."""

from voile.methods.art.art import Art

__all__ = ["Art"]
