"""Prepare: change a table at the border, before it is read. Nothing here makes a table anonymous; publishing does."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from voile.engines.base import Engine, Source
from voile.engines.memory import InMemory, load_frame
from voile.engines.selection import engine_of_table
from voile.errors import EngineError, SpecError, option
from voile.flow.prepare.keyed_values import make_pseudonyms, write_people
from voile.flow.prepare.preparation import (
    SHIFT_DAYS,
    Preparation,
    find_source_schema,
    parse_day,
    prepare_chunk,
)
from voile.flow.prepare.safe_harbor import write_checklist
from voile.io.conversions.column_readings import ReadingRecord, refuse_questions
from voile.io.conversions.encodings import AUTO
from voile.io.release_folder.file_names import CERTIFICATE
from voile.io.safe_writing.file_replacement import replace_files
from voile.result_tables import write_html
from voile.tables.part_protocol import Parts
from voile.tables.schema import Schema
from voile.tables.secret_key import Key


@dataclass(frozen=True, eq=False, repr=False)
class PreparedTable:
    """A table that is changed at the border, for `read`. `steps` are stated in the certificate of its releases;
    `pseudonyms` has each identifier with its pseudonym, and belongs into a private file, never into a release. A table
    that was prepared on disk or on Spark stays there: it is changed chunk by chunk when it is read."""

    source: Source
    preparation: Preparation
    engine: Engine
    pseudonyms: pl.DataFrame | None = None
    loaded: pl.DataFrame | None = None

    def __repr__(self) -> str:
        size = f"{self.loaded.height} rows" if self.loaded is not None else f"engine {self.engine.name}"
        return f"PreparedTable({size}; {', '.join(self.steps) or 'unchanged'})"

    def _repr_html_(self) -> str:
        return write_html(repr(self), [{"column": column, "rule": rule} for column, rule in self.rules.items()])

    @property
    def steps(self) -> tuple[str, ...]:
        return self.preparation.steps

    @property
    def rules(self) -> Mapping[str, str]:
        return self.preparation.rules

    @property
    def reading(self) -> ReadingRecord:
        return self.source.record

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The prepared table, in the memory of this process."""
        if self.loaded is not None:
            return self.loaded
        return self.preparation.apply(_load(self.source, self.preparation))

    def open_chunks(self, schema: Schema) -> Parts:
        """Return the columns of a schema in chunks, where the table lies."""
        if self.engine.in_memory:
            return self.engine.read(Source(self.frame), schema)
        source_schema = find_source_schema(schema, self.preparation, self.source.convert)
        chunks = self.engine.read(self.source, source_schema)
        _refuse_questions(self.source, self.preparation)
        return chunks.map_lazily(prepare_chunk, self.preparation, list(schema.read_names()))

    def checklist(self) -> list[dict[str, str]]:
        """Return the checklist of Safe Harbor: what the rules did, and what a person has to check. It is no statement
        that anything complies with a law."""
        return write_checklist(self.rules)

    def save_pseudonyms(self, path: str | Path) -> Path:
        """Write identifiers and pseudonyms to a new CSV that only its owner can read."""
        path = Path(path)
        if self.pseudonyms is None:
            raise SpecError("No pseudonyms were made.", code="spec.pseudonym", hint=f"Use {option('pseudonym', 'id')}.")
        if path.resolve().parent.joinpath(CERTIFICATE).exists():
            raise SpecError(
                "The file of the pseudonyms would lie in a release.",
                code="spec.pseudonym",
                hint="Keep it apart: whoever receives the release must not have it.",
            )
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
    sheet: str | int | None = None,
    engine: Engine | None = None,
) -> PreparedTable:
    """Prepare a table: make pseudonyms for an identifier, shift the dates of each person by one offset, turn dates of
    birth into ages at a date (the column `birth` becomes `birth_age`), and apply rules of Safe Harbor by column (zip,
    age, date or birth). Pseudonyms need a key; offsets are drawn with it, or else with a fresh one that is forgotten.
    `engine` says where the rows lie, as in `read`.

    >>> frame = pl.DataFrame({"id": ["a", "b"], "zip": ["03601", "90210"], "age": [93, 41]})
    >>> prepared = prepare(frame, safe_harbor={"zip": "zip", "age": "age"})
    >>> prepared.frame.rows()
    [('a', '000', 90), ('b', '902', 41)]
    """
    table_source = Source(source, query, delimiter, encoding, null_values, convert or {}, sheet=sheet)
    table_source.refuse_unused_convert()
    days = {name: parse_day(date) for name, date in (ages or {}).items()}
    day = None if on is None else parse_day(on)
    rules = dict(safe_harbor or {})
    preparation = Preparation(pseudonym, days, tuple(shift_dates), shift_days, person, rules, day, key)
    if shift_dates and key is None:
        preparation = replace(preparation, key=Key.fresh())
    engine = engine or engine_of_table(source)
    if not engine.in_memory:
        _check_rows_are_told_apart(preparation, engine)
        return PreparedTable(table_source, preparation, engine, _name_people(table_source, preparation, engine))
    frame = _load(table_source, preparation)
    names = make_pseudonyms(frame[pseudonym], key) if pseudonym and key else None
    return PreparedTable(table_source, preparation, InMemory(), names, preparation.apply(frame))


