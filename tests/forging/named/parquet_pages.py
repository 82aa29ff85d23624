"""Forgeries inside the pages of Parquet files, where no library shows what they hold."""

from __future__ import annotations

import io
from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet as pq

from forging.forgery import Forgery
from forging.named.registry import BOX, changes_harmlessly, forges
from forging.parquet_bytes import to_bytes
from forging.parquet_rebuilding import Column, rebuild, write_varint

NUMBERS, MOMENTS = "mondrian, numbers.parquet", "anatomy, dates.parquet"
SECRET = b"Bob Smith has HIV"


@changes_harmlessly(BOX)
def a_file_put_together_again(f: Forgery) -> None:
    f.add("table.parquet", rebuild(f.files["table.parquet"], lambda columns: None))


# stored values --------------------------------------------------------------------------------------------------------
def _number_rows(name: str, values: list[bytes]) -> Callable[[list[Column]], None]:
    """Store the value of every row of a column for itself: the codes are numbers of people, and may have any order."""

    def change(columns: list[Column]) -> None:
        first = 0
        for column in columns:
            if column.name == name:
                stored, data = column.pages
                many = data.header["data"]["values"]
                width, groups = many.bit_length(), (many + 7) // 8
                codes = sum(row << row * width for row in range(many)).to_bytes(groups * width, "little")
                levels = data.content[: 4 + int.from_bytes(data.content[:4], "little")]
                stored.content = b"".join(values[first : first + many])
                stored.header["dictionary"]["values"] = many
                data.content = levels + bytes([width]) + write_varint(groups << 1 | 1) + codes
                first += many

    return change


def _write_text(text: str) -> bytes:
    return len(text.encode()).to_bytes(4, "little") + text.encode()


@forges(BOX)
def a_text_that_is_stored_for_every_row(f: Forgery) -> None:
    values = [_write_text(city) for city in f.table("table")["city"].to_list()]
    f.add("table.parquet", rebuild(f.files["table.parquet"], _number_rows("city", values)))


@forges(BOX)
def a_text_that_is_stored_for_every_row_of_two_row_groups(f: Forgery) -> None:
    """Libraries merge what several row groups store."""
    table = pq.read_table(io.BytesIO(f.files["table.parquet"]))
    content = to_bytes(table, row_group_size=(table.num_rows + 1) // 2)
    values = [_write_text(city) for city in f.table("table")["city"].to_list()]
    f.add("table.parquet", rebuild(content, _number_rows("city", values)))


@forges(NUMBERS)
def a_number_that_is_stored_for_every_row(f: Forgery) -> None:
    values = [stay.to_bytes(8, "little") for stay in f.table("table")["stay"].to_list()]
    f.add("table.parquet", rebuild(f.files["table.parquet"], _number_rows("stay", values)))


# bits that are cut off ------------------------------------------------------------------------------------------------
@forges(NUMBERS)
def short_numbers_with_more_bits_than_they_have(f: Forgery) -> None:
    """Parquet stores 8 bits in 32; libraries cut off the others, here the number of the row."""
    table = pq.read_table(io.BytesIO(f.files["table.parquet"]))
    stays = [stay + 256 * row for row, stay in enumerate(table.column("stay").to_pylist(), 1)]
    table = table.set_column(table.column_names.index("stay"), "stay", pa.array(stays, pa.int32()))

    def shorten(elements: list[dict[str, object]]) -> None:
        element = next(element for element in elements if element["name"] == b"stay")
        element.update(converted=15, logical={"integer": {"bits": 8, "signed": True}})

    f.add("table.parquet", rebuild(to_bytes(table, use_dictionary=False), lambda columns: None, shorten))
    f.entry("stay")["type"] = "Int8"


@forges(MOMENTS)
def times_beyond_the_end_of_the_day(f: Forgery) -> None:
    """In nanoseconds, 2^61 microseconds are nothing: a multiplication loses them."""
    table = pq.read_table(io.BytesIO(f.files["sensitive.parquet"]))
    stays = table.column("stay").to_pylist()
    numbers = pa.array([stay * 10**6 + row % 4 * 2**61 for row, stay in enumerate(stays)], pa.int64())
    table = table.set_column(table.column_names.index("stay"), "stay", numbers.view(pa.time64("us")))
    f.add("sensitive.parquet", to_bytes(table))
    domain = {"values": [f"00:00:{stay:02}" for stay in sorted(set(stays))], "missing": False}
    f.entry("stay").update(type="Time", kind="categorical", domain=domain)


# compression ----------------------------------------------------------------------------------------------------------
@forges(BOX)
def compressed_blocks_that_hold_nothing(f: Forgery) -> None:
    """A block of Zstandard may repeat a byte zero times."""

    def compress(page: bytes) -> bytes:
        frame = b"\x28\xb5\x2f\xfd\xa0" + len(page).to_bytes(4, "little")
        notes = b"".join((3 << 3 | 2 << 1).to_bytes(3, "little") + bytes([1, sign, 0]) for sign in SECRET)
        return frame + notes + (len(page) << 3 | 1).to_bytes(3, "little") + page

    def change(columns: list[Column]) -> None:
        for column in columns:
            for page in column.pages:
                page.compress = compress

    f.add("table.parquet", rebuild(f.files["table.parquet"], change))


# the ends of dates ----------------------------------------------------------------------------------------------------
@forges(MOMENTS)
def ends_of_moments_that_no_cell_shows(f: Forgery) -> None:
    table = pq.read_table(io.BytesIO(f.files["quasi.parquet"]))
    births = table.column("birth").cast(pa.timestamp("us"))
    f.add("quasi.parquet", to_bytes(table.set_column(table.column_names.index("birth"), "birth", births)))
    ends = {"min": "1890-02-12 00:00:00", "max": "2090-12-20 00:00:00"}
    f.entry("birth").update(type="Datetime(time_unit='us', time_zone=None)", domain={**ends, "missing": False})


@forges(MOMENTS)
def an_end_of_dates_in_another_spelling(f: Forgery) -> None:
    domain = f.entry("birth")["domain"]
    assert domain["min"] == "1990-02-12"
    domain["min"] = "1990-2-12"
