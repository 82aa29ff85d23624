"""How it is published: one file an algorithm."""
