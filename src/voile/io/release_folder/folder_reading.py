"""Read the tables of a release folder, taking nothing for granted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from voile.errors import DataError, VoileError
from voile.io.library_border import forget_words
from voile.io.parquet.footer import read_footer
from voile.io.parquet.reading import check_file, read_parquet
from voile.io.parquet.writing import with_text_labels
from voile.io.release_folder.csv_texts import read_csv_texts
from voile.io.release_folder.file_names import DICTIONARY, content_digest, file_digest
from voile.io.size_limits import require_memory, require_memory_for_file

_TABLE_SUFFIXES = (".parquet", ".csv")
_NUMBERED_FILE = re.compile(r"(.+)\.([0-9]{5,9})\.parquet")  # one of several files of a table

# Of each table: the file, the first row, and the number of rows
RowGroup = dict[str, tuple[str, int, int]]


def find_changed_files(folder: Path, files: Mapping[str, str], known: Mapping[str, str] | None = None) -> list[str]:
    """List the files of a certificate that are missing or differ from their digest.

    `known` are the digests of files that have been read already; they are not opened again.
    """
    return _compare_digests(folder, files, known or {}, file_digest)


def read_verified(
    folder: Path, files: Mapping[str, str], known: Mapping[str, str]
) -> tuple[dict[str, bytes], list[str]]:
    """Read each table file of a certificate once; return the contents, and the faults as `find_changed_files` does.

    If there are no faults, whoever parses the contents parses what was verified, even if the folder changes meanwhile.
    """
    contents: dict[str, bytes] = {}

    def read_and_digest(path: Path) -> str:
        if path.suffix not in _TABLE_SUFFIXES:
            return file_digest(path)
        require_memory_for_file(path)
        contents[path.name] = path.read_bytes()
        return content_digest(contents[path.name])

    faults = _compare_digests(folder, files, known, read_and_digest)
    return contents, faults


def _compare_digests(
    folder: Path, files: Mapping[str, str], known: Mapping[str, str], digest: Callable[[Path], str]
) -> list[str]:
    faults = []
    for name, expected in files.items():
        path = folder / name
        try:
            if Path(name).name != name or not path.is_file() or path.is_symlink():
                faults.append(f"{name} is missing, or not a file.")
                continue
            actual = known[name] if name in known else digest(path)
        except (OSError, ValueError):
            actual = None
        if actual != expected:
            faults.append(f"{name} was changed after publishing.")
    return faults


def read_tables(
    folder: Path, files: Iterable[str], contents: Mapping[str, bytes] | None = None
) -> dict[str, pl.DataFrame]:
    """Parse the tables of a folder, from the `contents` of `read_verified` if given, else from the files.

    A CSV holds texts: what they stand for is for the dictionary to say.
    """
    tables: dict[str, pl.DataFrame] = {}
    for table_name, names in _group_files(folder, files).items():
        with _refusing(folder, table_name):
            sources = [(folder / name).read_bytes() if contents is None else contents[name] for name in names]
            if names[0].endswith(".csv"):
                tables[table_name] = read_csv_texts(sources[0])
                continue
            footers = [read_footer(source) for source in sources]
            rows = sum(int(group["rows"]) for footer in footers for group in footer.row_groups)
            require_memory(table_name, rows, max(len(footer.columns) for footer in footers))
            pieces = [read_parquet(source) for source in sources]
            if any(_plain_types(piece.schema) != _plain_types(pieces[0].schema) for piece in pieces):
                raise ValueError("its files have different columns")
            tables[table_name] = pieces[0] if len(pieces) == 1 else pl.concat(map(with_text_labels, pieces))
    return tables


@contextmanager
def _refusing(folder: Path, table_name: str) -> Iterator[None]:
    """Turn every way in which reading a table can fail into a DataError that names the table and shows no cell."""
    try:
        yield
        return
    except VoileError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:  # a forged file may break a library anywhere
        reason = str(error) if type(error) is ValueError else "it is corrupt or truncated"
        forget_words(error)
    raise _corrupt_table(folder, table_name, reason) from None


def list_row_groups(folder: Path, files: Iterable[str]) -> tuple[dict[str, pl.DataFrame], list[RowGroup]]:
    """Return the tables of a folder of Parquet files without their rows, and where the rows are.

    The n-th entry says for each table where its n-th row group lies, as it was written.
    """
    empty_tables, row_groups = {}, list[RowGroup]()
    for table_name, names in _group_files(folder, files).items():
        position = 0
        with _refusing(folder, table_name):
            for name in names:
                first_row = 0
                for group in check_file(folder / name).row_groups:
                    rows = int(group["rows"])
                    require_memory(table_name, rows, len(group["columns"]))
                    if position == len(row_groups):
                        row_groups.append({})
                    row_groups[position][table_name] = (str(folder / name), first_row, rows)
                    first_row, position = first_row + rows, position + 1
            heads = [pl.scan_parquet(folder / name, glob=False).head(0).collect() for name in names]
            if any(_plain_types(head.schema) != _plain_types(heads[0].schema) for head in heads):
                raise ValueError("its files have different columns")
            empty_tables[table_name] = heads[0]
    return empty_tables, row_groups


def _plain_types(schema: pl.Schema) -> list[tuple[str, pl.DataType]]:
    """Return names and types; texts are texts, whether they are stored as categories or not."""
    texts = (pl.Enum, pl.Categorical)
    return [(name, pl.String() if isinstance(dtype, texts) else dtype) for name, dtype in schema.items()]


def find_file_faults(files: Iterable[str]) -> list[str]:
    """List the files of a certificate that no release has."""
    faults = []
    formats = set()
    for name in files:
        if name == DICTIONARY:
            continue
        path = Path(name)
        if path.name != name or "\\" in name or path.suffix not in _TABLE_SUFFIXES or not path.stem:
            faults.append(f"{name!r} is no file of a release")
        formats.add(path.suffix)
    return faults if faults or len(formats) <= 1 else ["its tables are in several formats"]


def _group_files(folder: Path, files: Iterable[str]) -> dict[str, list[str]]:
    """List the files of each table, in order."""
    groups: dict[str, list[str]] = {}
    for name in files:
        if name == DICTIONARY:
            continue
        numbered = _NUMBERED_FILE.fullmatch(name)
        groups.setdefault(numbered[1] if numbered else Path(name).stem, []).append(name)
    for table_name, names in groups.items():
        names.sort(key=lambda name: (len(name), name))
        expected = [f"{table_name}.{number:05d}.parquet" for number in range(len(names))]
        if names != expected and (len(names) > 1 or _NUMBERED_FILE.fullmatch(names[0])):
            raise _corrupt_table(folder, table_name, "its files are not numbered from 0 on")
    return groups


def _corrupt_table(folder: Path, name: str, reason: str) -> DataError:
    return DataError(
        f"The table {name!r} of {folder.name!r} cannot be read: {reason}.",
        code="data.corrupt",
        hint="Fetch the release again.",
    )
