"""m-invariance: a person who is published again is shown among the same values again."""

from voile.models.m_invariance.m_invariance import MInvariance

__all__ = ["MInvariance"]
