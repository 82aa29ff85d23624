"""Which sensitive row may be whose: all ways to match the rows of a decomposed release with its people."""
