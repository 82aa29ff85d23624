"""Decide how a column of text is read: as it is, or as dates or numbers that people write in other forms.

A summary of each chunk says what its cells allow; the summaries of all chunks decide, so that every engine decides the
same. Where two readings fit and mean different things, nobody guesses: the column is a question to the user.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import polars as pl

from voile.errors import DataError, option
from voile.io.conversions.column_readings import MEANINGS, ColumnReading, mention_reading
from voile.io.conversions.text_forms import ASKED_FORMS, DATE_READINGS, EIGHT_DIGITS, EXPONENTS, FORMS, NUMBER_READINGS
from voile.io.conversions.text_summaries import TextSummary
from voile.io.csv_types import TYPES, cast_text, names_date, names_postcode

MOSTLY = 0.5  # share of dates or numbers from which the other cells of a text column are worth a word
FEW = 10  # cells below which one word among numbers tells nothing


def decide_reading(
    column: str, summaries: Sequence[TextSummary], forced: str | None = None, delimiter: str = ","
) -> ColumnReading:
    """Decide how a column of text is read in all its chunks: as asked, or as the only reading that fits."""
    summaries = [summary for summary in summaries if summary.cells]
    native = next(
        (name for name in TYPES if summaries and all(name in (one.native or ()) for one in summaries)), "text"
    )
    forms = [name for name in FORMS if summaries and all(name in one.forms for one in summaries)]
    signs = frozenset[str]().union(*(one.signs for one in summaries))
    if forced is not None:
        return _force_reading(column, forced, forms, native, summaries)
    if native == "number":
        unclear = delimiter == ";" and "." in signs and "decimal-comma in whole numbers" in forms
        if not unclear:
            return ColumnReading(column, "decimal-point", native)
        return _ask(column, NUMBER_READINGS, "its numbers have a point before three digits.")
    if native == "integer" and names_postcode(column):
        return keep_postcodes(column)
    if native == "integer" and EIGHT_DIGITS in forms:
        return _read_eight_digits(column)
    if native != "text":
        return ColumnReading(column, "text", native)
    if EXPONENTS in forms and {"exponent", "telephone"} & signs:
        return _keep_codes(column, signs)
    forms = [name for name in forms if name not in ASKED_FORMS]
    readings = list(dict.fromkeys(FORMS[name].reading for name in forms))
    if set(readings) & set(DATE_READINGS):
        if {"date with points", "date with slashes"} <= signs:
            if "clear date with slashes" not in signs:
                return _ask(column, readings, "no date with slashes tells whether its day or its month comes first.")
            if readings == ["month-first"]:
                return _ask(column, readings, "its dates with slashes have the month first, but some have points.")
        if "date with points" in signs and "day-first" in readings:
            readings = ["day-first"]  # nobody writes the month first with points
        if len(readings) > 1:
            return _ask(column, tuple(readings), "no date tells whether the day or the month comes first.")
    elif readings:
        units = {sign.removeprefix("unit:") for sign in signs if sign.startswith("unit:")}
        if ("%" in units and len(units) > 1) or len(units - {""}) > 1:
            return _stay_text(column, "its numbers have different signs (currency, percent), so it stays text.")
        if not {".", ","} & signs:
            if "plain" not in signs and units == {""}:
                return ColumnReading(column, "text", "text")  # digits in groups of equal length: a code
            readings = readings[-1:]  # without points and commas both mean the same
        if len(readings) > 1:
            return _ask(column, tuple(readings), "no number tells whether a comma stands before decimals.")
        form = next(name for name in forms if FORMS[name].reading == readings[0])
        return ColumnReading(column, readings[0], form, unit="".join(sorted(units)))
    if readings:
        form = next(name for name in forms if FORMS[name].reading == readings[0])
        return ColumnReading(column, readings[0], form)
    return _explain_text(column, summaries)


def _force_reading(
    column: str, forced: str, forms: Sequence[str], native: str, summaries: Sequence[TextSummary]
) -> ColumnReading:
    if forced == "text" or not summaries:
        return ColumnReading(column, "text", "text", is_forced=True)
    fitting = [name for name in forms if FORMS[name].reading == forced]
    if native == "integer" and forced in NUMBER_READINGS:
        fitting = [native]
    if native in ("number",) and forced == "decimal-point":
        fitting = [native]
    if native in ("date", "datetime") and forced == "year-first":
        fitting = [native]
    if not fitting:
        raise DataError(
            f"Some cells of {column!r} cannot be read as {MEANINGS[forced]}.",
            code="data.convert",
            hint=f"Leave the column as it is written ({mention_reading(column, 'text')}), or name the texts that mean "
            f"missing ({option('null')}).",
        )
    return ColumnReading(column, forced, fitting[0], is_forced=True)


def _ask(column: str, choices: Sequence[str], why: str) -> ColumnReading:
    return ColumnReading(column, "text", "text", tuple(choices), why)


def _stay_text(column: str, why: str) -> ColumnReading:
    return ColumnReading(column, "text", "text", mentions=why)


def keep_postcodes(column: str) -> ColumnReading:
    """Return the reading of whole numbers that stay text because they are postcodes."""
    undo = mention_reading(column, "decimal-point")
    return _stay_text(column, f"postcodes are no quantities, so it stays text; {undo} reads numbers.")


def _read_eight_digits(column: str) -> ColumnReading:
    """Return the reading of whole numbers that are all dates, the year first: as such if the column's name says so."""
    if names_date(column):
        return ColumnReading(column, "year-first", EIGHT_DIGITS)
    dates = mention_reading(column, "year-first")
    note = f"all its numbers could be dates in eight digits (20251231), but they stay numbers; {dates} reads dates."
    return ColumnReading(column, "decimal-point", "integer", mentions=note)


