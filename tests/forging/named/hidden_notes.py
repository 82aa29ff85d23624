"""Forgeries that hide a message where a closed world may leave room: notes of writers, digests, versions, fillers."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from forging.forgery import Forgery
from forging.named.registry import AGAIN, BOX, BUCKET, LISTS, MASKED, NUMBERED, ROBUST, changes_harmlessly, forges
from forging.parquet_bytes import HONEST, from_bytes, to_bytes

SECRET = "Bob Smith has HIV"


def _table_of(f: Forgery) -> tuple[str, pa.Table]:
    name = sorted(f.files)[0].removesuffix(".parquet")
    table = from_bytes(f.files[name + ".parquet"])
    return name, table.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String)).to_arrow()


def _write(f: Forgery, name: str, table: pa.Table, **options: object) -> None:
    f.add(name + ".parquet", to_bytes(table, **options))


def _with_note(f: Forgery, key: str, note: str) -> None:
    name, table = _table_of(f)
    _write(f, name, table.replace_schema_metadata({key: note}), store_schema=True)


def _with_column_note(f: Forgery, key: str) -> None:
    name, table = _table_of(f)
    field = table.schema.field(0).with_metadata({key: SECRET})
    _write(f, name, table.cast(table.schema.set(0, field)), store_schema=True)


@forges(BOX, BUCKET, NUMBERED)
def a_message_as_the_version_of_spark(f: Forgery) -> None:
    _with_note(f, "org.apache.spark.version", SECRET)


@forges(BOX)
def a_message_as_the_schema_of_spark(f: Forgery) -> None:
    _with_note(f, "org.apache.spark.sql.parquet.row.metadata", SECRET)


@forges(BOX)
def a_message_as_the_categories_of_a_column_without_any(f: Forgery) -> None:
    _with_column_note(f, "_PL_ENUM_VALUES")


@forges(BOX)
def a_message_under_a_key_that_begins_like_categories(f: Forgery) -> None:
    _with_column_note(f, "_PL_ENUM_VALUES_OF_BOB")


@forges(BOX)
def a_message_under_a_key_that_begins_like_the_number_of_a_field(f: Forgery) -> None:
    _with_column_note(f, "PARQUET:field_id of Bob")


@forges(BOX)
def a_message_behind_the_arrow_schema(f: Forgery) -> None:
    """Readers of the schema stop at its end."""
    name, table = _table_of(f)
    note = pq.read_metadata(io.BytesIO(to_bytes(table, store_schema=True))).metadata[b"ARROW:schema"]
    longer = base64.b64encode(base64.b64decode(note) + SECRET.encode() * 20).decode()
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, table.schema, **HONEST) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"ARROW:schema": longer})
    f.add(name + ".parquet", sink.getvalue())


def _patch_footer(f: Forgery, name: str, change: Callable[[bytes], bytes]) -> None:
    content = f.files[name]
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    footer = change(content[start:-8])
    assert footer != content[start:-8]
    f.add(name, content[:start] + footer + len(footer).to_bytes(4, "little") + b"PAR1")


@forges(BOX, BUCKET)
def a_message_in_the_name_of_the_writer(f: Forgery) -> None:
    """The footer names the program that wrote the file."""
    name = sorted(f.files)[0]
    _patch_footer(f, name, lambda footer: footer.replace(b"parquet-cpp-arrow version", b"parquet: Bob Smith has HIV"))


@forges(BUCKET)
def page_statistics_that_lie(f: Forgery) -> None:
    """A reader who filters by the index of pages skips the rows of Bern."""
    name, table = _table_of(f)
    _write(f, name, table, write_page_index=True, write_statistics=True, use_dictionary=False)
    content = f.files[name + ".parquet"]
    metadata = pq.read_metadata(io.BytesIO(content))
    chunks = [metadata.row_group(0).column(place) for place in range(metadata.num_columns)]
    end = max(chunk.data_page_offset + chunk.total_compressed_size for chunk in chunks)
    start = len(content) - 8 - metadata.serialized_size
    assert b"Bern" in content[end:start]
    f.add(name + ".parquet", content[:end] + content[end:start].replace(b"Bern", b"Zzzz") + content[start:])


@forges(BOX)
def twenty_thousand_bytes_that_belong_to_no_column(f: Forgery) -> None:
    content = f.files["table.parquet"]
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    f.add("table.parquet", content[:start] + SECRET.encode() * 1200 + content[start:])


@forges(BOX)
def a_message_in_the_version_of_the_tool(f: Forgery) -> None:
    f.certificate["tool"] = "voile 0.1.0+bob.smith.has.hiv"


@forges(BOX)
def a_tool_in_other_digits(f: Forgery) -> None:
    f.certificate["tool"] = "voile ٠.١.٠"


@forges(ROBUST)
def a_message_as_a_prior(f: Forgery) -> None:
    f.claims[0]["parameters"]["prior"] = "sha256:" + SECRET


@forges("republish, later.parquet")
def a_message_as_an_earlier_release(f: Forgery) -> None:
    f.claims[0]["parameters"]["earlier"] = ["sha256:" + SECRET]


@forges(AGAIN)
def an_earlier_release_that_does_not_exist(f: Forgery) -> None:
    """Words and list agree, but the entry is no digest."""
    f.claims[0]["parameters"]["earlier"] = [SECRET]
    f.claims[0]["promise"] = f.claims[0]["promise"].replace("0 earlier", "1 earlier")


@forges(MASKED, ROBUST)
def a_message_as_a_protected_value(f: Forgery) -> None:
    f.claims[0]["parameters"]["protect"].append(SECRET)
    promise = f.claims[0]["promise"].replace("1 protected", "2 protected")
    f.claims[0]["promise"] = promise.replace("at most 1/2", "at most 1/3")  # the rate that two values may have


@forges(LISTS)
def a_message_as_the_primary_column_of_the_method(f: Forgery) -> None:
    f.certificate["method"]["primary"] = SECRET


@forges(LISTS)
def a_message_as_a_column_of_the_method(f: Forgery) -> None:
    f.certificate["method"]["l"][SECRET] = 3


@forges(LISTS)
def a_message_as_a_column_of_a_claim(f: Forgery) -> None:
    f.claims[0]["parameters"]["l"][SECRET] = 3


@changes_harmlessly(LISTS)
def a_lower_level_than_the_method_was_told(f: Forgery) -> None:
    """The claim says that 2 was asked for disease, and the method says 3: so writes a publisher whose knob says more
    than the policy. The claim is weaker, and true."""
    f.claims[0]["parameters"]["l"]["disease"] = 2


@forges(LISTS)
def a_higher_level_than_the_method_was_told(f: Forgery) -> None:
    f.certificate["method"]["l"]["disease"] = 2


@forges("full-domain.parquet")
def a_name_that_lists_an_end_twice(f: Forgery) -> None:
    names = f.entry("birth")["names"]
    label = sorted(names)[0]
    names[label] = [*names[label], names[label][0]]


@forges("full-domain.parquet")
def a_name_that_lists_a_number(f: Forgery) -> None:
    names = f.entry("birth")["names"]
    names[sorted(names)[0]] = [1990, 1999]


# characters that show nothing ----------------------------------------------------------------------------------------
def _vary_with(f: Forgery, sign: str) -> None:
    """Everybody has flu, written with as many signs as the number of the row says."""
    f.edit(
        "table",
        lambda table: table.with_columns(disease=pl.Series([f"flu{sign * (row % 7)}" for row in range(table.height)])),
    )
    f.entry("disease")["domain"]["values"] = f.table("table")["disease"].unique().sort().to_list()


@forges(BOX)
def values_with_supplementary_variation_selectors(f: Forgery) -> None:
    _vary_with(f, "\U000e0100")


@forges(BOX)
def values_with_mongolian_selectors(f: Forgery) -> None:
    _vary_with(f, "\u180b")


@forges(BOX)
def values_with_blank_braille(f: Forgery) -> None:
    _vary_with(f, "\u2800")


@forges(BOX)
def values_with_tags(f: Forgery) -> None:
    _vary_with(f, "\U000e0041")


@forges(BOX)
def values_with_hangul_fillers(f: Forgery) -> None:
    _vary_with(f, "\u3164")


@forges(BOX)
def values_with_unassigned_invisible_characters(f: Forgery) -> None:
    """Unicode reserves these for invisible characters."""
    _vary_with(f, "\u2065")
