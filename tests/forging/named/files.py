"""Forgeries of the folder: files that nobody reads, names that look alike, links, and CSV that reads in two ways."""

from __future__ import annotations

import polars as pl

from forging.forgery import DICTIONARY, Forgery
from forging.named.registry import BOX, BOX_CSV, BUCKET, BUCKET_CSV, LISTS, SAMPLE, changes_harmlessly, forges

SECRET = b"name\tdisease\nBob Smith\tHIV\n"


@forges(BOX, BUCKET, LISTS, SAMPLE)
def microdata_beside_the_tables(f: Forgery) -> None:
    """A listed file that verify digests and does not read."""
    f.add("microdata.tsv", SECRET)


@forges(BOX)
def a_listed_text(f: Forgery) -> None:
    f.add("README.txt", SECRET)


@forges(BOX)
def a_listed_report(f: Forgery) -> None:
    f.add("report.html", SECRET)


@forges(BOX, BUCKET, LISTS, SAMPLE)
def a_table_of_links(f: Forgery) -> None:
    """A table with columns that voile adds to others is described by nobody."""
    f.set_table("links", pl.DataFrame({"group": [1, 2], "count": [1, 1]}))


@forges(BOX)
def a_table_of_another_shape(f: Forgery) -> None:
    f.set_table("quasi", pl.DataFrame({"group": [1, 2]}))


@forges(BUCKET)
def counterfeits_in_a_shape_without_them(f: Forgery) -> None:
    f.set_table("counterfeits", pl.DataFrame({"group": [1], "count": [1]}))


@forges(BUCKET)
def a_joint_table_in_a_shape_without_one(f: Forgery) -> None:
    f.set_table("joint", f.table("sensitive").select("disease"))


@forges(BUCKET)
def a_second_table_of_sensitive_values(f: Forgery) -> None:
    f.set_table("sensitive_disease", f.table("sensitive"))


@forges(BUCKET)
def a_table_in_another_case(f: Forgery) -> None:
    f.set_table("Sensitive", f.table("sensitive"))


@forges(LISTS)
def a_list_of_a_column_that_does_not_exist(f: Forgery) -> None:
    f.set_table("sensitive_age", f.table("sensitive_disease"))


@forges(BOX)
def a_table_in_both_formats(f: Forgery) -> None:
    f.add("table.csv", b"age,city,disease\n30,Bern,flu\n")


@forges(BOX)
def a_table_with_a_capital_suffix(f: Forgery) -> None:
    f.add("table.PARQUET", f.files["table.parquet"])


@forges(BOX)
def a_hidden_table(f: Forgery) -> None:
    f.add(".parquet", f.files["table.parquet"])


@forges(BOX)
def a_table_with_a_long_number(f: Forgery) -> None:
    f.add("table.00000.parquet", f.files["table.parquet"])
    f.drop("table.parquet")
    f.add("table.000000.parquet", f.files["table.00000.parquet"])


@forges(BOX)
def a_table_with_and_without_a_number(f: Forgery) -> None:
    f.add("table.00001.parquet", f.files["table.parquet"])


@forges(BOX)
def a_number_in_other_digits(f: Forgery) -> None:
    """\\d matches Arabic digits too."""
    f.add("table.٠٠٠٠١.parquet", f.files["table.parquet"])


@forges(BOX)
def a_table_listed_by_a_path_from_here(f: Forgery) -> None:
    f.listed = {"./table.parquet": "table.parquet"}


@forges(BOX)
def a_table_listed_twice_by_path(f: Forgery) -> None:
    f.listed["./table.parquet"] = "table.parquet"


@forges(BOX)
def a_table_in_a_folder(f: Forgery) -> None:
    f.add("sub/table.parquet", f.files["table.parquet"])
    f.drop("table.parquet")


@forges(BOX)
def a_table_outside(f: Forgery) -> None:
    f.listed = {"../outside/table.parquet": "table.parquet"}


@forges(BOX)
def a_file_listed_by_an_absolute_path(f: Forgery) -> None:
    f.listed["/etc/hostname"] = "table.parquet"


@forges(BOX)
def a_table_that_is_a_link(f: Forgery) -> None:
    """Whoever receives the folder by link receives whatever it points to then."""
    f.add("elsewhere.bin", f.files["table.parquet"], listed=False)
    f.links["table.parquet"] = "elsewhere.bin"


