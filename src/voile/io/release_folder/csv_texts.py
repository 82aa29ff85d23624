"""A published CSV as a table of texts: a file that is not written the one way in which voile writes it is refused, so
that quotes, blanks or line ends cannot carry what no cell shows."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import polars as pl

from voile.kernels import lazy_module

_KERNEL = lazy_module("voile.io.release_folder.kernel")
_BLOCK = 1 << 18  # bytes that are counted at once
_USUAL_HEADER, _LONGEST_HEADER = 1 << 16, 1 << 24
_SAMPLE = 2_000  # rows that tell whether rows repeat each other


def read_csv_texts(source: Path | bytes) -> pl.DataFrame:
    """Read every cell as text, and missing cells as null; ValueError if voile would write these cells differently.

    Columns that are the same in many rows that follow each other have categories instead of texts.
    """
    content = source.read_bytes() if isinstance(source, Path) else source
    names, start, has_returns = _read_header(content)
    split = _find_split(content, start, len(names), has_returns)
    if split:
        return _read_repeated(content, start, names, has_returns, split)
    table = pl.read_csv(content, infer_schema=False)
    if _column_names(table) != names or _count_records(content, start, len(names), has_returns) != table.height:
        raise _unlike_voile()
    table.columns = names
    return table


def _column_names(table: pl.DataFrame) -> list[str]:
    """Return the names of columns; polars leaves the quotes of a header doubled."""
    return [name.replace('""', '"') for name in table.columns]


def _find_split(content: bytes, start: int, width: int, has_returns: bool) -> int:
    """Return how many leading columns are read once per run of equal rows, judged by the first rows; 0 if that saves
    less than half of the cells."""
    counts = _KERNEL.count_equal_fields(*_view_words(content), start, width, has_returns, _SAMPLE)
    rows, heads = int(counts.sum()), np.cumsum(counts)[: width - 1]
    splits = np.arange(1, width)
    cells = heads * splits + rows * (width - splits)
    return int(splits[np.argmin(cells)]) if width > 1 and 2 * cells.min() < rows * width else 0


def _read_repeated(content: bytes, start: int, names: list[str], has_returns: bool, split: int) -> pl.DataFrame:
    """Read the first columns once per run of rows that agree in their bytes, and the others row by row."""
    width, room = len(names), len(content) - start
    heads, tails = np.empty(room, dtype=np.uint8), np.empty(room, dtype=np.uint8)
    runs = np.empty(room // width, dtype=np.uint32)
    where = (*_view_words(content), start, width, has_returns, split)
    rows, runs_in_all, head_bytes, tail_bytes = _KERNEL.split_records(*where, heads, tails, runs)
    if rows < 0:
        raise _unlike_voile()
    first = _read_fields(heads[:head_bytes], split + 1)[:-1]  # each line ends with a comma
    rest = _read_fields(tails[:tail_bytes], width - split + 1)[1:]  # each line begins with one
    if len(first[0]) != runs_in_all or len(rest[0]) != rows:
        raise _unlike_voile()
    places = pl.Series(runs[:rows])
    columns = [*(_number_texts(texts).gather(places) for texts in first), *rest]
    return pl.DataFrame(dict(zip(names, columns, strict=True)))


def _read_fields(content: np.ndarray, width: int) -> list[pl.Series]:
    """Read the columns of lines that have no header; they get one, so that nothing at their beginning is left out."""
    header = ",".join(map(str, range(width))).encode()
    return pl.read_csv(header + b"\n" + content.tobytes(), infer_schema=False).get_columns()


def _number_texts(texts: pl.Series) -> pl.Series:
    return texts if texts.null_count() else texts.cast(pl.Enum(texts.unique().sort()))


def _view_words(content: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return the bytes, and the eight bytes from each place on."""
    data = np.frombuffer(content, dtype=np.uint8)
    return data, np.ndarray(max(len(data) - 7, 0), dtype="<u8", buffer=content, strides=(1,))


def _read_header(content: bytes) -> tuple[list[str], int, bool]:
    """Return the names of the columns, where the first row begins, and whether lines end with carriage returns too."""
    for length in (_USUAL_HEADER, _LONGEST_HEADER):
        with contextlib.suppress(pl.exceptions.PolarsError):  # the beginning may end within a name
            names = _column_names(pl.read_csv(content[:length], infer_schema=False, n_rows=0))
            line = pl.DataFrame(schema=dict.fromkeys(names, pl.String)).write_csv().encode().removesuffix(b"\n")
            for end in (b"\n", b"\r\n"):
                if len(set(names)) == len(names) > 0 and content.startswith(line + end):
                    return names, len(line + end), len(end) > 1
    raise _unlike_voile()


def _count_records(content: bytes, start: int, width: int, has_returns: bool) -> int:
    """Count the records behind the header; -1 if one of them is not written in the only way."""
    data = np.frombuffer(content, dtype=np.uint8)
    if content.find(b'"', start) >= 0 or has_returns or content.find(b"\r", start) >= 0:
        return int(_KERNEL.count_records(*_view_words(content), start, width, has_returns))
    # Without quotes every comma and every line feed separates, and polars takes no line that has too many fields. So no
    # line has too few either, if there are enough commas in all of them.
    blocks = [data[place : place + _BLOCK] for place in range(start, len(data), _BLOCK)]
    lines = sum(int(np.count_nonzero(block == ord("\n"))) for block in blocks)
    commas = sum(int(np.count_nonzero(block == ord(","))) for block in blocks)
    return lines if commas == lines * (width - 1) and content.endswith(b"\n") else -1


def _unlike_voile() -> ValueError:
    return ValueError("its cells are not written as voile writes them")
