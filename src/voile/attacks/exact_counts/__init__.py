"""The attack by exact counts: subtract what a release shows from the counts of every signature."""

from voile.attacks.exact_counts.exact_counts import ExactCounts

__all__ = ["ExactCounts"]
