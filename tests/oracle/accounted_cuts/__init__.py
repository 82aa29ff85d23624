"""Slow twins of accounted cuts: what a refusal says, and what is believed in every world."""
