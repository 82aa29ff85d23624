"""Pseudonyms and date offsets: functions of a secret key and of what tells a person apart."""

from __future__ import annotations

import hashlib
import hmac

import polars as pl

from voile.engines.person_rows import write_names
from voile.errors import DataError
from voile.tables.secret_key import Key

LARGEST_WHOLE = 2**53  # beyond it numbers with decimals skip some whole numbers
BYTES = 16  # of a pseudonym: among 2^40 people two share one with a chance below 2^-48


def make_pseudonyms(values: pl.Series, key: Key) -> pl.DataFrame:
    """Return each different value of an identifier with its pseudonym: HMAC-SHA-256 under a key for this purpose alone.
    The same key gives the same pseudonyms in every table, so that tables stay joinable."""
    texts = write_people(values).drop_nulls().unique().sort()
    pseudonyms = [_digest(key, "pseudonym", text)[:BYTES].hex() for text in texts]
    if len(set(pseudonyms)) < len(texts):
        raise DataError("Two people have the same pseudonym.", code="data.pseudonym", hint="Use another key.")
    return pl.DataFrame({values.name: texts, "pseudonym": pl.Series(pseudonyms, dtype=pl.String)})


def draw_offsets(people: pl.Series, key: Key, days: int) -> pl.Series:
    """Return an offset for each row, the same for all rows of a person: from 1 to `days` days, earlier or later, each
    as likely as any other up to 2^-60."""
    texts = write_people(people)
    different = texts.drop_nulls().unique()
    numbers = [int.from_bytes(_digest(key, "date offset", text)[:16], "big") % (2 * days) for text in different]
    offsets = [number - days if number < days else number - days + 1 for number in numbers]
    table = pl.DataFrame({"person": different, "offset": pl.Series(offsets, dtype=pl.Int64)})
    joined = texts.alias("person").to_frame().join(table, on="person", how="left", maintain_order="left")
    return joined["offset"]


def write_people(values: pl.Series) -> pl.Series:
    """Return identifiers as text. A whole number is written as one where missing cells made the column one of numbers
    with decimals, so that it is the same person in every table; NaN is nobody."""
    if not values.dtype.is_float():
        return write_names(values)
    known = values.fill_nan(None)
    is_whole = (known == known.round()) & (known.abs() <= LARGEST_WHOLE)
    whole = known.zip_with(is_whole.fill_null(False), known.clear(len(known))).cast(pl.Int64)
    return whole.cast(pl.String).zip_with(whole.is_not_null(), write_names(known)).alias(values.name)


def _digest(key: Key, purpose: str, text: str) -> bytes:
    subkey = hmac.digest(key.secret, f"voile {purpose}".encode(), hashlib.sha256)
    return hmac.digest(subkey, text.encode(), hashlib.sha256)
