"""Recommend: a promise for an audience, with reasons, by the numbers of the table."""
