"""Trees that a person edits by hand: labels are moved, groups renamed and merged."""
