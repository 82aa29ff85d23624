"""How large a table may be before it is read: a file of a few bytes may claim billions of rows."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from voile.errors import DataError, EngineError, option

_ALWAYS = 1 << 27  # rows that any file may claim
_ROWS_PER_BYTE = 4_096  # run lengths and compression save that much only where all rows are alike
_ALWAYS_BYTES = 1 << 28  # bytes that the columns of any file may claim
_BYTES_PER_BYTE = 4_096
_LONGEST_TEXTS = 1 << 16  # bytes per row, on average; libraries take several times the memory of one huge text
_CELL = 12  # bytes of memory per cell, about
_USABLE = 0.8  # of the memory that is free
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


@dataclass(frozen=True)
class PieceSize:
    """What a batch or row group of a file claims: its rows, the bytes of its columns, and how many of these bytes are
    more than numbers take: texts, in effect."""

    rows: int
    column_bytes: int
    text_bytes: int


def find_size_fault(rows: int, file_bytes: int) -> str:
    """Say that a file claims more rows than its bytes can tell apart; return an empty text if it does not."""
    if rows <= max(_ALWAYS, _ROWS_PER_BYTE * file_bytes):
        return ""
    return f"it claims {rows:,} rows, and has {file_bytes:,} bytes"


def check_claims(name: str, pieces: Sequence[PieceSize], file_bytes: int) -> None:
    """Raise if the pieces of a file claim more rows, longer columns or longer texts than it can hold."""
    rows, column_bytes, text_bytes = add_sizes(pieces)
    fault = find_size_fault(rows, file_bytes)
    if not fault and column_bytes > max(_ALWAYS_BYTES, _BYTES_PER_BYTE * file_bytes):
        fault = f"its columns claim {column_bytes:,} bytes, and it has {file_bytes:,} bytes"
    if not fault and text_bytes > max(_ALWAYS_BYTES, _LONGEST_TEXTS * rows):
        fault = f"it claims {text_bytes:,} bytes of text in {rows:,} rows"
    if fault:
        raise DataError(f"{name!r} cannot be read: {fault}.", code="data.size", hint="Write or fetch it again.")


def add_sizes(pieces: Sequence[PieceSize]) -> tuple[int, int, int]:
    """Return the rows, the bytes of columns and the bytes of texts that pieces claim together."""
    return (
        sum(piece.rows for piece in pieces),
        sum(piece.column_bytes for piece in pieces),
        sum(piece.text_bytes for piece in pieces),
    )


def require_memory(name: str, rows: int, columns: int, text_bytes: int = 0) -> None:
    """Raise if a table of this size does not fit into the memory that is free."""
    needed, free = rows * columns * _CELL + text_bytes, find_free_memory()
    if needed > _USABLE * free:
        raise EngineError(
            f"{name!r} has {rows:,} rows, which take about {needed / 2**30:,.1f} GiB of memory; "
            f"{free / 2**30:,.1f} GiB are free.",
            code="engine.memory",
            hint=f"Let it stay on disk ({option('engine', 'disk')}).",
        )


def require_memory_for_file(path: Path) -> None:
    """Raise if the bytes of a file do not fit into the memory that is free."""
    size, free = path.stat().st_size, find_free_memory()
    if size > _USABLE * free:
        raise EngineError(
            f"{path.name!r} has {size / 2**30:,.1f} GiB; {free / 2**30:,.1f} GiB of memory are free.",
            code="engine.memory",
            hint=f"Parquet files can stay on disk ({option('engine', 'disk')}).",
        )


def find_free_memory() -> int:
    """Return how many bytes this process may still take."""
    limits = [1 << 62]
    with suppress(OSError, ValueError, LookupError):
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text(encoding="utf-8").splitlines())
        limits.append(int(lines["MemAvailable"].split()[0]) * 1024)
    for path in _LIMITS:
        with suppress(OSError, ValueError):
            limits.append(int(path.read_text(encoding="utf-8")))
    with suppress(ImportError, OSError, ValueError):
        import resource

        allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
        limits += [allowed] if allowed >= 0 else []
    return min(limits)
