"""A published CSV as a table of texts: a file that is not written the one way in which voile writes it is refused, so
that quotes, blanks or line ends cannot carry what no cell shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from voile.kernels import lazy_kernel

_KERNEL = lazy_kernel("voile.io.release_folder.kernel")
_BLOCK = 1 << 18  # bytes that are counted at once
_LONGEST_HEADER = 1 << 24


def read_csv_texts(source: Path | bytes) -> pl.DataFrame:
    """Read every cell as text, and missing cells as null; ValueError if voile would write these cells differently."""
    content = source.read_bytes() if isinstance(source, Path) else source
    names, start, has_returns = _read_header(content)
    table = pl.read_csv(content, infer_schema=False)
    if table.columns != names or _count_records(content, start, len(names), has_returns) != table.height:
        raise _unlike_voile()
    return table


def _read_header(content: bytes) -> tuple[list[str], int, bool]:
    """Return the names of the columns, where the first row begins, and whether lines end with carriage returns too."""
    header = pl.read_csv(content[:_LONGEST_HEADER], infer_schema=False, n_rows=0)
    names = header.columns
    if not names or len(set(names)) < len(names):
        raise ValueError("its columns have no names, or the same name")
    line = header.write_csv().encode().removesuffix(b"\n")
    for end in (b"\n", b"\r\n"):
        if content.startswith(line + end):
            return names, len(line + end), len(end) > 1
    raise _unlike_voile()


def _count_records(content: bytes, start: int, width: int, has_returns: bool) -> int:
    """Count the records behind the header; -1 if one of them is not written in the only way."""
    data = np.frombuffer(content, dtype=np.uint8)
    if content.find(b'"', start) >= 0 or has_returns or content.find(b"\r", start) >= 0:
        words = np.ndarray(max(len(data) - 7, 0), dtype="<u8", buffer=content, strides=(1,))
        return int(_KERNEL.count_records(data, words, start, width, has_returns))
    # Without quotes every comma and every line feed separates, and polars takes no line that has too many fields. So no
    # line has too few either, if there are enough commas in all of them.
    blocks = [data[place : place + _BLOCK] for place in range(start, len(data), _BLOCK)]
    lines = sum(int(np.count_nonzero(block == ord("\n"))) for block in blocks)
    commas = sum(int(np.count_nonzero(block == ord(","))) for block in blocks)
    return lines if commas == lines * (width - 1) and content.endswith(b"\n") else -1


def _unlike_voile() -> ValueError:
    return ValueError("its cells are not written as voile writes them")
