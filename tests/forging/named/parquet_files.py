"""Forgeries of Parquet files beyond their rows: metadata, stray bytes, unused categories, numbered files."""

from __future__ import annotations

import io
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from forging.forgery import Forgery
from forging.named.registry import BOX, BUCKET, DATES, NUMBERED, TREE, changes_harmlessly, forges
from forging.parquet_bytes import HONEST, from_bytes, to_bytes

CODES = pl.int_range(pl.len()) + 1  # a number per row


def _write_arrow(f: Forgery, name: str, table: pa.Table, **options: Any) -> None:
    f.add(name + ".parquet", to_bytes(table, **options))


# Parquet beyond the rows ----------------------------------------------------------------------------------------------
@forges(BOX, BUCKET)
def a_message_in_the_metadata_of_parquet(f: Forgery) -> None:
    """Key-value metadata travels with the file, and verify does not read it."""
    name = "table" if "table.parquet" in f.files else "quasi"
    table = pq.read_table(io.BytesIO(f.files[name + ".parquet"]))
    _write_arrow(f, name, table.replace_schema_metadata({"comment": "Bob Smith has HIV"}), store_schema=True)


@forges(BOX)
def a_message_in_the_metadata_of_a_column(f: Forgery) -> None:
    table = pq.read_table(io.BytesIO(f.files["table.parquet"]))
    field = table.schema.field(0).with_metadata({"comment": "Bob Smith has HIV"})
    _write_arrow(f, "table", table.cast(table.schema.set(0, field)), store_schema=True)


@forges(BOX)
def pandas_metadata_with_an_index(f: Forgery) -> None:
    frame = f.table("table").with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String)).to_pandas()
    frame.index = [f"Bob {number}" for number in range(len(frame))]
    _write_arrow(f, "table", pa.Table.from_pandas(frame))


@forges(BOX, BUCKET)
def bytes_between_the_rows_and_the_footer(f: Forgery) -> None:
    """A Parquet file is read from its footer: bytes after the first four that no column points to are not seen."""
    name = "table.parquet" if "table.parquet" in f.files else "quasi.parquet"
    content = f.files[name]
    f.add(
        name,
        content[: -8 - int.from_bytes(content[-8:-4], "little")]
        + b"Bob Smith has HIV"
        + content[-8 - int.from_bytes(content[-8:-4], "little") :],
    )


@changes_harmlessly(BOX)
def a_row_group_of_no_rows(f: Forgery) -> None:
    table = pq.read_table(io.BytesIO(f.files["table.parquet"]))
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, table.schema, **HONEST) as writer:
        writer.write_table(table)
        writer.write_table(table.slice(0, 0))
    f.add("table.parquet", sink.getvalue())


@forges(NUMBERED, BUCKET)
def statistics_that_lie(f: Forgery) -> None:
    """A reader who asks for Bern skips the rows of a group whose statistics say that Bern does not occur."""
    name = sorted(f.files)[0]
    content = to_bytes(from_bytes(f.files[name]), write_statistics=True)
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    assert b"Bern" in content[start:], "the footer has no statistics"
    f.add(name, content[:start] + content[start:].replace(b"Bern", b"Zzzz"))


@forges(BOX)
def values_in_the_dictionary_of_a_column_that_no_row_has(f: Forgery) -> None:
    """Categories that no row has, e.g. the names of the people, travel in the file."""
    table = f.table("table")
    old = table["city"].cast(pl.String).to_list()
    kinds = [*sorted(set(old)), "Bob Smith", "Eve Miller"]
    column = pa.DictionaryArray.from_arrays(pa.array([kinds.index(city) for city in old], pa.int32()), pa.array(kinds))
    arrow = table.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String)).to_arrow()
    _write_arrow(f, "table", arrow.set_column(arrow.column_names.index("city"), "city", column))


@forges(BOX)
def categories_of_an_enum_that_no_row_has(f: Forgery) -> None:
    kinds = [*sorted(f.table("table")["city"].cast(pl.String).unique()), "Bob Smith", "Eve Miller"]
    sink = io.BytesIO()
    f.table("table").with_columns(pl.col("city").cast(pl.String).cast(pl.Enum(kinds))).write_parquet(
        sink, compression="zstd", statistics=False
    )
    f.add("table.parquet", sink.getvalue())


@forges(BOX)
def an_extension_type(f: Forgery) -> None:
    table = pq.read_table(io.BytesIO(f.files["table.parquet"]))
    field = pa.field(
        "disease",
        pa.string(),
        metadata={"ARROW:extension:name": "arrow.json", "ARROW:extension:metadata": "Bob has HIV"},
    )
    place = table.column_names.index("disease")
    changed = table.set_column(place, field, table.column("disease").cast(pa.string()))
    _write_arrow(f, "table", changed, store_schema=True)


@forges(BOX)
def two_columns_of_one_name(f: Forgery) -> None:
    table = pq.read_table(io.BytesIO(f.files["table.parquet"]))
    _write_arrow(f, "table", table.append_column("disease", table.column("disease")))


@forges(NUMBERED)
def an_extra_column_in_the_second_of_several_files(f: Forgery) -> None:
    names = sorted(f.files)
    table = from_bytes(f.files[names[1]]).with_columns(count=CODES)
    f.add(names[1], to_bytes(table))


@forges(NUMBERED)
def one_of_several_files_lost(f: Forgery) -> None:
    """The rows of a file are gone; the claims may still hold, but the numbering has a gap."""
    f.drop(sorted(f.files)[1])


@forges(NUMBERED)
def a_file_with_another_number(f: Forgery) -> None:
    names = sorted(f.files)
    f.add("table.99999.parquet", f.files[names[-1]])
    f.drop(names[-1])


@forges(NUMBERED)
def a_numbered_file_in_another_spelling(f: Forgery) -> None:
    names = sorted(f.files)
    f.add("table.000001.parquet", f.files[names[1]])
    f.drop(names[1])


@forges(TREE, DATES)
def a_hidden_row(f: Forgery) -> None:
    """One person more, in a group of their own."""
    f.edit(
        "table",
        lambda table: pl.concat(
            [
                table.with_columns(pl.all().cast(pl.String)),
                table.head(1)
                .with_columns(pl.all().cast(pl.String))
                .with_columns(disease=pl.lit("flu"), **{table.columns[0]: pl.lit("*"), table.columns[1]: pl.lit("*")}),
            ]
        ),
    )
