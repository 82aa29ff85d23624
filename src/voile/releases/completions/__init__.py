"""Completions: plain tables with exact values that agree with every published cell, drawn several times."""
