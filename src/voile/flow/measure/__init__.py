"""Measure what analysts lose."""
