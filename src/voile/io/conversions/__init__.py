"""Texts that stand for something else: dates, numbers and encodings as people write them, decided by the whole column."""
