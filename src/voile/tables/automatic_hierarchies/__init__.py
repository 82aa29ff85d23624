"""Hierarchies that are built from the table itself, for columns that have none."""
