"""Ranges of a CSV, each of whole records, that can be read apart and anywhere: the header is not needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from voile.errors import EngineError
from voile.io.csv_byte_scan import drop_blank_lines
from voile.io.csv_faults import unreadable_csv
from voile.io.csv_files import InspectedCsv
from voile.io.library_border import library_border


@dataclass(frozen=True)
class CsvRange:
    """The bytes of some records: of a file from `start` to `stop`, or as they are where the file had to be recoded."""

    path: Path
    start: int
    stop: int
    content: bytes | None = None

    def read(self) -> bytes:
        if self.content is not None:
            return self.content
        try:
            with self.path.open("rb") as handle:
                handle.seek(self.start)
                return handle.read(self.stop - self.start)
        except OSError as error:
            raise EngineError(
                f"A worker cannot read {self.path.name!r} ({error.strerror}).",
                code="engine.source",
                hint="Name a file that the driver and all workers see under the same path.",
            ) from None


@dataclass(frozen=True)
class RangeReader:
    """Reads the requested columns of a range as text."""

    names: Sequence[str]
    columns: Sequence[str]
    delimiter: str
    null_values: Sequence[str]
    has_blank_lines: bool

    def __call__(self, part: CsvRange) -> pl.DataFrame:
        content = part.read()
        if self.has_blank_lines:
            content = drop_blank_lines(content)
        requested = [number for number, name in enumerate(self.names) if name in self.columns]
        empty = pl.DataFrame({name: [] for name in self.columns}, schema=dict.fromkeys(self.columns, pl.String()))
        if not content:
            return empty
        with library_border(unreadable_csv(part.path)):
            frame = pl.read_csv(
                content,
                has_header=False,
                separator=self.delimiter,
                infer_schema=False,
                columns=requested,
                null_values=["", *self.null_values],
            )
        frame.columns = [self.names[number] for number in requested]
        return frame.select(self.columns)


def list_ranges(path: Path, inspected: InspectedCsv) -> list[CsvRange]:
    """Cut a CSV, or the bytes into which it was recoded, into ranges of whole records."""
    source, cuts = inspected.source, inspected.scan.cuts
    length = len(source) if isinstance(source, bytes) else source.stat().st_size
    stops = [*cuts[1:], length]
    return [
        CsvRange(path.absolute(), start, stop, source[start:stop] if isinstance(source, bytes) else None)
        for start, stop in zip(cuts, stops, strict=True)
    ]
