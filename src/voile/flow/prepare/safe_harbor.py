"""The rules of HIPAA's Safe Harbor method that can be computed, with the date of what they rest on, and a checklist.

45 CFR 164.514(b)(2), as published on 2002-08-14 (67 FR 53182) and explained in the guidance of 2012-11-26. Applying the
rules does not make a release comply with anything: the rest of the checklist is for a person to work through.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping

import polars as pl

from voile.errors import DataError

RULES = ("zip", "age", "date", "birth")
OLDEST = 89  # ages above are one category
LIVED = 130  # years that nobody has lived
# prefixes with at most 20,000 people: the list that the guidance prints, and the one of the next census. A prefix of
# either list is hidden; see docs/decisions/0051-sources-of-code-lists.md
CENSUS_2000 = "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893"
CENSUS_2010 = "036 059 102 202 203 204 205 369 556 692 753 772 821 823 878 879 884 893"
SMALL_PREFIXES = frozenset([*CENSUS_2000.split(), *CENSUS_2010.split()])
EDITION = "45 CFR 164.514(b)(2) of 2002-08-14; three-digit ZIP codes by the censuses of 2000 and 2010"
CHECKLIST = (
    ("A", "names", ""),
    ("B", "places smaller than a state, except the first three digits of a ZIP code", "zip"),
    ("C", "dates except the year, and ages over 89", "date"),
    ("D", "telephone numbers", ""),
    ("E", "fax numbers", ""),
    ("F", "e-mail addresses", ""),
    ("G", "social security numbers", ""),
    ("H", "medical record numbers", ""),
    ("I", "health plan beneficiary numbers", ""),
    ("J", "account numbers", ""),
    ("K", "certificate and licence numbers", ""),
    ("L", "vehicle identifiers and licence plates", ""),
    ("M", "device identifiers and serial numbers", ""),
    ("N", "web addresses", ""),
    ("O", "IP addresses", ""),
    ("P", "biometric identifiers", ""),
    ("Q", "photographs of faces and comparable images", ""),
    ("R", "any other unique identifying number, characteristic or code", ""),
)


def apply_rules(frame: pl.DataFrame, rules: Mapping[str, str], on: datetime.date) -> pl.DataFrame:
    """Apply a rule to each named column; `on` is the date at which people are as old as they are."""
    for name, rule in rules.items():
        frame = frame.with_columns(_apply(rule, frame[name], on).alias(name))
    return frame


def check_ages(ages: pl.Series) -> pl.Series:
    """Return ages with NaN as missing: it is greater than every number, so it would become the age of the oldest.
    Refuse ages that nobody has, such as 999 for "unknown", which would become it, too."""
    ages = ages.fill_nan(None) if ages.dtype.is_float() else ages
    placeholders = int((~ages.is_between(0, LIVED)).sum())
    if placeholders:
        raise DataError(
            f"{placeholders:,} ages of {ages.name!r} are below 0 or above {LIVED}: they stand for something else.",
            code="data.age",
            hint="Leave those cells empty before the table is read.",
        )
    return ages


def write_checklist(rules: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the 18 kinds of identifiers, and for each what the rules did, or that a person has to look."""
    done = {"zip": [], "date": []}  # type: dict[str, list[str]]
    for name, rule in rules.items():
        done["zip" if rule == "zip" else "date"].append(name)
    rows = []
    for letter, what, rule in CHECKLIST:
        names = done.get(rule, [])
        status = f"rule applied to {', '.join(names)}; look for others" if names else "to be checked by a person"
        rows.append({"item": letter, "identifiers": what, "status": status})
    return rows


def _apply(rule: str, values: pl.Series, on: datetime.date) -> pl.Series:
    if rule == "zip":
        return _shorten_zip(values)
    if rule == "age":
        if not values.dtype.is_numeric():
            raise _wrong_kind(values.name, "ages as numbers")
        values = check_ages(values)
        capped = pl.when(values > OLDEST).then(pl.lit(OLDEST + 1, values.dtype)).otherwise(values)
        return pl.select(capped.alias(values.name)).to_series()
    if values.dtype not in (pl.Date, pl.Datetime):
        raise _wrong_kind(values.name, "dates")
    years = values.dt.year()
    # the year of birth tells an age above 89, so all such years are one
    return years.clip(lower_bound=on.year - OLDEST - 1) if rule == "birth" else years


def _shorten_zip(values: pl.Series) -> pl.Series:
    """Return the first three digits of US ZIP codes, 000 for small areas and for what is no ZIP code."""
    if values.dtype.is_float() and bool((values.drop_nulls() == values.drop_nulls().round()).all()):
        values = values.cast(pl.Int64, strict=False)  # whole numbers beside missing cells
    texts = values.cast(pl.String).str.strip_chars()
    if values.dtype.is_integer():
        texts = texts.str.zfill(5)  # a leading zero is lost where codes were read as numbers
    prefix = texts.str.extract(r"^([0-9]{3})[0-9]{2}(?:-?[0-9]{4})?$", 1).fill_null("000")
    small = pl.Series(sorted(SMALL_PREFIXES))
    shortened = pl.select(pl.when(prefix.is_in(small.implode())).then(pl.lit("000")).otherwise(prefix)).to_series()
    return pl.select(pl.when(values.is_null()).then(None).otherwise(shortened)).to_series()


def _wrong_kind(name: str, what: str) -> DataError:
    return DataError(
        f"The Safe Harbor rule for {name!r} needs {what}.",
        code="data.safe-harbor",
        hint="Convert the column, or give it another rule.",
    )
