"""COUNT queries: how they are read, and how a release answers many of them at once."""