def _keep_codes(column: str, signs: Collection[str]) -> ColumnReading:
    """Return the reading of texts that look like numbers and are none."""
    why = (
        "digits with an E between them (4E3) are a code"
        if "exponent" in signs
        else "a plus and ten or more digits are a telephone number"
    )
    return _stay_text(column, f"{why}, so it stays text; {mention_reading(column, 'decimal-point')} reads numbers.")


def _explain_text(column: str, summaries: Sequence[TextSummary]) -> ColumnReading:
    """Return the reading of a column that stays text, and say so where most of it looks like something else."""
    cells = sum(one.cells for one in summaries)
    for noun, count in (
        ("dates", sum(one.dates for one in summaries)),
        ("numbers", sum(one.numbers for one in summaries)),
    ):
        if MOSTLY * cells <= count and cells:
            others = cells - count
            forms = "they are written in several forms, or in one that says too little (a year of two digits)"
            impossible = sum(one.impossible_dates for one in summaries) if noun == "dates" else 0
            days = f"{impossible:,} of them {'is a day' if impossible == 1 else 'are days'} that no calendar has"
            why = (
                f"the other {others:,} {'is' if others == 1 else 'are'} not"
                if others
                else days
                if impossible
                else forms
            )
            advice = f" If those mean missing, name their texts: {option('null')}." if others else ""
            return _stay_text(
                column, f"{count:,} of {cells:,} cells look like {noun}; {why}, so it stays text.{advice}"
            )
    return ColumnReading(column, "text", "text")


def refuse_second_header(readings: Mapping[str, Sequence[TextSummary]], decided: Collection[str] = ()) -> None:
    """Raise if the first row below the header holds words only, above columns of dates and numbers: it is a second
    header. Numbers in that row, words further down, and columns on whose reading somebody has decided are no such sign.
    """
    firsts = [summaries[0] for summaries in readings.values() if summaries]
    above = []
    for name, summaries in readings.items():
        cells = sum(one.cells for one in summaries)
        fitting = max(sum(one.dates for one in summaries), sum(one.numbers for one in summaries))
        if summaries and summaries[0].starts_with_words and cells >= FEW and fitting == cells - 1:
            above += [name] if name not in decided else []
    held = "column holds" if len(above) == 1 else "columns hold"
    if above and not any(one.starts_with_words is False for one in firsts):
        raise DataError(
            f"The second line looks like a second header: {len(above)} {held} dates or numbers, except in it.",
            code="data.header",
            hint="Remove the line, or keep one line of names. If it is a row of the table, say how to read it "
            f"({mention_reading(above[0], 'text')}).",
        )


def cast_reading(texts: pl.Series, type_name: str) -> pl.Series:
    """Cast a text column to the type or form that was decided; cells that do not fit become missing."""
    cast = FORMS[type_name].cast(texts) if type_name in FORMS else cast_text(texts, type_name)
    return cast.alias(texts.name)
