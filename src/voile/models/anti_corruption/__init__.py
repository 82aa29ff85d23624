"""Anti-corruption: bounds that hold when everybody else's value is known."""

from voile.models.anti_corruption.anti_corruption import AntiCorruption

__all__ = ["AntiCorruption"]
