"""How a column of text is read: as it is, or as dates or numbers that people write in other forms.

A summary of each chunk says what its cells allow; the summaries of all chunks decide, so that every engine decides the
same. Where two readings fit and mean different things, nobody guesses: the column is a question to the user.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import polars as pl

from voile.errors import DataError, SpecError, option, render
from voile.io.conversions.text_forms import (
    DATE_READINGS,
    FORMS,
    NUMBER_READINGS,
    READINGS,
    find_forms,
    find_unit,
    looks_like_date,
    looks_like_number,
)
from voile.io.csv_types import LEADING_ZERO, TYPES, cast_text, possible_types

MOSTLY = 0.5  # share of dates or numbers from which the other cells of a text column are worth a word
FEW = 10  # cells below which one word among numbers tells nothing
_MEANINGS = {
    "day-first": "dates, the day first (31.12.2025)",
    "month-first": "dates, the month first (12/31/2025)",
    "year-first": "dates, the year first (2025/12/31)",
    "decimal-comma": "numbers with a decimal comma (1.234,5)",
    "decimal-point": "numbers with a decimal point (1,234.5)",
    "text": "text, as it is written",
}


@dataclass(frozen=True)
class TextSummary:
    """What the cells of a column allow in one chunk: the types that need no conversion (None without cells), the forms
    that read every cell, the signs that occur, how many cells there are, how many of them look like dates and like
    numbers, and whether the first row has words."""

    native: frozenset[str] | None
    forms: frozenset[str]
    signs: frozenset[str]
    cells: int
    dates: int
    numbers: int
    starts_with_words: bool | None  # None if the first row has no cell


@dataclass(frozen=True)
class ColumnReading:
    """How a column of text was read: `reading` is the word that asks for it, `type` the type or form that casts it.
    `choices` are the readings between which a person must decide; `note` says why a column stays text."""

    column: str
    reading: str
    type: str
    choices: tuple[str, ...] = ()
    note: str = ""
    unit: str = ""
    is_forced: bool = False

    @property
    def is_native(self) -> bool:
        """Whether there is nothing to tell: no conversion, no question, no note."""
        return self.type in TYPES and not (self.choices or self.note or self.is_forced)

    def describe(self) -> str:
        """Say how the column was read, and how to change that, in the language of the current surface."""
        if self.choices:
            return render(f"{self.column}: {self.note} {_list_choices(self)}")
        if self.note:
            return f"{self.column}: {self.note}"
        unit = f", without the sign {self.unit}" if self.unit else ""
        undo = "" if self.is_forced else render(f"; {_convert(self.column, 'text')} leaves it as it is written")
        return f"{self.column}: read as {_MEANINGS[self.reading]}{unit}{undo}"

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "choices": list(self.choices), "text": self.describe()}


@dataclass
class ReadingRecord:
    """What an engine notes while it reads a file: the encoding that it found, and how it read columns of text."""

    encoding: str = ""
    columns: list[ColumnReading] = field(default_factory=list)

    def describe(self) -> list[str]:
        """Say what was found and converted, one sentence per entry."""
        found = [f"The file is read as {self.encoding}."] if self.encoding else []
        return [*found, *(reading.describe() for reading in self.columns)]

    def as_json(self) -> dict[str, Any]:
        """Return the record as plain values; empty if there is nothing to tell."""
        found = {"encoding": self.encoding} if self.encoding else {}
        columns = [reading.as_json() for reading in self.columns]
        return {**found, **({"columns": columns} if columns else {})}

    def as_spec(self) -> dict[str, Any]:
        """Return the entries of [read] that repeat this reading, without what is still undecided."""
        convert = {reading.column: reading.reading for reading in self.columns if not reading.note}
        found = {"encoding": self.encoding} if self.encoding else {}
        return {**found, **({"convert": convert} if convert else {})}


def check_readings(convert: Mapping[str, str]) -> None:
    """Raise for a reading that does not exist."""
    unknown = sorted({reading for reading in convert.values() if reading not in READINGS})
    if unknown:
        raise SpecError(
            f"There is no reading {unknown[0]!r}.", code="spec.convert", hint=f"Readings are {', '.join(READINGS)}."
        )


def summarize_text(texts: pl.Series) -> TextSummary:
    """Summarize the cells of a text column. Works on distinct cells: O(n) to count them."""
    counted = texts.drop_nulls().alias("cell").value_counts(name="count")
    cells = counted["cell"]
    native = possible_types(cells)
    filled, nothing = int(counted["count"].sum()), frozenset[str]()
    is_blank = texts.head(1).null_count() == len(texts.head(1))
    no_words = None if is_blank else False
    if native is not None and native & {"boolean", "time"}:
        return TextSummary(native, nothing, nothing, filled, 0, 0, no_words)
    if native is not None and "integer" in native:
        forms = frozenset(name for name, form in FORMS.items() if form.reading in NUMBER_READINGS)
        return TextSummary(native, forms, frozenset({"unit:", "plain"}), filled, 0, filled, no_words)
    cell = pl.col("cell")
    are_codes = (cell.str.contains(LEADING_ZERO) & ~looks_like_date(cell)).any()
    marked = counted.with_columns(date=looks_like_date(cell), number=looks_like_number(cell) & ~are_codes)
    dates, numbers = marked.select(
        pl.col("count").filter(pl.col("date")).sum().alias("dates"),
        pl.col("count").filter(pl.col("number")).sum().alias("numbers"),
    ).row(0)
    signs = _find_signs(marked) if dates or numbers else nothing
    first = texts.head(1).to_frame("cell").select(looks_like_date(cell) | looks_like_number(cell)).to_series()
    words = None if is_blank else not first[0]
    forms = find_forms(cells) if filled and filled in (dates, numbers) else nothing
    return TextSummary(native, forms, signs, filled, int(dates), int(numbers), words)


def _find_signs(marked: pl.DataFrame) -> frozenset[str]:
    """Return what tells readings apart: `unit:€`, `.` and `,` in numbers, `plain` numbers, dates with points."""
    cell = pl.col("cell")
    numbers = marked.filter("number").select(
        find_unit(cell).unique().implode().alias("units"),
        cell.str.contains(".", literal=True).any().alias("."),
        cell.str.contains(",", literal=True).any().alias(","),
        (~cell.str.contains(r"\d[ \u00a0\u202f'’]\d")).any().alias("plain"),
    )
    units = numbers["units"][0]
    signs = {f"unit:{unit}" for unit in (units.to_list() if units is not None else ())}
    signs |= {name for name in (".", ",", "plain") if numbers[name][0]}
    if marked.filter("date").select(cell.str.contains(r"^\d{1,2}\.").any()).item():
        signs.add("date with points")
    return frozenset(signs)


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
    if native != "text":
        return ColumnReading(column, "text", native)
    readings = list(dict.fromkeys(FORMS[name].reading for name in forms))
    if set(readings) & set(DATE_READINGS):
        if "date with points" in signs and "day-first" in readings:
            readings = ["day-first"]  # nobody writes the month first with points
        if len(readings) > 1:
            return _ask(column, tuple(readings), "no date tells whether the day or the month comes first.")
    elif readings:
        units = {sign.removeprefix("unit:") for sign in signs if sign.startswith("unit:")}
        if "%" in units and len(units) > 1 or len(units - {""}) > 1:
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
            f"Some cells of {column!r} cannot be read as {_MEANINGS[forced]}.",
            code="data.convert",
            hint=f"Leave the column as it is written ({_convert(column, 'text')}), or name the texts that mean missing "
            f"({option('null')}).",
        )
    return ColumnReading(column, forced, fitting[0], is_forced=True)


def _ask(column: str, choices: Sequence[str], why: str) -> ColumnReading:
    return ColumnReading(column, "text", "text", tuple(choices), why)


def _stay_text(column: str, why: str) -> ColumnReading:
    return ColumnReading(column, "text", "text", note=why)


def _explain_text(column: str, summaries: Sequence[TextSummary]) -> ColumnReading:
    """Return the reading of a column that stays text, and say so where most of it looks like something else."""
    cells = sum(one.cells for one in summaries)
    for noun, count in (("dates", sum(one.dates for one in summaries)), ("numbers", sum(one.numbers for one in summaries))):
        if MOSTLY * cells <= count and cells:
            others = cells - count
            why = f"the other {others:,} are not" if others else "they are written in several forms"
            return _stay_text(column, f"{count:,} of {cells:,} cells look like {noun}; {why}, so it stays text.")
    return ColumnReading(column, "text", "text")


def refuse_questions(readings: Sequence[ColumnReading]) -> None:
    """Raise if there is a column that can be read in two ways; the error names what decides."""
    questions = [reading for reading in readings if reading.choices]
    if not questions:
        return
    names = ", ".join(f"{reading.column!r}" for reading in questions)
    raise DataError(
        f"{names} can be read in several ways: {questions[0].note}",
        code="data.unclear",
        hint=" ".join(_list_choices(reading) for reading in questions),
    )


def refuse_second_header(readings: Mapping[str, Sequence[TextSummary]]) -> None:
    """Raise if the first row below the header holds words only, above columns of dates and numbers: it is a second
    header. Numbers in that row, or words further down, are no such sign."""
    firsts = [summaries[0] for summaries in readings.values() if summaries]
    above = 0
    for summaries in readings.values():
        cells = sum(one.cells for one in summaries)
        fitting = max(sum(one.dates for one in summaries), sum(one.numbers for one in summaries))
        above += bool(summaries and summaries[0].starts_with_words) and cells >= FEW and fitting == cells - 1
    if above and not any(one.starts_with_words is False for one in firsts):
        raise DataError(
            f"The second line looks like a second header: {above} columns hold dates or numbers, except in it.",
            code="data.header",
            hint="Remove the line, or keep one line of names.",
        )


def cast_reading(texts: pl.Series, type_name: str) -> pl.Series:
    """Cast a text column to the type or form that was decided; cells that do not fit become missing."""
    cast = FORMS[type_name].cast(texts) if type_name in FORMS else cast_text(texts, type_name)
    return cast.alias(texts.name)


def _list_choices(reading: ColumnReading) -> str:
    ways = [f"{_MEANINGS[choice]}: {_convert(reading.column, choice)}" for choice in reading.choices]
    return f"Decide: {'; '.join(ways)}; text: {_convert(reading.column, 'text')}."


def _convert(column: str, reading: str) -> str:
    return option("convert", {column: reading})
