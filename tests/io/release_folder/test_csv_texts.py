"""A published CSV is read as it is, or refused, exactly if writing its cells again gives another file."""

from __future__ import annotations

import random

import polars as pl
import pytest
from oracle.cells import read_and_write_again

from voile.io.release_folder.csv_texts import read_csv_texts

TEXTS = (None, "", "x", "a,b", 'q"', "l\nm", "r\rs", " y", "é", "a text of more than eight bytes", "so, one in quotes")
PIECES = (
    *(b"a", b"b", b",", b",", b"\n", b"\n", b'"', b'""', b"\r", b"\r\n", b" ", b"\xc3\xa9", b"\xff", b"\0", b"1"),
    *(b"\xef\xbb\xbf", b"#"),
)


def draw_content(rng: random.Random) -> bytes:
    """A small file: random pieces, or an honest table with a few changes."""
    if rng.random() < 0.5:
        return b"a,b\n" + b"".join(rng.choice(PIECES) for _ in range(rng.randrange(12)))
    rows = rng.randrange(4)
    table = pl.DataFrame(
        {
            rng.choice(["c", "d,", "e"]) + str(number): pl.Series(
                [rng.choice(TEXTS) for _ in range(rows)], dtype=pl.String
            )
            for number in range(rng.choice([1, 2, 3]))
        }
    )
    content = table.write_csv(line_terminator=rng.choice(["\n", "\r\n"])).encode()
    for _ in range(rng.choice([0, 1, 1, 2])):
        place = rng.randrange(len(content) + 1)
        content = content[:place] + rng.choice([b"", rng.choice(PIECES)]) + content[place + rng.choice([0, 1]) :]
    return content


def read_texts(content: bytes) -> pl.DataFrame:
    """Read a file, with texts where the reader has categories."""
    table = read_csv_texts(content)
    return table.with_columns(pl.col(name).cast(pl.String) for name, dtype in table.schema.items() if dtype == pl.Enum)


def read_or_none(content: bytes) -> pl.DataFrame | None:
    try:
        return read_texts(content)
    except (ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None


@pytest.mark.filterwarnings("default")
def test_files_are_accepted_exactly_if_they_are_written_again_alike() -> None:
    rng, accepted = random.Random(7), 0
    for number in range(4_000):
        content = draw_content(rng)
        table, expected = read_or_none(content), read_and_write_again(content)
        accepted += table is not None
        assert (table is None) == (expected is None), (number, content)
        assert table is None or expected is None or table.equals(expected), (number, content)
    assert 500 < accepted < 3_500


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_long_texts_are_passed_over_in_words(end: str) -> None:
    rng = random.Random(3)
    letters = 'ab, "\n\réü|'
    cells = ["".join(rng.choice(letters) for _ in range(rng.randrange(40))) for _ in range(900)]
    table = pl.DataFrame({"one": cells[:300], "two": cells[300:600], "three": cells[600:]})
    content = table.write_csv(line_terminator=end).encode()
    assert read_texts(content).equals(table)
    for place in range(16, len(content), 97):
        changed = content[:place] + b'"' + content[place + 1 :]
        assert (read_or_none(changed) is None) == (read_and_write_again(changed) is None), place


def draw_repeated_content(rng: random.Random) -> bytes:
    """A table in which rows of one group stand together, with at most two changes behind the header."""
    texts = [*TEXTS, "\ufeffz", "#", "\\"]
    groups = [[rng.choice(texts) for _ in range(rng.choice([1, 2, 3]))] for _ in range(3)]
    rows = [[*groups[number], rng.choice(texts)] for number in range(3) for _ in range(rng.randrange(1, 9))]
    width = min(map(len, rows))
    columns = zip(*(row[:width] for row in rows), strict=True)
    table = pl.DataFrame({f"c{number}": pl.Series(cells, dtype=pl.String) for number, cells in enumerate(columns)})
    content = table.write_csv(line_terminator=rng.choice(["\n", "\r\n"])).encode()
    for _ in range(rng.choice([0, 0, 1, 2])):
        place = rng.randrange(content.index(b"\n") + 1, len(content) + 1)
        content = content[:place] + rng.choice([b"", rng.choice(PIECES)]) + content[place + rng.choice([0, 1]) :]
    return content


@pytest.mark.filterwarnings("default")
def test_rows_that_repeat_each_other_are_read_like_others() -> None:
    rng, accepted, repeated = random.Random(11), 0, 0
    for number in range(2_000):
        content = draw_repeated_content(rng)
        table, expected = read_or_none(content), read_and_write_again(content)
        assert (table is None) == (expected is None), (number, content)
        assert table is None or expected is None or table.equals(expected), (number, content)
        accepted += table is not None
        repeated += table is not None and pl.Enum in read_csv_texts(content).dtypes
    assert accepted > 800
    assert repeated > 200


def test_a_mark_at_the_beginning_of_a_cell_is_kept() -> None:
    content = "a,b\n" + "\ufeffx,1\n" * 50
    assert read_texts(content.encode())["a"].unique().to_list() == ["\ufeffx"]


def test_lines_with_too_few_fields_are_refused() -> None:
    for content in (b"a,b\n1\n2,3\n", b"a,b\n1,2\n3", b"a,b\n1,2\n\n", b"a,b\n1\n2,3,4\n", b"a\n1\n\n2"):
        assert read_or_none(content) is None, content
    assert read_csv_texts(b"a\n\n1\n").rows() == [(None,), ("1",)]
