"""Forged release folders: verify must notice every one that misleads."""
