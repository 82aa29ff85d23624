"""Forgeries of the folder itself: pipes, links to documents, long lists, numbers that take long to read."""

from __future__ import annotations

import polars as pl

from forging.forgery import Forgery
from forging.named.registry import BOX, BOX_CSV, BUCKET, BUCKET_CSV, forges


@forges(BOX)
def a_dictionary_that_is_a_pipe(f: Forgery) -> None:
    """Reading it would wait for ever."""
    f.pipes = ("dictionary.json",)


@forges(BOX)
def a_table_that_is_a_pipe(f: Forgery) -> None:
    f.pipes = ("table.parquet",)


@forges(BOX)
def a_certificate_that_is_a_pipe(f: Forgery) -> None:
    f.pipes = ("certificate.json",)


@forges(BOX)
def a_dictionary_that_is_a_link(f: Forgery) -> None:
    f.late_links = {"dictionary.json": "elsewhere.json"}


@forges(BOX)
def a_certificate_that_is_a_link(f: Forgery) -> None:
    f.late_links = {"certificate.json": "elsewhere.json"}


@forges(BOX)
def a_dictionary_without_an_end(f: Forgery) -> None:
    """The device has no size, and no end."""
    f.late_links = {"dictionary.json": "/dev/urandom"}


@forges(BOX)
def a_dictionary_of_many_columns(f: Forgery) -> None:
    entry = f.entry("city")
    f.dictionary["columns"] += [{**entry, "name": f"city {number}"} for number in range(20_000)]


@forges(BOX)
def a_column_described_many_times(f: Forgery) -> None:
    f.dictionary["columns"] += [dict(f.entry("city")) for _ in range(20_000)]


@forges(BOX)
def a_domain_of_many_values(f: Forgery) -> None:
    f.entry("city")["domain"]["values"] += [f"x{number}" for number in range(300_000)]


@forges(BOX)
def many_claims(f: Forgery) -> None:
    """Ten thousand claims, one of them false."""
    f.certificate["claims"] = [dict(f.claims[0]) for _ in range(3_000)]
    f.claims[-1]["bound"] = "1/4"


@forges(BOX_CSV, BOX)
def a_range_of_many_digits(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(age=pl.lit("[1, " + "9" * 5_000 + "]")))


@forges(BOX_CSV, BOX)
def a_range_with_an_exponent(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(age=pl.lit("[1, 1e99999999]")))


@forges(BUCKET_CSV, BUCKET)
def a_list_of_files_of_many_names(f: Forgery) -> None:
    f.relist = lambda files: {**files, **{f"sensitive_{n}.csv": files["dictionary.json"] for n in range(5_000)}}
