"""Capped counts: one file for the method, one for the tree of groups, one for its compiled loops."""

from voile.methods.capped_counts.capped_counts import CappedCounts

__all__ = ["CappedCounts"]
