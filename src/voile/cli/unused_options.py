"""An option that cannot matter is an error that says so: a user who gives one expects it to do something."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voile.cli.flags import ReadOptions
from voile.errors import SpecError, option, raise_together

FLAGS = {"null_values": "null"}  # keywords of voile.read that have another name as a flag


def refuse_unused(why: str, options: Mapping[str, Any]) -> None:
    """Raise an error for every option that was given although it cannot matter, and say `why`."""
    raise_together(
        SpecError(
            f"{option(FLAGS.get(name, name))} has no effect here: {why}.",
            code="spec.unused-option",
            hint="Leave it out.",
        )
        for name, value in options.items()
        if value not in (None, [], ())
    )


def refuse_unused_reading(options: ReadOptions, data: str | None, *files: Path | None) -> None:
    """Refuse options about reading that no table needs: without any table all of them, without a CSV those of a CSV.
    A query belongs to `data`; if that is a file, reading it says so."""
    from voile.io.databases import parse_scheme
    from voile.io.table_files import FILE_KINDS

    tables = [str(source) for source in (data, *files) if source is not None]
    of_csv = {name: value for name, value in options.items() if name != "query"}
    if not tables:
        refuse_unused("no table is read", options)
    elif data is None:
        refuse_unused("there is no table to ask", {"query": options.get("query")})
    # a file with an unknown ending is refused where it is read
    if all(parse_scheme(table) or FILE_KINDS.get(Path(table).suffix.lower(), "csv") != "csv" for table in tables):
        refuse_unused("no table is a CSV file", of_csv)