def prepare_as_asked(
    source: Any,
    asked: Mapping[str, Any],
    reading: Mapping[str, Any],
    *,
    person: str | None = None,
    key: Key | None = None,
    engine: Engine | None = None,
) -> tuple[Any, dict[str, Any]]:
    """Return what to read, and the options to read it with: the table that `[prepare]` asks for, or the source itself
    if it asks for nothing. Without a key no pseudonyms are made: they are for a release, not for a look at the table.
    """
    asked = asked if key is not None else {name: value for name, value in asked.items() if name != "pseudonym"}
    if not asked:
        return source, dict(reading)
    options = {name: value for name, value in reading.items() if name != "merge"}
    prepared = prepare(source, **asked, person=person, key=key, **options, engine=engine)
    return prepared, {"merge": reading.get("merge", ())}


def _load(source: Source, preparation: Preparation) -> pl.DataFrame:
    """Load a whole table as it is, after checking that it can be prepared."""
    frame = load_frame(source, None, lambda names: preparation.check(names, source.convert))
    _refuse_questions(source, preparation)
    return frame


def _refuse_questions(source: Source, preparation: Preparation) -> None:
    """Refuse to change a column that can be read in two ways."""
    changed = {*preparation.ages, *preparation.shift_dates, *preparation.rules}
    refuse_questions([reading for reading in source.record.columns if reading.column in changed])


def _check_rows_are_told_apart(preparation: Preparation, engine: Engine) -> None:
    """Refuse offsets by row where rows have no place: the same table would be shifted otherwise on each engine."""
    if preparation.shift_dates and not preparation.person:
        raise EngineError(
            "Dates cannot be shifted row by row here: the offset of a row without a person is drawn by its place in "
            f"the table, which the engine {engine.name!r} does not know.",
            code="engine.prepare",
            hint=f"Name the column that tells people apart ({option('person', 'patient')}), or prepare in memory.",
        )


def _name_people(source: Source, preparation: Preparation, engine: Engine) -> pl.DataFrame | None:
    """Return the pseudonyms of a table that lies elsewhere: its different identifiers are brought here."""
    name, key = preparation.pseudonym, preparation.key
    if not name or key is None:
        return None
    chunks = engine.read(source, Schema(quasi=[name])).map("pseudonyms", _list_identifiers, name)
    return make_pseudonyms(pl.concat(chunks.summaries).alias(name), key)


def _list_identifiers(frame: pl.DataFrame, number: int, name: str) -> tuple[None, pl.Series]:
    return None, write_people(frame[name]).drop_nulls().unique()
