"""Text files that are there whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from voile.errors import DataError


def write(pages: Mapping[Path, str], what: str = "report") -> None:
    """Each file is written beside its place and moved in whole."""
    fresh = {place: place.with_name(f".{place.name}.{secrets.token_hex(4)}.partial") for place in pages}
    try:
        for place, text in pages.items():
            place.parent.mkdir(parents=True, exist_ok=True)
            with fresh[place].open("x", encoding="utf-8", errors="replace", newline="\n") as handle:
                handle.write(text)
                handle.flush()
                os.fsync(handle.fileno())
        for place, written in fresh.items():
            os.replace(written, place)
    except OSError as error:
        raise DataError(
            f"The {what} cannot be written to {next(iter(pages)).name!r} ({error.strerror or type(error).__name__}).",
            code="data.write",
            hint="Check the space and the rights there.",
        ) from None
    finally:
        for written in fresh.values():
            with suppress(OSError):  # the error above has said so
                written.unlink(missing_ok=True)