@forges(BOX)
def a_file_with_an_empty_name(f: Forgery) -> None:
    f.relist = lambda files: {**files, "": "sha256:00"}


@forges(BOX)
def a_file_with_a_zero_byte_in_its_name(f: Forgery) -> None:
    f.relist = lambda files: {**files, "table\x00.parquet": "sha256:00"}


@forges(BOX)
def a_file_with_a_very_long_name(f: Forgery) -> None:
    f.relist = lambda files: {**files, "x" * 5000: "sha256:00"}


@forges(BOX)
def a_file_with_a_lone_surrogate_in_its_name(f: Forgery) -> None:
    f.relist = lambda files: {**files, "\ud800.parquet": "sha256:00"}


@forges(BOX)
def the_folder_listed_as_a_file(f: Forgery) -> None:
    f.relist = lambda files: {**files, ".": "sha256:00"}


@forges(BOX)
def a_digest_that_is_a_list(f: Forgery) -> None:
    f.relist = lambda files: {**files, "table.parquet": [files["table.parquet"]]}


@forges(BOX)
def a_digest_in_capitals(f: Forgery) -> None:
    f.relist = lambda files: {name: value.upper() for name, value in files.items()}


@forges(BOX)
def a_list_of_files(f: Forgery) -> None:
    f.relist = lambda files: list(files)


@forges(BOX)
def the_certificate_lists_itself(f: Forgery) -> None:
    f.relist = lambda files: {**files, "certificate.json": "sha256:00"}


@forges(BOX)
def a_dictionary_that_is_not_listed(f: Forgery) -> None:
    f.relist = lambda files: {name: value for name, value in files.items() if name != DICTIONARY}


@forges(BOX)
def a_table_that_is_not_listed(f: Forgery) -> None:
    f.listed.clear()


@forges(BUCKET)
def one_of_two_tables_that_is_not_listed(f: Forgery) -> None:
    f.listed.pop("sensitive.parquet")


@forges(BOX)
def a_table_that_is_text(f: Forgery) -> None:
    f.add("table.parquet", b"age,city,disease\n30,Bern,flu\n")


@forges(BOX)
def an_empty_table_file(f: Forgery) -> None:
    f.add("table.parquet", b"")


@forges(BOX)
def a_truncated_table(f: Forgery) -> None:
    f.add("table.parquet", f.files["table.parquet"][:-9])


@forges(BOX_CSV)
def a_csv_that_is_parquet(f: Forgery) -> None:
    f.add("table.csv", b"PAR1" + f.files["table.csv"])


# CSV -----------------------------------------------------------------------------------------------------------------
def _lines(f: Forgery, name: str = "table.csv") -> list[bytes]:
    return f.files[name].splitlines(keepends=True)


@forges(BOX_CSV)
def a_comment_line(f: Forgery) -> None:
    f.add("table.csv", b"# Bob Smith has HIV\n" + f.files["table.csv"])


@forges(BOX_CSV)
def a_line_with_more_cells(f: Forgery) -> None:
    """Readers that cut long lines do not see the last cell."""
    lines = _lines(f)
    lines[1] = lines[1].rstrip(b"\n") + b",Bob Smith\n"
    f.add("table.csv", b"".join(lines))


@forges(BOX_CSV)
def a_line_with_fewer_cells(f: Forgery) -> None:
    lines = _lines(f)
    lines[1] = lines[1].rpartition(b",")[0] + b"\n"
    f.add("table.csv", b"".join(lines))


@forges(BOX_CSV)
def an_unbalanced_quote(f: Forgery) -> None:
    lines = _lines(f)
    lines[1] = b'"' + lines[1]
    f.add("table.csv", b"".join(lines))


@forges(BOX_CSV)
def quotes_within_a_cell(f: Forgery) -> None:
    f.add("table.csv", f.files["table.csv"].replace(b",Bern,", b',Be"rn",', 1))


@changes_harmlessly(BOX_CSV)
def quoted_cells_that_are_the_same(f: Forgery) -> None:
    """Quotes around every other cell tell rows apart that are equal to a reader of CSV."""
    lines = _lines(f)
    lines[1::2] = [line.replace(b",Bern,", b',"Bern",').replace(b",Lyon,", b',"Lyon",') for line in lines[1::2]]
    f.add("table.csv", b"".join(lines))


