"""Read: a table at the border becomes integer codes with domains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from voile.core.domain import encode, kind_of
from voile.core.following import PERSON
from voile.core.hierarchy import Recipe, tree
from voile.core.microdata import Microdata
from voile.core.schema import Column, Columns, Schema
from voile.core.texts import MISSING
from voile.engines.local import local_rows
from voile.errors import DataError, SchemaError, SpecError, raise_together
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
    # identifiers and columns without a role end here
    frame = load_frame(source, schema, query, delimiter=delimiter, encoding=encoding, null_values=null_values)
    if frame.height == 0:
        raise DataError("The table has no rows.", code="data.no-rows", hint="Check the file or the query.")
    frame, dropped = _without_missing(frame, schema)
    columns, codes = [], []
    problems: list[SpecError] = []
    for name in schema.names():
        try:
            column, code = _encoded(name, frame[name], schema)
        except SpecError as error:
            problems.append(error)
            continue
        columns.append(column)
        codes.append(code)
    raise_together(problems)
    sizes = [column.size for column in columns]
    rows = local_rows(schema.names(), codes, sizes)
    by_role = {role: tuple(c for c in columns if c.role == role) for role in ("quasi", "sensitive", "other")}
    if schema.person is None:
        return Microdata(Columns(**by_role), rows, dropped)
    person, code = _persons(frame[schema.person])
    linked = local_rows([*schema.names(), PERSON], [*codes, code], [*sizes, person.size])
    return Microdata(Columns(**by_role), rows, dropped, linked, person)


def _persons(values: pl.Series) -> tuple[Column, np.ndarray]:
    """Who is who, as text: the column is compared from table to table, and never published."""
    unknown = values.null_count()
    texts = values.cast(pl.String)
    twice = len(texts) - texts.n_unique()
    if unknown or twice:
        raise DataError(
            f"The column of persons has {unknown} missing cells and {twice} repeated ones.",
            code="data.person",
            hint="Every row needs a person of its own: one row is one person.",
        )
    domain, codes = encode(PERSON, texts, "categorical", None)
    return Column(PERSON, "identifier", domain), codes


def load_frame(
    source: Any,
    schema: Schema | None,
    query: str | None = None,
    *,
    delimiter: str | None = None,
    encoding: str = "utf8",
    null_values: Sequence[str] = (),
) -> pl.DataFrame:
    """The columns of a schema from any source, or all columns. From a file nothing else is read."""
    wanted = None if schema is None else schema.read_names()
    is_text = isinstance(source, (str, Path))
    if query is not None:
        if not is_text:
            raise DataError(f"A query needs the URL of a database, not a {type(source).__name__}.", code="data.url")
        frame = tables.query(query, str(source))
    elif is_text and tables.scheme_of(str(source)):
        raise DataError(
            f"A table from {tables.scheme_of(str(source))}:// needs a query.",
            code="data.url",
            hint="Give query='select ...' (--query).",
        )
    elif is_text:
        path = Path(source)
        if schema is not None:
            schema.check(tables.names_of(path, delimiter, encoding))
        return tables.read_file(path, wanted, delimiter, encoding, null_values).select(wanted or pl.all())
    else:
        found = tables.from_object(source, None if schema is None else [*schema.identifier, *schema.read_names()])
        if found is None:
            raise DataError(
                f"A table of type {type(source).__name__} cannot be read.",
                code="data.source",
                hint="Give a path, a polars, pandas or Arrow table, or a database URL with a query.",
            )
        frame = found
    if schema is not None:
        schema.check(frame.columns)
    return frame.select(wanted or pl.all())


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


def _encoded(name: str, values: pl.Series, schema: Schema) -> tuple[Column, np.ndarray]:
    """A column with its domain and hierarchy, and its codes."""
    kind = schema.kinds.get(name) or kind_of(values)
    domain, codes = encode(name, values, kind, schema.domains.get(name))
    if domain.missing and MISSING in domain.texts[:-1]:
        raise DataError(
            f"Column {name!r} holds the text {MISSING!r}, which stands for missing values.",
            code="data.missing-text",
            hint="Write it otherwise.",
        )
    hierarchy = None
    if name in schema.hierarchies:
        recipe = recipe_of(schema.hierarchies[name], name)
        hierarchy = recipe.fit(name, domain, np.bincount(codes, minlength=domain.size))
    return Column(name, schema.role(name), domain, hierarchy), codes


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
