"""How the text of a file is to be understood, as far as the user says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from voile.io.conversions.column_readings import ReadingRecord, check_readings
from voile.io.conversions.encodings import AUTO


@dataclass(frozen=True)
class TextOptions:
    """The delimiter and the encoding (found if they are not named), the texts that mean missing, and the readings that
    the user asks for by column. `sheet` is the name or the number (from 1) of a workbook's sheet. `record` takes
    note of what is found and converted."""

    delimiter: str | None = None
    encoding: str = AUTO
    null_values: Sequence[str] = ()
    convert: Mapping[str, str] = field(default_factory=dict)
    record: ReadingRecord = field(default_factory=ReadingRecord, compare=False)
    sheet: str | int | None = None

    def __post_init__(self) -> None:
        check_readings(self.convert)
