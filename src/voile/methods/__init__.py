"""How a table is published: one file or folder per algorithm."""
