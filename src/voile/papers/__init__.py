"""The source papers recomputed: one folder per paper, with an item for each of its tables and figures."""
