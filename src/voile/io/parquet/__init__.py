"""Parquet files of a release: one way to write them, and a reader who accounts for every byte of them."""
