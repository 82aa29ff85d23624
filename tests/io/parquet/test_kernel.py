"""The compiled loops against a slow twin that decodes bit by bit."""

from __future__ import annotations

import numpy as np
import pytest

from voile.io.parquet.kernel import count_runs, measure_texts


def encode(codes: list[int], width: int, rng: np.random.Generator) -> bytes:
    """Write codes as runs and packed groups of eight, at random."""
    content, place = bytearray(), 0
    while place < len(codes):
        run = 1
        while place + run < len(codes) and codes[place + run] == codes[place]:
            run += 1
        if run >= 8 and rng.random() < 0.8:
            content += write_varint(run << 1) + codes[place].to_bytes((width + 7) // 8, "little")
            place += run
            continue
        groups = int(rng.integers(1, 4))
        piece = codes[place : place + 8 * groups]
        groups = -(-len(piece) // 8)
        bits = "".join(format(code, f"0{width}b")[::-1] if width else "" for code in piece)
        bits = bits.ljust(groups * 8 * width, "0")
        content += write_varint(groups << 1 | 1)
        content += bytes(int(bits[i : i + 8][::-1], 2) for i in range(0, len(bits), 8))
        place += len(piece)
    return bytes(content)


def write_varint(number: int) -> bytes:
    content = bytearray()
    while number >= 128:
        content.append(number & 127 | 128)
        number >>= 7
    return bytes([*content, number])


@pytest.mark.parametrize("width", [0, 1, 2, 5, 8, 11, 16])
def test_codes_are_counted(width: int) -> None:
    rng = np.random.default_rng(width)
    for _ in range(20):
        length = int(rng.integers(1, 90))
        codes = np.repeat(rng.integers(0, 1 << width, length), rng.integers(1, 20, length))[:length].tolist()
        content = np.frombuffer(encode(codes, width, rng), dtype=np.uint8)
        counts = np.zeros(1 << width, dtype=np.int64)
        assert count_runs(content, 0, len(content), width, length, counts) == 0
        assert counts.tolist() == np.bincount(codes, minlength=1 << width).tolist()
        for wrong in (length + 9, length - 9):
            if wrong > 0:
                assert count_runs(content, 0, len(content), width, wrong, counts.copy()) == 1
        assert count_runs(np.append(content, 0).astype(np.uint8), 0, len(content) + 1, width, length, counts) == 1


def test_a_code_that_is_not_stored_and_padding_that_says_something() -> None:
    packed = np.array([3, 0b11100100], dtype=np.uint8)  # one group of eight codes of one bit
    assert count_runs(packed, 0, 2, 1, 8, np.zeros(2, dtype=np.int64)) == 0
    assert count_runs(packed, 0, 2, 1, 8, np.zeros(1, dtype=np.int64)) == 1
    assert count_runs(packed, 0, 2, 1, 5, np.zeros(2, dtype=np.int64)) == 1


def test_texts_fill_their_page() -> None:
    content = np.frombuffer(b"\3\0\0\0abc\0\0\0\0\1\0\0\0x", dtype=np.uint8)
    lengths = np.zeros(3, dtype=np.int64)
    assert measure_texts(content, lengths) == 0
    assert lengths.tolist() == [3, 0, 1]
    assert measure_texts(content, np.zeros(2, dtype=np.int64)) == 1
    assert measure_texts(content[:-1], lengths) == 1
