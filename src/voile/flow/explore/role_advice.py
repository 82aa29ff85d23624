"""What is unwise about the roles of a schema, with what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from voile.flow.explore.column_profiles import ColumnProfile, RepeatedValues
from voile.tables.schema import Schema


def give_advice(
    schema: Schema, columns: Sequence[ColumnProfile], repeats: Sequence[RepeatedValues], rows: int, noun: str
) -> Iterator[str]:
    """Say what is unwise about roles, one sentence after the other. `noun` says what the `rows` of the table are."""
    if schema.person is None and schema.rows_are is None:
        yield from (item.give_advice() for item in repeats)
    by_name = {column.name: column for column in columns}
    for name in (*schema.quasi, *schema.sensitive):
        column = by_name.get(name)
        if column is None or column.kind not in ("categorical", "ordered") or name in schema.hierarchies:
            continue
        if 2 * column.alone > rows and column.alone > 20:
            share = f"{column.alone:,} of {rows:,} {noun}"
            finding = f"{share} have a value of {name!r} that no other has."
            if name in schema.quasi:
                yield (
                    f"{finding} If others may know it, nearly every cell has to be shown as *, and every step becomes "
                    "slow. Mark it as an identifier or leave it out, or give it a hierarchy."
                )
            else:
                yield (
                    f"{finding} Recipients of the release cannot count with a secret that is different for "
                    "everybody. Mark it as an identifier, or leave it out."
                )
    if not schema.sensitive:
        yield (
            "No column is marked as secret: a promise can cover finding a person's row, but not learning something "
            "about the person. Mark the columns that nobody should learn."
        )
    if len(schema.quasi) > 12:
        yield (
            f"{len(schema.quasi)} columns are marked as known to others. The more there are, the more coarsely they "
            "must be shown. Leave out the columns that recipients do not need."
        )
