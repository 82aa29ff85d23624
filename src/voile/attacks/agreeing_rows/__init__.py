"""The attack of an adversary who knows how many rows a person has, and that they agree."""

from voile.attacks.agreeing_rows.agreeing_rows import AgreeingRows

__all__ = ["AgreeingRows"]
