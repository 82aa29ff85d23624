"""How columns of text were read, what is told about it, and what a person must decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from voile.errors import DataError, SpecError, option, render
from voile.io.conversions.text_forms import READINGS
from voile.io.csv_types import TYPES, names_postcode
from voile.result_tables import write_html

MEANINGS = {
    "day-first": "dates, the day first (31.12.2025)",
    "month-first": "dates, the month first (12/31/2025)",
    "year-first": "dates, the year first (2025/12/31)",
    "decimal-comma": "numbers with a decimal comma (1.234,5)",
    "decimal-point": "numbers with a decimal point (1,234.5)",
    "text": "text, as it is written",
    "labels": "categories, by the labels of the file",
    "codes": "numbers or texts, without the labels of the file",
}


@dataclass(frozen=True)
class ColumnReading:
    """How a column of text was read: `reading` is the word that asks for it, `type` the type or form that casts it.
    `choices` are the readings between which a person must decide; `note` says why a column stays text. `mentions` is
    the note as it was written, before its mentions of options are put in the words of a surface."""

    column: str
    reading: str
    type: str
    choices: tuple[str, ...] = ()
    mentions: str = field(default="", repr=False)
    unit: str = ""
    is_forced: bool = False

    def __repr__(self) -> str:
        return f"ColumnReading({self.describe()!r})"

    @property
    def note(self) -> str:
        """Why the column stays text, in the language of the current surface."""
        return render(self.mentions)

    @property
    def is_native(self) -> bool:
        """Whether there is nothing to tell: no conversion, no question, no note."""
        return self.type in TYPES and not (self.choices or self.mentions or self.is_forced)

    @property
    def keeps_postcodes(self) -> bool:
        """Whether whole numbers stay text because the column is named as one of postcodes."""
        return self.reading == "text" and bool(self.mentions) and not self.choices and names_postcode(self.column)

    def describe(self) -> str:
        """Say how the column was read, and how to change that, in the language of the current surface."""
        if self.choices:
            return f"{self.column}: {self.note} {render(_list_choices(self))}"
        if self.mentions:
            return f"{self.column}: {self.note}"
        unit = f", without the sign {self.unit}" if self.unit else ""
        undo = "" if self.is_forced else render(f"; {mention_reading(self.column, 'text')} leaves it as it is written")
        return f"{self.column}: read as {MEANINGS[self.reading]}{unit}{undo}"

    def as_json(self) -> dict[str, Any]:
        return {
            "column": self.column,
            "reading": self.reading,
            "type": self.type,
            "choices": list(self.choices),
            "note": self.note,
            "unit": self.unit,
            "is_forced": self.is_forced,
            "text": self.describe(),
        }


@dataclass
class ReadingRecord:
    """What an engine notes while it reads a file: the encoding that it found, how it read columns of text, the columns
    of text in which it dropped blanks around cells, and the titles that the file gives to its columns."""

    encoding: str = ""
    columns: list[ColumnReading] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)
    padded: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        found = f"encoding {self.encoding}; " if self.encoding else ""
        return f"ReadingRecord({found}columns with a remark: {len(self.columns)})"

    def _repr_html_(self) -> str:
        return write_html(repr(self), [{"how the text was read": line} for line in self.describe()])

    def describe(self) -> list[str]:
        """Say what was found and converted, one sentence per entry."""
        found = [f"The file is read as {self.encoding}."] if self.encoding else []
        if self.padded:
            count = f"{len(self.padded)} columns" if len(self.padded) > 1 else "1 column"
            found.append(f"Blanks at the ends of cells are dropped in {count}: {', '.join(self.padded)}.")
        return [*found, *(reading.describe() for reading in self.columns)]

    def as_json(self) -> dict[str, Any]:
        """Return the record as plain values; empty if there is nothing to tell."""
        found: dict[str, Any] = {"encoding": self.encoding} if self.encoding else {}
        columns = [reading.as_json() for reading in self.columns]
        if self.padded:
            found["padded"] = self.padded
        return {**found, **({"columns": columns} if columns else {})}

    def as_spec(self) -> dict[str, Any]:
        """Return the entries of [read] that repeat this reading, without what is still undecided."""
        convert = {reading.column: reading.reading for reading in self.columns if not reading.mentions}
        found = {"encoding": self.encoding} if self.encoding else {}
        return {**found, **({"convert": convert} if convert else {})}


def check_readings(convert: Mapping[str, str]) -> None:
    """Raise for a reading that does not exist."""
    unknown = sorted({reading for reading in convert.values() if reading not in READINGS})
    if unknown:
        raise SpecError(
            f"There is no reading {unknown[0]!r}.", code="spec.convert", hint=f"Readings are {', '.join(READINGS)}."
        )


def refuse_questions(readings: Sequence[ColumnReading]) -> None:
    """Raise if there is a column that can be read in two ways; the error names what decides."""
    questions = [reading for reading in readings if reading.choices]
    if not questions:
        return
    names = ", ".join(f"{reading.column!r}" for reading in questions)
    raise DataError(
        f"{names} can be read in several ways: {questions[0].mentions}",
        code="data.unclear",
        hint=" ".join(_list_choices(reading) for reading in questions),
    )


def _list_choices(reading: ColumnReading) -> str:
    ways = [f"{MEANINGS[choice]}: {mention_reading(reading.column, choice)}" for choice in reading.choices]
    return f"Decide: {'; '.join(ways)}; text: {mention_reading(reading.column, 'text')}."


def mention_reading(column: str, reading: str) -> str:
    return option("convert", {column: reading})
