"""ART: groups in which nobody stands out, even to an adversary with statistics."""

from voile.methods.art.art import Art

__all__ = ["Art"]
