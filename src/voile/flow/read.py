"""Read: a table at the border becomes integer codes with domains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from voile.core.domain import MISSING, Domain, encode, kind_of
from voile.core.hierarchy import Hierarchy, Recipe, tree
from voile.core.microdata import Microdata
from voile.core.schema import Column, Columns, Schema
from voile.engines.local import local_rows
from voile.errors import DataError, SchemaError
from voile.io import hierarchies, tables


def read(
    source: Any,
    schema: Schema,
    *,
    query: str | None = None,
    delimiter: str | None = None,
    encoding: str = "utf8",
    null_values: Sequence[str] = (),
) -> Microdata:
    """Read a table of people: a path, a polars, pandas or Arrow table, or a database URL with a `query`.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [31, 34, 31], "disease": ["flu", "HIV", "flu"]})
    >>> read(frame, Schema(quasi=["age"], sensitive=["disease"]))
    Microdata(3 rows; 1 quasi, 1 sensitive, 0 other)
    """
    frame = load_frame(
        source,
        [*schema.identifier, *schema.names()],
        query,
        delimiter=delimiter,
        encoding=encoding,
        null_values=null_values,
    )
    schema.check(frame.columns)
    frame = frame.select(schema.names())  # identifiers and columns without a role end here
    if frame.height == 0:
        raise DataError("The table has no rows.", code="data.no-rows", hint="Check the file or the query.")
    frame, dropped = _without_missing(frame, schema)
    columns, codes = [], []
    for name in schema.names():
        kind = schema.kinds.get(name) or kind_of(frame[name])
        domain, code = encode(name, frame[name], kind, schema.domains.get(name))
        if domain.missing and MISSING in domain.texts[:-1]:
            raise DataError(
                f"Column {name!r} holds the text {MISSING!r}, which stands for missing values.",
                code="data.missing-text",
                hint="Write it otherwise.",
            )
        columns.append(Column(name, schema.role(name), domain, _hierarchy(name, schema, domain, code)))
        codes.append(code)
    rows = local_rows(schema.names(), codes, [column.size for column in columns])
    by_role = {role: tuple(c for c in columns if c.role == role) for role in ("quasi", "sensitive", "other")}
    return Microdata(Columns(**by_role), rows, dropped)


def load_frame(
    source: Any,
    wanted: Sequence[str] | None,
    query: str | None = None,
    *,
    delimiter: str | None = None,
    encoding: str = "utf8",
    null_values: Sequence[str] = (),
) -> pl.DataFrame:
    """The source as a polars frame, only the wanted columns where the format allows it."""
    if query is not None:
        return tables.query(query, str(source))
    frame = tables.from_object(source)
    if frame is not None:
        return frame
    if isinstance(source, (str, Path)):
        path = Path(source)
        known = (
            tables.names_of(path, delimiter, encoding)
            if path.suffix.lower() in tables.FILE_KINDS and path.is_file()
            else []
        )
        if known and wanted is not None and path.stat().st_size:
            lost = [name for name in wanted if name not in known]
            if lost:
                _check_names(wanted, known)
        return tables.read_file(path, wanted, delimiter, encoding, null_values)
    raise DataError(
        f"A table of type {type(source).__name__} cannot be read.",
        code="data.source",
        hint="Give a path, a polars, pandas or Arrow table, or a database URL with a query.",
    )


def _check_names(wanted: Sequence[str], known: Sequence[str]) -> None:
    from voile.core.schema import nearest
    from voile.errors import raise_together

    raise_together(
        SchemaError(f"The table has no column {name!r}.", code="schema.unknown-column", hint=nearest(name, known))
        for name in wanted
        if name not in known
    )


def _without_missing(frame: pl.DataFrame, schema: Schema) -> tuple[pl.DataFrame, int]:
    """What to do about missing cells is the user's choice; a clear error is the default."""
    floats = [name for name in frame.columns if frame[name].dtype.is_float()]
    frame = frame.with_columns(pl.col(floats).fill_nan(None)) if floats else frame
    counts = {name: frame[name].null_count() for name in (*schema.quasi, *schema.sensitive)}
    lost = {name: count for name, count in counts.items() if count}
    if not lost or schema.missing == "value":
        return frame, 0
    if schema.missing == "error":
        listed = ", ".join(f"{count} in {name!r}" for name, count in lost.items())
        raise DataError(
            f"The table has missing cells: {listed}.",
            code="data.missing",
            hint="Set missing='drop' to leave those rows out, or missing='value' to treat missing as a value.",
        )
    kept = frame.drop_nulls(subset=[*schema.quasi, *schema.sensitive])
    if kept.height == 0:
        raise DataError(
            "Every row has a missing cell.", code="data.no-rows", hint="Use missing='value', or fewer columns."
        )
    return kept, frame.height - kept.height


def _hierarchy(name: str, schema: Schema, domain: Domain, codes: np.ndarray) -> Hierarchy | None:
    if name not in schema.hierarchies:
        return None
    recipe = recipe_of(schema.hierarchies[name], name)
    return recipe.fit(name, domain, np.bincount(codes, minlength=domain.size))


def recipe_of(wanted: Any, column: str) -> Recipe:
    """What a user may write for a hierarchy: a recipe, a nested dict, `prefixes:5,3,1`, `auto`, or a file."""
    if isinstance(wanted, Recipe):
        return wanted
    if isinstance(wanted, Mapping):
        return tree(wanted)
    if isinstance(wanted, (str, Path)):
        text = str(wanted)
        name, _, arguments = text.partition(":")
        if name in ("prefixes", "intervals", "dates", "frequency", "auto"):
            try:
                numbers = tuple(float(part) for part in arguments.split(",") if part.strip())
            except ValueError:
                raise SchemaError(
                    f"The hierarchy {text!r} of {column!r} has an argument that is no number.",
                    code="schema.hierarchy",
                    hint="E.g. prefixes:5,3,1.",
                ) from None
            return Recipe(name, numbers)
        return Recipe("rows", content=hierarchies.read(Path(wanted)), source=text)
    raise SchemaError(
        f"The hierarchy of {column!r} is of type {type(wanted).__name__}.",
        code="schema.hierarchy",
        hint="Give a recipe such as prefixes(5, 3, 1), a nested dict, or the path of a CSV.",
    )
