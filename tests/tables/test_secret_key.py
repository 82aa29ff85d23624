"""Keys: 256 bits that are never shown."""

from __future__ import annotations

import traceback
from pathlib import Path

import numpy as np
import pytest

import voile as vl
from voile.errors import DataError


def test_fresh_keys_differ_and_stay_secret() -> None:
    key, other = vl.Key.fresh(), vl.Key.fresh()
    assert key != other
    assert key == vl.Key(key.secret)
    for text in (repr(key), str(key), f"{key}"):
        assert text == "Key(secret)"
        assert key.secret.hex() not in text


@pytest.mark.parametrize("content", [b"00" * 32, b"  " + b"0a" * 32 + b"\n", bytes(range(200, 232)), b"AB" * 32])
def test_a_key_file_holds_hexadecimal_digits_or_raw_bytes(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "key"
    path.write_bytes(content)
    assert len(vl.Key.read(path).secret) == 32
    assert vl.Key.read(str(path)) == vl.Key.read(path)


@pytest.mark.parametrize("content", [b"", b"00" * 31, b"00" * 33, b"not a key", b"\xff\x01SECRET" * 2, b"zz" * 32])
def test_a_file_that_holds_no_key_is_refused_without_showing_it(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "key"
    path.write_bytes(content)
    with pytest.raises(DataError) as error:
        vl.Key.read(path)
    assert error.value.code == "data.key"
    assert "secrets.token_hex" in error.value.hint
    text = "".join(traceback.format_exception(error.value))
    assert "SECRET" not in text
    assert "0xff" not in text, "the message of the decoder shows a byte of the key"


def test_a_missing_key_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'none' cannot be read"):
        vl.Key.read(tmp_path / "none")


def test_streams_are_functions_of_key_and_purpose() -> None:
    key = vl.Key(bytes(range(32)))
    assert (key.stream("a", 10)[:4] == key.stream("a", 4)).all()
    assert not (key.stream("a", 10) == key.stream("b", 10)).any()
    assert not (key.stream("a", 10) == vl.Key(bytes(32)).stream("a", 10)).any()
    assert len(key.stream("a", 0)) == 0


def test_shuffle_is_a_repeatable_permutation() -> None:
    key = vl.Key(bytes(range(32)))
    order = key.shuffle("deal", 1000)
    assert sorted(order.tolist()) == list(range(1000))
    assert (order == key.shuffle("deal", 1000)).all()
    assert abs(float(np.corrcoef(order, np.arange(1000))[0, 1])) < 0.1
