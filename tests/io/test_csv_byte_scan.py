"""The first look at the bytes finds leading zeros wherever they are."""

from __future__ import annotations

from pathlib import Path

from voile.io.csv_byte_scan import scan_bytes


def test_a_leading_zero_at_every_place_of_a_block(tmp_path: Path) -> None:
    for shift in range(60, 72):
        content = b"a,b\n" + b"1,2\n" * ((1 << 14) - 17) + b"x" * (shift - 60) + b"1,02\n" + b"3,4\n" * 5
        assert scan_bytes(content, ",", 2).zero_columns == {1}, shift


def test_zeros_in_one_column_leave_the_others_alone(tmp_path: Path) -> None:
    seen = scan_bytes(b'a,"b,b",c\n1,"x, 05",2\n3,y,007\n', ",", 3)
    assert seen.zero_columns == {1, 2}
    assert not seen.is_faulty
