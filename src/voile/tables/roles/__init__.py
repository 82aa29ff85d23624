"""What a column is for: features of a column that are no cells, and the role that they suggest."""
