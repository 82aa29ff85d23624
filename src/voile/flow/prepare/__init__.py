"""Change a table at the border, before it is read: pseudonyms, shifted dates, ages, and dated rule sets."""
