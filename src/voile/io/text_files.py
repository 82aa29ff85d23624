"""Text files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from voile.errors import DataError


def write_texts(texts: Mapping[Path, str], content: str = "report") -> None:
    """Write each file under a temporary name, then move all into place. `content` says in an error what they hold."""
    temporary = {path: path.with_name(f".{secrets.token_hex(8)}.partial") for path in texts}
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with temporary[path].open("x", encoding="utf-8", errors="replace", newline="\n") as handle:
                handle.write(text)
                handle.flush()
                os.fsync(handle.fileno())
        for path, written in temporary.items():
            os.replace(written, path)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DataError(
            f"The {content} cannot be written to {next(iter(texts)).name!r} ({reason}).",
            code="data.write",
            hint="Check the free space and the permissions there.",
        ) from None
    finally:
        for written in temporary.values():
            with suppress(OSError):  # the error above has already been raised
                written.unlink(missing_ok=True)
