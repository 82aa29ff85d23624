"""The first look at the bytes finds leading zeros and spaces around cells wherever they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from voile.io.csv_byte_scan import BLOCK, HEAD, has_exponent_codes, scan_bytes


def test_a_leading_zero_at_every_place_of_a_block(tmp_path: Path) -> None:
    for shift in range(60, 72):
        content = b"a,b\n" + b"1,2\n" * ((1 << 14) - 17) + b"x" * (shift - 60) + b"1,02\n" + b"3,4\n" * 5
        assert scan_bytes(content, ",", 2).code_columns == {1}, shift


def test_zeros_in_one_column_leave_the_others_alone(tmp_path: Path) -> None:
    seen = scan_bytes(b'a,"b,b",c\n1,"x, 05",2\n3,y,007\n', ",", 3)
    assert seen.code_columns == {2}
    assert not seen.is_faulty


@pytest.mark.parametrize("cell", [b"07", b" 07", b"\t 07", b'"07"', b'" +07"', b"-07", b"+00", b"  -07"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_a_number_with_a_leading_zero_however_it_is_written(cell: bytes, end: bytes) -> None:
    for before in (b"", b"\n", b'1,"a\n",2\n'):
        assert scan_bytes(b"a,b,c\n" + before + b"0,x 07," + cell + end, ",", 3).code_columns == {2}
    assert not scan_bytes(b"a,b,c\n0,-0," + cell.replace(b"0", b"7") + end, ",", 3).code_columns


@pytest.mark.parametrize("cell", [b" y", b"y ", b"\ty", b"y\t", b'" y"', b'"y "', b" "])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_a_padded_cell_at_every_place_of_a_block(cell: bytes, end: bytes) -> None:
    last = b"3,z w" + end if end else b""  # without, the padded cell is the last one of the file
    for shift in range(BLOCK - 16, BLOCK + 4):
        rows = b"a,b\n" + b"1,2\n" * (shift // 4 - 2) + b"x" * (shift % 4) + b","
        assert scan_bytes(rows + cell + end + last, ",", 2).has_padding, shift
        assert not scan_bytes(rows + b"y y\ty" + end + last, ",", 2).has_padding, shift


def test_the_head_ends_with_a_record() -> None:
    content = b"a,b\n" + b"1,x\n" * 5_000
    stop = scan_bytes(content, ",", 2).head_stop
    assert content[stop - 1 : stop] == b"\n"
    assert HEAD <= content[:stop].count(b"\n") <= 5_001
    assert scan_bytes(b"a,b\n1,2\n", ",", 2).head_stop == 0


@pytest.mark.parametrize("cell", [b"+4922112345", b' "+4922112345"'.strip(), b"  +4922112345", b"+49221123456789"])
def test_telephone_numbers_are_codes(cell: bytes) -> None:
    assert scan_bytes(b"a,b\n+1,+123456789\n2," + cell + b"\n", ",", 2).code_columns == {1}
    assert not scan_bytes(b"a,b\n+1,+123456789", ",", 2).code_columns


@pytest.mark.parametrize("cell", [b"4E3", b"10e0", b" 4E3", b'"4E3"', b"4E3\r"])
@pytest.mark.parametrize("shift", [0, BLOCK - 9, BLOCK - 2, BLOCK + 3])
def test_digits_with_an_e_between_them_are_found(cell: bytes, shift: int) -> None:
    rows = b"a,b\n" + b"x" * shift + b",1.5\n"
    assert has_exponent_codes(rows + b"1," + cell + b"\n", ",")
    assert has_exponent_codes(rows + b"1," + cell, ",")


@pytest.mark.parametrize("cell", [b"1.5E3", b"1e+05", b"a4e3", b"4e3f", b"-4E3", b"E3", b"4E", b"3e4e5"])
def test_other_cells_with_an_e_are_no_such_codes(cell: bytes) -> None:
    assert not has_exponent_codes(b"a,b\n1," + cell + b"\n", ",")
