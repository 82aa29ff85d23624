"""Text files that are written whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from voile.errors import DataError
from voile.io.safe_writing.file_replacement import replace_files


def write_texts(texts: Mapping[Path, str], content: str = "report") -> None:
    """Write each file beside its place, then move all of them in. `content` says in an error what they hold."""
    try:
        replace_files({path: text.encode("utf-8", errors="replace") for path, text in texts.items()})
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DataError(
            f"The {content} cannot be written to {next(iter(texts)).name!r} ({reason}).",
            code="data.write",
            hint="Check the free space and the permissions there.",
        ) from None
