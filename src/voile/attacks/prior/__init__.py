"""The prior attack: statistics of every group of people, applied to a release."""

from voile.attacks.prior.prior import Prior

__all__ = ["Prior"]
