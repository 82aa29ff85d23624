"""Multi-diversity: a bound on belief for each of several sensitive columns."""

from voile.models.multi_diversity.multi_diversity import MultiDiversity

__all__ = ["MultiDiversity"]
