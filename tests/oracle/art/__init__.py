"""Twins of ART."""
