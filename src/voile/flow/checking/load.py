"""Load: read a published folder as a release."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from voile.engines.base import Engine
from voile.errors import DataError
from voile.io import release_folder
from voile.io.release_folder import Documents
from voile.releases.certificate import FORMAT, Certificate
from voile.releases.partitioned_tables import PartitionedTables
from voile.releases.release import Release, find_shape


def load(place: str | Path, *, engine: Engine | None = None) -> Release:
    """Read a published folder as a release. Its claims are as they stand in the certificate; `verify` checks them. With
    an `engine` the tables stay where they are."""
    place = Path(place)
    return release_from(place, release_folder.read_documents(place), engine)


def stays_on_disk(files: Mapping[str, Any], engine: Engine | None) -> bool:
    """Whether an engine reads the tables of a folder piece by piece, which it can do with Parquet only."""
    return engine is not None and not engine.in_memory and not any(str(name).endswith(".csv") for name in files)


def release_from(
    place: Path, documents: Documents, engine: Engine | None = None, contents: Mapping[str, bytes] | None = None
) -> Release:
    """Read the tables of a folder whose documents have been read; from `contents` if its files have been read too."""
    certificate, dictionary = documents.certificate, documents.dictionary
    try:
        if certificate["format"] != FORMAT:
            raise DataError(
                f"The certificate has format {certificate['format']!r}, this version reads {FORMAT}.",
                code="data.format",
                hint="Use a newer version of voile.",
            )
        shape, files = find_shape(str(certificate["shape"])), certificate["files"]
        tables: Mapping[str, pl.DataFrame]
        if engine is not None and stays_on_disk(files, engine):
            empty, row_groups = release_folder.list_row_groups(place, files, dictionary)
            tables = PartitionedTables(
                engine.list_parts([(group, empty) for group in row_groups], read_row_group), empty
            )
        else:
            tables = release_folder.read_tables(place, files, dictionary, contents)
        stated = Certificate(
            shape.shape, certificate["method"], tuple(certificate["claims"]), str(certificate["tool"]), files
        )
    except (KeyError, TypeError, AttributeError):
        raise DataError(
            f"The certificate or dictionary of {place.name!r} lacks a part.",
            code="data.document",
            hint="Fetch the release again.",
        ) from None
    return shape(tables, dictionary, stated)


def read_row_group(item: tuple[Mapping[str, tuple[str, int, int]], dict[str, pl.DataFrame]]) -> dict[str, pl.DataFrame]:
    """Read one row group of each table of a folder."""
    row_group, empty = item
    tables = dict(empty)
    for name, (path, start, rows) in row_group.items():
        tables[name] = pl.scan_parquet(path, glob=False).slice(start, rows).collect()
    return tables
