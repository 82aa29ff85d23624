"""What is done to a table at the border, as a function of single rows: the same on every engine, chunk by chunk."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from voile.errors import DataError, SchemaError, SpecError, option, raise_together
from voile.flow.prepare.keyed_values import draw_offsets
from voile.flow.prepare.safe_harbor import RULES, apply_rules, check_ages
from voile.tables.schema import Schema, suggest_name
from voile.tables.secret_key import Key

SHIFT_DAYS = 182
YEARS = (1850, 2200)  # of dates that somebody lived through
DEFAULT_DAY = datetime.date(1970, 1, 1)  # no rule looks at it


@dataclass(frozen=True)
class Preparation:
    """Changes of a table: pseudonyms for an identifier, one offset for all dates of a person, ages at a date, and rules
    of Safe Harbor by column. `key` gives pseudonyms and offsets."""

    pseudonym: str | None = None
    ages: Mapping[str, datetime.date] = field(default_factory=dict)
    shift_dates: Sequence[str] = ()
    shift_days: int = SHIFT_DAYS
    person: str | None = None
    rules: Mapping[str, str] = field(default_factory=dict)
    on: datetime.date | None = None
    key: Key | None = None

    def __post_init__(self) -> None:
        raise_together(self._list_faults())

    def _list_faults(self) -> list[SpecError]:
        """Return what is wrong with the request, whatever the table."""
        problems: list[SpecError] = []
        changed = [*self.ages, *self.shift_dates, *self.rules]
        for name in sorted({name for name in changed if changed.count(name) > 1}):
            problems.append(
                SpecError(f"{name!r} is to be changed twice.", code="spec.prepare", hint="Choose one change.")
            )
        if not 1 <= self.shift_days <= 36_500:
            problems.append(SpecError("Dates are shifted by 1 to 36,500 days.", code="spec.prepare"))
        for name, rule in self.rules.items():
            if rule not in RULES:
                hint = f"Rules are {', '.join(RULES)}, e.g. {option('safe_harbor', {'zip': 'zip'})}."
                problems.append(
                    SpecError(
                        f"There is no Safe Harbor rule {rule!r} for {name!r}.", code="spec.safe-harbor", hint=hint
                    )
                )
        if "birth" in self.rules.values() and self.on is None:
            hint = f"Say at which date, e.g. {option('on', '2026-01-01')}."
            problems.append(SpecError("The rule for births needs a date.", code="spec.prepare", hint=hint))
        if self.on is not None and "birth" not in self.rules.values():
            message = f"{option('on')} has no effect here: no column of births has a rule."
            problems.append(SpecError(message, code="spec.unused-option", hint="Leave it out."))
        if self.pseudonym and self.key is None:
            problems.append(
                SpecError(
                    "Pseudonyms need a key: with another one the same person would have another pseudonym.",
                    code="spec.pseudonym",
                    hint=f"Make one and keep it secret: {option('key_file', 'key.hex')}.",
                )
            )
        return problems

    @property
    def steps(self) -> tuple[str, ...]:
        """What is done, as the certificate states it."""
        done = {
            "pseudonyms": self.pseudonym,
            "shifted dates": self.shift_dates,
            "ages": self.ages,
            "safe harbor rules": self.rules,
        }
        return tuple(step for step, named in done.items() if named)

    def named_columns(self) -> list[str]:
        """Return the columns of the table that it names."""
        made = {f"{name}_age" for name in self.ages}
        named = (self.pseudonym, *self.ages, *self.shift_dates, *self.rules, self.person)
        return [name for name in dict.fromkeys(named) if name and name not in made]

    def rename_columns(self, names: Sequence[str]) -> list[str]:
        """Return the names of the columns afterwards."""
        return [f"{name}_age" if name in self.ages else name for name in names]

    def list_unshifted(self, dates: Iterable[str]) -> list[str]:
        """Return those of some columns of dates that are left alone although others are shifted."""
        return [name for name in dates if name not in self.shift_dates] if self.shift_dates else []

    def check(self, present: Sequence[str], convert: Iterable[str] = ()) -> None:
        """Raise errors for columns that the table lacks, or has already; `convert` are those with a reading."""
        problems: list[SpecError] = [
            SchemaError(
                f"The table has no column {name!r}.", code="schema.unknown-column", hint=suggest_name(name, present)
            )
            for name in dict.fromkeys([*self.named_columns(), *convert])
            if name not in present
        ]
        for name in self.ages:
            if f"{name}_age" in present:
                message = f"The table has a column '{name}_age' already."
                problems.append(SpecError(message, code="spec.prepare", hint="Rename it."))
        raise_together(problems)

    def apply(self, frame: pl.DataFrame, number: int = 0) -> pl.DataFrame:
        """Change the rows of a table, or of chunk `number` of it. Columns that it lacks are left alone."""
        present = [name for name in self.shift_dates if name in frame.columns]
        if present and self.key is not None:
            frame = _shift(frame, present, self.person, self.key, self.shift_days)
        for name, date in self.ages.items():
            frame = _replace_birth(frame, name, date) if name in frame.columns else frame
        rules = {name: rule for name, rule in self.rules.items() if name in frame.columns}
        return apply_rules(frame, rules, self.on or DEFAULT_DAY)


@dataclass(frozen=True, repr=False)
class SourceSchema(Schema):
    """The columns of a table that are read to prepare and publish what a schema (`published`) names."""

    preparation: Preparation = field(default_factory=Preparation)
    published: Any = None
    convert: Sequence[str] = ()

    def check(self, present: Sequence[str]) -> None:
        self.preparation.check(present, self.convert)
        self.published.check(self.preparation.rename_columns(present))


def find_source_schema(schema: Schema, preparation: Preparation, convert: Iterable[str]) -> SourceSchema:
    """Return what to read of a table before it is prepared."""
    births = {f"{name}_age": name for name in preparation.ages}
    names = [births.get(name, name) for name in schema.read_names()]
    if preparation.person and any(name in names for name in preparation.shift_dates):
        names.append(preparation.person)  # the offset is that of the person
    unique = list(dict.fromkeys(names))
    return SourceSchema(quasi=unique, preparation=preparation, published=schema, convert=tuple(convert))


def prepare_chunk(frame: pl.DataFrame, number: int, preparation: Preparation, names: Sequence[str]) -> pl.DataFrame:
    """Prepare a chunk of a table, and keep the columns that are published."""
    return preparation.apply(frame, number).select(names)


def parse_day(date: str | datetime.date) -> datetime.date:
    """Read a date that a request names."""
    try:
        return date if isinstance(date, datetime.date) else datetime.date.fromisoformat(date)
    except ValueError:
        raise SpecError(f"{date!r} is no date.", code="spec.date", hint="Write it as 2026-01-31.") from None


def _shift(frame: pl.DataFrame, names: Sequence[str], person: str | None, key: Key, days: int) -> pl.DataFrame:
    """Shift all dates of a person by one offset. Without a column of persons, every row is a person of its own."""
    people = frame[person] if person else pl.Series("row", range(frame.height), dtype=pl.Int64)
    if people.null_count() or (people.dtype.is_float() and people.is_nan().any()):
        raise DataError(
            "Some rows do not say whose they are.",
            code="data.person",
            hint="Fill the column of persons, or leave these rows out.",
        )
    offsets = draw_offsets(people, key, days)
    for name in names:
        if frame[name].dtype not in (pl.Date, pl.Datetime):
            raise _no_dates(name)
        _refuse_placeholders(frame[name])
        frame = frame.with_columns((frame[name] + offsets.cast(pl.Duration("ms")) * 86_400_000).alias(name))
    return frame


def _refuse_placeholders(dates: pl.Series) -> None:
    """Refuse dates that nobody lived through, such as 9999-12-31 for "no end": everybody knows them, so that each would
    tell its person's offset once it is shifted."""
    years = dates.dt.year()
    placeholders = int((~years.is_between(*YEARS)).sum())
    if placeholders:
        raise DataError(
            f"{placeholders:,} dates of {dates.name!r} are before {YEARS[0]} or after {YEARS[1]}: they stand for "
            "something else, and would tell each person's offset once they are shifted.",
            code="data.date",
            hint="Leave those cells empty before the table is read.",
        )


def _replace_birth(frame: pl.DataFrame, name: str, date: datetime.date) -> pl.DataFrame:
    """Replace a column of births by the age in full years at a date."""
    if frame[name].dtype not in (pl.Date, pl.Datetime):
        raise _no_dates(name)
    birth = frame[name].cast(pl.Date)
    before = pl.select(
        (birth.dt.month() > date.month) | ((birth.dt.month() == date.month) & (birth.dt.day() > date.day))
    ).to_series()
    age = (date.year - birth.dt.year() - before.cast(pl.Int32)).alias(f"{name}_age")
    if (age < 0).any():
        raise DataError(
            f"Some people in {name!r} are born after the date at which ages are asked for.",
            code="data.age",
            hint="Choose a later date.",
        )
    place = frame.columns.index(name)
    return frame.drop(name).insert_column(place, check_ages(age))


def _no_dates(name: str) -> DataError:
    return DataError(
        f"{name!r} holds no dates.",
        code="data.dates",
        hint="In a CSV or a workbook, write dates as 2025-12-31, or say how to read them, e.g. "
        f"{option('convert', {name: 'day-first'})}. In any other table, convert the column to dates.",
    )
