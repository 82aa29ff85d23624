"""Published tables in parts, wherever an engine keeps them; brought here only when somebody asks for a whole table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from voile.tables.part_protocol import Parts


class Kept(Mapping[str, pl.DataFrame]):
    """The tables of a release that lies in parts. `parts` hold a dict of frames each, `empty` is the same without a
    row, as it is written. `memo` keeps what was found out about them."""

    def __init__(self, parts: Parts, empty: Mapping[str, pl.DataFrame]) -> None:
        self.parts = parts
        self.empty = {name: plain(table) for name, table in empty.items()}
        self.memo: dict[str, Any] = {}
        self._here: dict[str, pl.DataFrame] = {}

    def __getitem__(self, name: str) -> pl.DataFrame:
        if name not in self.empty:
            raise KeyError(name)
        if not self._here:
            every = list(self.parts)
            self._here = {table: stacked([part[table] for part in every]) for table in self.empty}
        return self._here[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.empty)

    def __len__(self) -> int:
        return len(self.empty)

    def count(self, keys: Mapping[str, Sequence[str]]) -> tuple[dict[str, int], int]:
        """The rows of each table and the number of groups, counted where they lie; `keys` are the columns of each table
        that say to which group a row belongs."""
        if not self.is_counted(keys):
            self.told(keys, self.parts.map("count", counted, keys).summaries)
        found: tuple[dict[str, int], int] = self.memo[f"counted by {keys}"]
        return found

    def is_counted(self, keys: Mapping[str, Sequence[str]]) -> bool:
        return f"counted by {keys}" in self.memo

    def told(self, keys: Mapping[str, Sequence[str]], notes: Sequence[tuple[Mapping[str, int], np.ndarray]]) -> None:
        """Remember what every part holds."""
        groups = len(np.unique(np.concatenate([numbers for _, numbers in notes])))
        self.memo[f"counted by {keys}"] = {name: sum(rows[name] for rows, _ in notes) for name in self.empty}, groups

    def write(self, name: str, folder: Path, format: str) -> list[Path]:
        """One table as a file, or as several where the engine writes them side by side."""
        if format == "parquet":
            made = self.parts.write_parquet(name, self.empty[name], folder)
            if made is not None:
                return made
        path = folder / f"{name}.{format}"
        if format == "csv":
            with path.open("wb") as file:
                for number, part in enumerate(self.parts):
                    plain(part[name]).write_csv(file, include_header=number == 0)
            return [path]
        import pyarrow.parquet as pq

        writer = None
        with ExitStack() as opened:
            for part in self.parts:
                table = _arrow(part[name], writer.schema if writer is not None else None)
                if writer is None:
                    writer = opened.enter_context(pq.ParquetWriter(
                        path, table.schema, compression="zstd", compression_level=1,
                        write_statistics=False, store_schema=False,
                    ))  # fmt: skip
                writer.write_table(table, row_group_size=max(table.num_rows, 1))
        return [path]


def counted(
    tables: Mapping[str, pl.DataFrame], number: int, keys: Mapping[str, Sequence[str]]
) -> tuple[None, tuple[dict[str, int], np.ndarray]]:
    """How many rows the tables of a part have, and which groups, as numbers that stand for them."""
    groups = [np.zeros(0, dtype=np.uint64), *(numbers(tables[name], columns) for name, columns in keys.items())]
    return None, ({name: table.height for name, table in tables.items()}, np.unique(np.concatenate(groups)))


def numbers(table: pl.DataFrame, columns: Sequence[str]) -> np.ndarray:
    """A number for the group of each row: equal cells have equal numbers, whatever the type of the column."""
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


def _arrow(table: pl.DataFrame, schema: Any) -> Any:
    """A part for Parquet: categories as they are coded, so that no text is written out for every row."""
    import pyarrow as pa

    columns = []
    for name in table.columns:
        values = table[name]
        if isinstance(values.dtype, pl.Enum) and not values.null_count():
            codes = pa.array(values.to_physical().to_numpy().astype(np.int32))
            columns.append(
                pa.DictionaryArray.from_arrays(codes, pa.array(values.dtype.categories.to_list(), pa.string()))
            )
        else:
            columns.append(plain(values.to_frame())[name].to_arrow())
    if schema is None:
        return pa.table(columns, names=table.columns)
    return pa.table([_like(one, field.type) for one, field in zip(columns, schema, strict=True)], schema=schema)


def _like(values: Any, kind: Any) -> Any:
    """A column in the type of the first part: text may be coded there or here."""
    import pyarrow as pa

    if values.type == kind:
        return values
    if pa.types.is_dictionary(kind):
        coded = values.cast(kind.value_type).dictionary_encode()
        return pa.DictionaryArray.from_arrays(coded.indices.cast(kind.index_type), coded.dictionary)
    return values.dictionary_decode().cast(kind) if pa.types.is_dictionary(values.type) else values.cast(kind)


def plain(table: pl.DataFrame) -> pl.DataFrame:
    """The table with text instead of categories, which differ from part to part."""
    named = [name for name, kind in table.schema.items() if kind in (pl.Enum, pl.Categorical)]
    return table.with_columns(pl.col(named).cast(pl.String)) if named else table


def stacked(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """One table of several with the same columns; categories that differ are brought together, in order."""
    if len(frames) == 1:
        return frames[0]
    columns = []
    for name in frames[0].columns:
        pieces = [frame[name] for frame in frames]
        differ = any(piece.dtype != pieces[0].dtype for piece in pieces)
        columns.append(_of_categories(pieces) if differ else pl.concat(pieces))
    return pl.DataFrame(columns)


def _of_categories(pieces: Sequence[pl.Series]) -> pl.Series:
    labels = pl.concat([piece.dtype.categories for piece in pieces]).unique().sort()  # type: ignore[attr-defined]
    place = {label: code for code, label in enumerate(labels)}
    codes = []
    for piece in pieces:
        moved = np.array([place[label] for label in piece.dtype.categories], dtype=np.uint32)  # type: ignore[attr-defined]
        codes.append(moved[piece.to_physical().to_numpy()])
    shown: pl.Series = labels.cast(pl.Enum(labels)).gather(np.concatenate(codes))
    return shown.alias(pieces[0].name)
