"""Counts from a release: what is certain, and what is likely."""
