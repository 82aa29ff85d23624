"""How large a table may be before it is read: a file of a few bytes may claim billions of rows."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from voile.errors import DataError, EngineError, option

_ALWAYS = 1 << 27  # rows that any file may claim
_ROWS_PER_BYTE = 4_096  # run lengths and compression save that much only where all rows are alike
_CELL = 12  # bytes of memory per cell, about
_USABLE = 0.8  # of the memory that is free
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def find_size_fault(rows: int, file_bytes: int) -> str:
    """Say that a file claims more rows than its bytes can tell apart; return an empty text if it does not."""
    if rows <= max(_ALWAYS, _ROWS_PER_BYTE * file_bytes):
        return ""
    return f"it claims {rows:,} rows, and has {file_bytes:,} bytes"


def check_size(name: str, rows: int, columns: int, file_bytes: int) -> None:
    """Raise if a file claims rows that it cannot hold, or more than this machine can."""
    fault = find_size_fault(rows, file_bytes)
    if fault:
        raise DataError(f"{name!r} cannot be read: {fault}.", code="data.size", hint="Write or fetch it again.")
    require_memory(name, rows, columns)


def require_memory(name: str, rows: int, columns: int) -> None:
    """Raise if a table of this size does not fit into the memory that is free."""
    needed, free = rows * columns * _CELL, find_free_memory()
    if needed > _USABLE * free:
        raise EngineError(
            f"{name!r} has {rows:,} rows, which take about {needed / 2**30:,.1f} GiB of memory; "
            f"{free / 2**30:,.1f} GiB are free.",
            code="engine.memory",
            hint=f"Let it stay on disk ({option('engine', 'disk')}).",
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
