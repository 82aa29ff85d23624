"""Published tables in parts, wherever an engine keeps them. A whole table is collected only when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from voile.io.parquet.writing import with_text_labels, write_parquet
from voile.tables.part_protocol import Parts


class PartitionedTables(Mapping[str, pl.DataFrame]):
    """The tables of a release in parts. Each of `parts` is a dict of frames; `empty` has the same tables without rows,
    as they are written. `findings` remembers what was computed about the parts."""

    def __init__(self, parts: Parts, empty: Mapping[str, pl.DataFrame]) -> None:
        self.parts = parts
        self.empty = {name: with_text_labels(table) for name, table in empty.items()}
        self.findings: dict[str, Any] = {}
        self._here: dict[str, pl.DataFrame] = {}

    def __getitem__(self, name: str) -> pl.DataFrame:
        if name not in self.empty:
            raise KeyError(name)
        if not self._here:
            every = list(self.parts)
            self._here = {table: stack_tables([part[table] for part in every]) for table in self.empty}
        return self._here[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.empty)

    def __len__(self) -> int:
        return len(self.empty)

    def drop(self, names: Sequence[str]) -> PartitionedTables:
        """Return the tables without some columns."""
        if not names:
            return self
        return PartitionedTables(self.parts.map_lazily(drop_columns, names), drop_columns(self.empty, 0, names))

    def count(self, keys: Mapping[str, Sequence[str]]) -> tuple[dict[str, int], int]:
        """Count the rows of each table and the groups, part by part; `keys` are the columns of each table that tell the
        group of a row."""
        if not self.has_counts(keys):
            self.record_counts(keys, self.parts.map("count", count_part, keys).summaries)
        counts: tuple[dict[str, int], int] = self.findings[f"counted by {keys}"]
        return counts

    def has_counts(self, keys: Mapping[str, Sequence[str]]) -> bool:
        """Whether rows and groups were counted already."""
        return f"counted by {keys}" in self.findings

    def record_counts(
        self, keys: Mapping[str, Sequence[str]], summaries: Sequence[tuple[Mapping[str, int], np.ndarray]]
    ) -> None:
        """Remember the rows and groups of all parts, as `count_part` summarizes each."""
        groups = len(np.unique(np.concatenate([hashes for _, hashes in summaries])))
        rows = {name: sum(heights[name] for heights, _ in summaries) for name in self.empty}
        self.findings[f"counted by {keys}"] = rows, groups

    def write(self, name: str, folder: Path, format: str) -> list[Path]:
        """Write one table as a file, or as several if the engine writes its parts side by side."""
        if format == "parquet":
            paths = self.parts.write_parquet(name, self.empty[name], folder)
            if paths is not None:
                return paths
        path = folder / f"{name}.{format}"
        if format == "csv":
            with path.open("wb") as file:
                for number, part in enumerate(self.parts):
                    with_text_labels(part[name]).write_csv(file, include_header=number == 0)
            return [path]
        write_parquet(path, (part[name] for part in self.parts))
        return [path]


def count_part(
    tables: Mapping[str, pl.DataFrame], number: int, keys: Mapping[str, Sequence[str]]
) -> tuple[None, tuple[dict[str, int], np.ndarray]]:
    """Count the rows of a part's tables, and list its groups by their hashes."""
    groups = [np.zeros(0, dtype=np.uint64), *(hash_groups(tables[name], columns) for name, columns in keys.items())]
    return None, ({name: table.height for name, table in tables.items()}, np.unique(np.concatenate(groups)))


def drop_columns(tables: Mapping[str, pl.DataFrame], number: int, names: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Return the tables of a part without some columns."""
    return {name: table.drop(names, strict=False) for name, table in tables.items()}


def hash_groups(table: pl.DataFrame, columns: Sequence[str]) -> np.ndarray:
    """Return a number for the group of each row: equal cells give equal numbers, whatever the type of the column."""
    mixed = np.zeros(table.height, dtype=np.uint64)
    for name in columns:
        values = table[name]
        if isinstance(values.dtype, pl.Enum) and not values.null_count():
            each = values.dtype.categories.hash(1).to_numpy()[values.to_physical().to_numpy()]
        else:
            each = values.cast(pl.String).hash(1).to_numpy()
        mixed = (mixed ^ each) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed


def stack_tables(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Stack tables with the same columns; categories that differ are merged, in order."""
    if len(frames) == 1:
        return frames[0]
    columns = []
    for name in frames[0].columns:
        pieces = [frame[name] for frame in frames]
        differ = any(piece.dtype != pieces[0].dtype for piece in pieces)
        columns.append(_merge_categories(pieces) if differ else pl.concat(pieces))
    return pl.DataFrame(columns)


def _merge_categories(pieces: Sequence[pl.Series]) -> pl.Series:
    labels = pl.concat([piece.dtype.categories for piece in pieces]).unique().sort()  # type: ignore[attr-defined]
    position = {label: code for code, label in enumerate(labels)}
    codes = []
    for piece in pieces:
        recoded = np.array([position[label] for label in piece.dtype.categories], dtype=np.uint32)  # type: ignore[attr-defined]
        codes.append(recoded[piece.to_physical().to_numpy()])
    merged: pl.Series = labels.cast(pl.Enum(labels)).gather(np.concatenate(codes))
    return merged.alias(pieces[0].name)
