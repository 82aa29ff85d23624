"""What was printed, recomputed: one file a source paper, with an item for each of its tables and figures."""
