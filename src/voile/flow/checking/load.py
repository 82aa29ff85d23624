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
from voile.releases.certificate import Certificate
from voile.releases.partitioned_tables import PartitionedTables
from voile.releases.release import Release, find_shape
from voile.releases.strict_reading.cell_texts import parse_tables, restore_zones
from voile.releases.strict_reading.certificate_faults import certificate_faults, refuse_other_formats
from voile.releases.strict_reading.dictionary_faults import dictionary_faults
from voile.releases.strict_reading.distinct_cells import DistinctCells
from voile.releases.strict_reading.table_faults import find_table_faults


def load(place: str | Path, *, engine: Engine | None = None) -> Release:
    """Read a published folder as a release. Its claims are as they stand in the certificate; `verify` checks them. With
    an `engine` the tables stay where they are."""
    place = Path(place)
    documents = release_folder.read_documents(place)
    faults = find_document_faults(documents)
    if faults:
        raise DataError(
            f"The documents of {place.name!r} are malformed: {'; '.join(faults)}.",
            code="data.document",
            hint="Fetch the release again.",
        )
    release = release_from(place, documents, engine)
    tables = release.tables
    cells = DistinctCells(tables.empty if isinstance(tables, PartitionedTables) else tables)
    faults = find_table_faults(release, cells)
    if faults:
        raise DataError(
            f"The tables of {place.name!r} do not fit their dictionary: {', '.join(faults)}.",
            code="data.tables",
            hint="Fetch the release again.",
        )
    return release


def find_document_faults(documents: Documents) -> list[str]:
    """List what is wrong with the form of a certificate and its dictionary: whatever is not known is a fault. Raise
    DataError for a certificate of another format."""
    certificate, dictionary = documents.certificate, documents.dictionary
    refuse_other_formats(certificate)
    faults = [f"{release_folder.CERTIFICATE}: {fault}" for fault in certificate_faults(certificate)]
    if faults:
        return faults
    try:
        shape = find_shape(certificate["shape"])
    except DataError as error:
        return [f"{release_folder.CERTIFICATE}: {error.message}"]
    if release_folder.DICTIONARY not in certificate["files"]:
        faults.append(f"{release_folder.CERTIFICATE}: it does not list {release_folder.DICTIONARY}")
    faults += [
        f"{release_folder.CERTIFICATE}: {fault}" for fault in release_folder.find_file_faults(certificate["files"])
    ]
    dictionary_problems = dictionary_faults(dictionary, shape.dictionary_keys)
    return [*faults, *(f"{release_folder.DICTIONARY}: {fault}" for fault in dictionary_problems)]


def stays_on_disk(files: Mapping[str, Any], engine: Engine | None) -> bool:
    """Whether an engine reads the tables of a folder piece by piece, which it can do with Parquet only."""
    return engine is not None and not engine.in_memory and not any(str(name).endswith(".csv") for name in files)


def release_from(
    place: Path, documents: Documents, engine: Engine | None = None, contents: Mapping[str, bytes] | None = None
) -> Release:
    """Read the tables of a folder whose documents have no faults; from `contents` if its files have been read too."""
    certificate, dictionary = documents.certificate, documents.dictionary
    shape, files = find_shape(certificate["shape"]), certificate["files"]
    claims, prepared = tuple(certificate["claims"]), tuple(certificate.get("prepared", ()))
    stated = Certificate(shape.shape, certificate["method"], claims, certificate["tool"], files, prepared=prepared)
    if engine is not None and stays_on_disk(files, engine):
        empty, row_groups = release_folder.list_row_groups(place, files)
        empty = restore_zones(empty, dictionary)
        parts = engine.list_parts([(group, empty) for group in row_groups], read_row_group)
        tables: Mapping[str, pl.DataFrame] = PartitionedTables(parts, empty)
    else:
        tables = release_folder.read_tables(place, files, contents)
        if any(name.endswith(".csv") for name in files):
            tables = parse_tables(shape({}, dictionary, stated), tables)
        else:
            tables = restore_zones(tables, dictionary)
    return shape(tables, dictionary, stated)


def read_row_group(item: tuple[Mapping[str, tuple[str, int, int]], dict[str, pl.DataFrame]]) -> dict[str, pl.DataFrame]:
    """Read one row group of each table of a folder."""
    row_group, empty = item
    tables = dict(empty)
    for name, (path, start, rows) in row_group.items():
        part = pl.scan_parquet(path, glob=False).slice(start, rows).collect()
        zones = {column: kind for column, kind in empty[name].schema.items() if isinstance(kind, pl.Datetime)}
        tables[name] = part.with_columns(
            pl.col(column).dt.convert_time_zone(kind.time_zone) for column, kind in zones.items() if kind.time_zone
        )
    return tables