@forges(BOX_CSV)
def spaces_around_cells(f: Forgery) -> None:
    f.add("table.csv", f.files["table.csv"].replace(b",Bern,", b", Bern,", 1))


@forges(BOX_CSV)
def bare_carriage_returns(f: Forgery) -> None:
    """Some readers end a line here, others do not."""
    f.add("table.csv", f.files["table.csv"].replace(b",flu\n", b",flu\rBob Smith\n", 1))


@changes_harmlessly(BOX_CSV)
def lines_with_two_endings(f: Forgery) -> None:
    lines = _lines(f)
    lines[1::2] = [line.replace(b"\n", b"\r\n") for line in lines[1::2]]
    f.add("table.csv", b"".join(lines))


@changes_harmlessly(BOX_CSV)
def a_byte_order_mark_in_csv(f: Forgery) -> None:
    f.add("table.csv", b"\xef\xbb\xbf" + f.files["table.csv"])


@forges(BOX_CSV)
def csv_that_is_not_utf8(f: Forgery) -> None:
    f.add("table.csv", f.files["table.csv"].replace(b"Bern", b"B\xe9rn"))


@forges(BOX_CSV)
def csv_in_another_encoding(f: Forgery) -> None:
    f.add("table.csv", f.files["table.csv"].decode().encode("utf-16"))


@forges(BOX_CSV)
def semicolons(f: Forgery) -> None:
    f.add("table.csv", f.files["table.csv"].replace(b",", b";"))


@forges(BOX_CSV)
def blank_lines(f: Forgery) -> None:
    """Where the blank lines lie can carry a message."""
    lines = _lines(f)
    f.add("table.csv", b"".join([*lines[:3], b"\n\n", *lines[3:]]))


@forges(BOX_CSV)
def a_zero_byte_in_csv(f: Forgery) -> None:
    f.add("table.csv", f.files["table.csv"].replace(b"Bern", b"Bern\x00", 1))


@forges(BOX_CSV)
def a_column_without_a_name(f: Forgery) -> None:
    lines = _lines(f)
    f.add("table.csv", b"".join([lines[0].rstrip() + b",\n", *(line.rstrip() + b",Bob\n" for line in lines[1:])]))


@forges(BOX_CSV)
def a_csv_column_twice(f: Forgery) -> None:
    lines = _lines(f)
    rows = [line.rstrip() + b"," + line.rstrip().rpartition(b",")[2] + b"\n" for line in lines]
    f.add("table.csv", b"".join(rows))


@forges(BOX_CSV)
def a_column_name_with_an_invisible_character(f: Forgery) -> None:
    f.add("table.csv", f.files["table.csv"].replace(b"city", "city\u200b".encode(), 1))


@forges(BUCKET_CSV)
def groups_with_leading_zeros(f: Forgery) -> None:
    """1 and 01 are one group to some readers and two to others."""
    f.edit(
        "quasi",
        lambda table: table.with_columns(
            group=pl.when(pl.int_range(pl.len()) % 2 == 0).then("0" + pl.col("group")).otherwise("group")
        ),
    )


@forges(BUCKET_CSV)
def counts_with_signs(f: Forgery) -> None:
    f.edit("sensitive", lambda table: table.with_columns(count="+" + pl.col("count")))


@forges(BUCKET_CSV)
def counts_with_decimals(f: Forgery) -> None:
    f.edit("sensitive", lambda table: table.with_columns(count=pl.col("count") + ".0"))


@forges(BUCKET_CSV)
def counts_with_spaces(f: Forgery) -> None:
    f.edit("sensitive", lambda table: table.with_columns(count=" " + pl.col("count")))


@forges(BUCKET_CSV)
def counts_beyond_all_integers(f: Forgery) -> None:
    f.edit("sensitive", lambda table: table.with_columns(count=pl.lit(str(2**64 + 1))))


@forges(BUCKET_CSV)
def exact_numbers_with_zeros(f: Forgery) -> None:
    """034 is written where 34 is meant: zeros can carry a message."""
    f.edit("quasi", lambda table: table.with_columns(age="0" + pl.col("age")))


@forges(BUCKET_CSV)
def exact_numbers_with_signs(f: Forgery) -> None:
    f.edit("quasi", lambda table: table.with_columns(age="+" + pl.col("age")))
