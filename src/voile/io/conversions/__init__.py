"""Texts that stand for something else: dates, numbers and encodings as people write them."""
