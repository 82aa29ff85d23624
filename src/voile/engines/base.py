"""What an engine is: the place where the chunks of a table and the parts of a release lie.

An engine reads a table in chunks of rows, holds parts that are loaded when they are needed, says how many distinct rows
may be brought into this process, and tells whoever watches how far the work is. Defining a dataclass with a `name`
registers it, here or in a plug-in; nothing else has to be edited.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, Self

from voile.errors import EngineError, SpecError, option
from voile.io.conversions.column_readings import ReadingRecord
from voile.io.conversions.encodings import AUTO
from voile.io.conversions.text_options import TextOptions
from voile.tables.part_protocol import Parts
from voile.tables.schema import Schema

CHUNK_ROWS = 1 << 20  # rows that are read at once
LEAST_MEMORY = 1 << 30
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
NOT_A_KNOB: Mapping[str, bool] = {"knob": False}  # the metadata of a field that Python sets, not a user
Watch = Callable[[str, int, int], None]  # (stage, parts done, parts in all)

_engines: dict[str, type[Engine]] = {}


@dataclass(frozen=True)
class Source:
    """A table to read: a path, a data frame, or a database URL with a `query`; and how its text is to be understood."""

    table: Any
    query: str | None = None
    delimiter: str | None = None
    encoding: str = AUTO
    null_values: Sequence[str] = ()
    convert: Mapping[str, str] = field(default_factory=dict)
    record: ReadingRecord = field(default_factory=ReadingRecord, compare=False)
    sheet: str | int | None = None

    @property
    def how(self) -> TextOptions:
        """How the text of a file is to be understood, and where to note how it was."""
        return TextOptions(self.delimiter, self.encoding, self.null_values, self.convert, self.record, self.sheet)

    @property
    def path(self) -> Path | None:
        """The file, unless the table is something else."""
        return Path(self.table) if isinstance(self.table, (str, Path)) and self.query is None else None

    def refuse_unused_convert(self) -> None:
        """Raise if readings are asked for although the columns of the table have types already."""
        from voile.io.table_files import FILE_KINDS  # checking a release takes none of these

        kind = "" if self.path is None else FILE_KINDS.get(self.path.suffix.lower(), "csv")
        if self.convert and kind not in ("csv", "labelled"):
            raise SpecError(
                f"{option('convert')} has no effect here: the columns of this table have types, and are taken as they "
                "are.",
                code="spec.unused-option",
                hint="Convert the columns in the table itself, e.g. texts to dates, or write the table as CSV.",
            )


@dataclass(frozen=True, eq=False)
class Engine(ABC):
    """The root of the engines. The fields of an engine are its knobs, which users write as text, except those marked
    NOT_A_KNOB. `watch` is called with each stage of the work, the number of parts done, and the number of parts."""

    name: ClassVar[str] = ""
    in_memory: ClassVar[bool] = False  # whether whole tables are held in the memory of this process

    watch: Watch | None = field(default=None, kw_only=True, repr=False, compare=False, metadata=NOT_A_KNOB)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" not in cls.__dict__:
            return
        known = _engines.get(cls.name)
        if known and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise SpecError(
                f"Two engines are named {cls.name!r}: {known.__module__} and {cls.__module__}.",
                code="spec.plugin-name",
                hint="Rename one of them.",
            )
        _engines[cls.name] = cls

    @classmethod
    def knobs(cls) -> list[str]:
        """The knobs that a user may set."""
        return [one.name for one in fields(cls) if one.metadata.get("knob", True)]

    @classmethod
    def of_table(cls, table: Any) -> Self | None:
        """Return the engine on which a table already lives, if it is one of this kind."""
        return None

    @abstractmethod
    def read(self, source: Source, schema: Schema) -> Parts:
        """Read the columns `schema.read_names()` in chunks, each a polars frame with the types of the whole table.
        `schema.check` is told the names of all columns first."""

    @abstractmethod
    def list_parts(self, items: Sequence[Any], load: Callable[[Any], Any]) -> Parts:
        """Return one part per item, which `load` brings into memory when it is needed."""

    @abstractmethod
    def row_limit(self, columns: int) -> int:
        """Return how many distinct rows of that many columns may be brought into this process at once."""

    def refusal(self, source: Source) -> EngineError:
        """The error for a source that this engine does not read."""
        kind = "a query" if source.query else type(source.table).__name__
        return EngineError(
            f"The engine {type(self).__name__} does not read {kind}.",
            code="engine.source",
            hint="Give it the path of a file, or read the table in memory.",
        )


def registered_engines() -> dict[str, type[Engine]]:
    """Return the engines defined so far, by name."""
    return dict(sorted(_engines.items()))


def parse_memory(text: str) -> int:
    """Return an amount of memory in bytes; SpecError if it is none, or too little to work with.

    >>> parse_memory("1.5 GiB")
    1610612736
    """
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if match is None:
        raise SpecError(f"memory = {text!r} is no size.", code="spec.memory", hint="E.g. 4GiB.")
    memory = int(float(match[1]) * UNITS[match[2].upper()])
    if memory < LEAST_MEMORY:
        raise SpecError(
            f"memory = {text!r} is too little to work with.", code="spec.memory", hint="Allow 1GiB or more."
        )
    return memory


def count_rows_that_fit(memory: int, columns: int) -> int:
    """Return how many distinct rows of that many columns fit in that many bytes: a method needs several copies."""
    return memory // (16 * (4 * columns + 8))
