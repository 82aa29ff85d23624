"""Prepare: change a table at the border, before it is read. Nothing here makes a table anonymous; publishing does."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from voile.engines.base import Source
from voile.engines.memory import load_frame
from voile.errors import DataError, SchemaError, SpecError, option, raise_together
from voile.flow.prepare.keyed_values import draw_offsets, make_pseudonyms
from voile.flow.prepare.safe_harbor import apply_rules, write_checklist
from voile.io.conversions.column_readings import ReadingRecord
from voile.io.conversions.encodings import AUTO
from voile.io.safe_writing.file_replacement import replace_files
from voile.plugins.counted_nouns import count_noun
from voile.tables.schema import suggest_name
from voile.tables.secret_key import Key

SHIFT_DAYS = 182


@dataclass(frozen=True, eq=False, repr=False)
class PreparedTable:
    """A table that was changed at the border, for `read`. `steps` are stated in the certificate of its releases;
    `pseudonyms` has each identifier with its pseudonym, and belongs into a private file, never into a release."""

    frame: pl.DataFrame
    steps: tuple[str, ...] = ()
    pseudonyms: pl.DataFrame | None = None
    rules: Mapping[str, str] = field(default_factory=dict)
    reading: ReadingRecord = field(default_factory=ReadingRecord)

    def __repr__(self) -> str:
        return f"PreparedTable({self.frame.height} rows; {', '.join(self.steps) or 'unchanged'})"

    def checklist(self) -> list[dict[str, str]]:
        """Return the checklist of Safe Harbor: what the rules did, and what a person has to check. It is no statement
        that anything complies with a law."""
        return write_checklist(self.rules)

    def save_pseudonyms(self, path: str | Path) -> Path:
        """Write identifiers and pseudonyms to a new CSV that only its owner can read."""
        path = Path(path)
        if self.pseudonyms is None:
            raise SpecError("No pseudonyms were made.", code="spec.pseudonym", hint=f"Use {option('pseudonym', 'id')}.")
        if path.exists():
            raise SpecError(f"{path.name!r} exists already.", code="spec.out", hint="Name a new file.")
        replace_files({path: self.pseudonyms.write_csv().encode()}, private=True)
        return path


def prepare(
    source: Any,
    *,
    pseudonym: str | None = None,
    ages: Mapping[str, str | datetime.date] | None = None,
    shift_dates: Sequence[str] = (),
    shift_days: int = SHIFT_DAYS,
    person: str | None = None,
    safe_harbor: Mapping[str, str] | None = None,
    on: str | datetime.date | None = None,
    key: Key | None = None,
    query: str | None = None,
    delimiter: str | None = None,
    encoding: str = AUTO,
    null_values: Sequence[str] = (),
    convert: Mapping[str, str] | None = None,
) -> PreparedTable:
    """Prepare a table: make pseudonyms for an identifier, shift the dates of each person by one offset, turn dates of
    birth into ages at a date (the column `birth` becomes `birth_age`), and apply rules of Safe Harbor by column (zip,
    age, date or birth). Pseudonyms need a key; offsets are drawn with it, or else with a fresh one that is forgotten.

    >>> frame = pl.DataFrame({"id": ["a", "b"], "zip": ["03601", "90210"], "age": [93, 41]})
    >>> prepared = prepare(frame, safe_harbor={"zip": "zip", "age": "age"})
    >>> prepared.frame.rows()
    [('a', '000', 90), ('b', '902', 41)]
    """
    table_source = Source(source, query, delimiter, encoding, null_values, convert or {})
    frame = load_frame(table_source, None)
    ages, rules = dict(ages or {}), dict(safe_harbor or {})
    changed = [*frame.columns, *(f"{name}_age" for name in ages)]
    named = [*([pseudonym] if pseudonym else []), *ages, *shift_dates, *rules, *([person] if person else [])]
    _check_columns(changed, named)
    _check_request(ages, shift_dates, shift_days, rules, on, pseudonym, key)
    names = make_pseudonyms(frame[pseudonym], key) if pseudonym and key else None
    steps = ["pseudonyms"] if names is not None else []
    if shift_dates:
        frame = _shift(frame, shift_dates, person, key or Key.fresh(), shift_days)
        steps.append("shifted dates")
    for name, date in ages.items():
        frame = _replace_birth(frame, name, _read_date(date))
        steps.append("ages")
    if rules:
        frame = apply_rules(frame, rules, _read_date(on or "1970-01-01"))
        steps.append("safe harbor rules")
    return PreparedTable(frame, tuple(dict.fromkeys(steps)), names, rules, table_source.record)


def _check_columns(present: Sequence[str], names: Sequence[str]) -> None:
    raise_together(
        SchemaError(
            f"The table has no column {name!r}.", code="schema.unknown-column", hint=suggest_name(name, present)
        )
        for name in dict.fromkeys(names)
        if name not in present
    )


def _check_request(
    ages: Mapping[str, Any],
    shift_dates: Sequence[str],
    shift_days: int,
    rules: Mapping[str, str],
    on: Any,
    pseudonym: str | None,
    key: Key | None,
) -> None:
    """Raise what is wrong with a request, all together."""
    problems: list[SpecError] = []
    twice = sorted({name for name in (*ages, *shift_dates, *rules) if [*ages, *shift_dates, *rules].count(name) > 1})
    for name in twice:
        problems.append(SpecError(f"{name!r} is to be changed twice.", code="spec.prepare", hint="Choose one change."))
    if not 1 <= shift_days <= 36_500:
        problems.append(SpecError("Dates are shifted by 1 to 36,500 days.", code="spec.prepare"))
    if "birth" in rules.values() and on is None:
        hint = f"Say at which date, e.g. {option('on', '2026-01-01')}."
        problems.append(SpecError("The rule for births needs a date.", code="spec.prepare", hint=hint))
    if on is not None and "birth" not in rules.values():
        message = f"{option('on')} has no effect here: no column of births has a rule."
        problems.append(SpecError(message, code="spec.unused-option", hint="Leave it out."))
    if pseudonym and key is None:
        problems.append(
            SpecError(
                "Pseudonyms need a key: with another one the same person would have another pseudonym.",
                code="spec.pseudonym",
                hint=f"Make one and keep it secret: {option('key_file', 'key.hex')}.",
            )
        )
    raise_together(problems)


def _shift(frame: pl.DataFrame, names: Sequence[str], person: str | None, key: Key, days: int) -> pl.DataFrame:
    """Shift all dates of a person by one offset. Without a column of persons, every row is a person of its own."""
    people = frame[person] if person else pl.Series("row", range(frame.height), dtype=pl.Int64)
    if people.null_count():
        raise DataError(
            f"Nothing says whose row it is in {count_noun(people.null_count(), 'row')}.",
            code="data.person",
            hint="Fill the column of persons, or leave these rows out.",
        )
    offsets = draw_offsets(people, key, days)
    for name in names:
        if frame[name].dtype not in (pl.Date, pl.Datetime):
            raise _no_dates(name)
        frame = frame.with_columns((frame[name] + offsets.cast(pl.Duration("ms")) * 86_400_000).alias(name))
    return frame


def _replace_birth(frame: pl.DataFrame, name: str, date: datetime.date) -> pl.DataFrame:
    """Replace a column of births by the age in full years at a date."""
    if frame[name].dtype not in (pl.Date, pl.Datetime):
        raise _no_dates(name)
    if f"{name}_age" in frame.columns:
        raise SpecError(f"The table has a column '{name}_age' already.", code="spec.prepare", hint="Rename it.")
    birth = frame[name].cast(pl.Date)
    before = pl.select(
        (birth.dt.month() > date.month) | ((birth.dt.month() == date.month) & (birth.dt.day() > date.day))
    ).to_series()
    age = (date.year - birth.dt.year() - before.cast(pl.Int32)).alias(f"{name}_age")
    unborn = int((age < 0).sum())
    if unborn:
        raise DataError(
            f"{unborn} people in {name!r} are born after the date at which ages are asked for.",
            code="data.age",
            hint="Choose a later date.",
        )
    place = frame.columns.index(name)
    return frame.drop(name).insert_column(place, age)


def _no_dates(name: str) -> DataError:
    return DataError(f"{name!r} holds no dates.", code="data.dates", hint="Write dates as 2025-12-31.")


def _read_date(date: str | datetime.date) -> datetime.date:
    try:
        return date if isinstance(date, datetime.date) else datetime.date.fromisoformat(date)
    except ValueError:
        raise SpecError(f"{date!r} is no date.", code="spec.date", hint="Write it as 2026-01-31.") from None
