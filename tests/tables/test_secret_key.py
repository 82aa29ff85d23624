"""Keys: 256 bits that are never shown."""

from __future__ import annotations

import traceback
from pathlib import Path

import numpy as np
import pytest

import voile as vl
from voile.errors import DataError


def test_fresh_keys_differ_and_stay_secret() -> None:
    one, two = vl.Key.fresh(), vl.Key.fresh()
    assert one != two
    assert one == vl.Key(one.secret)
    for shown in (repr(one), str(one), f"{one}"):
        assert shown == "Key(secret)"
        assert one.secret.hex() not in shown


@pytest.mark.parametrize("content", [b"00" * 32, b"  " + b"0a" * 32 + b"\n", bytes(range(200, 232)), b"AB" * 32])
def test_key_files(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "key"
    path.write_bytes(content)
    assert len(vl.Key.read(path).secret) == 32
    assert vl.Key.read(str(path)) == vl.Key.read(path)


@pytest.mark.parametrize("content", [b"", b"00" * 31, b"00" * 33, b"not a key", b"\xff\x01SECRET" * 2, b"zz" * 32])
def test_files_that_hold_no_key(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "key"
    path.write_bytes(content)
    with pytest.raises(DataError) as error:
        vl.Key.read(path)
    assert error.value.code == "data.key"
    assert "secrets.token_hex" in error.value.hint
    shown = "".join(traceback.format_exception(error.value))
    assert "SECRET" not in shown
    assert "0xff" not in shown, "the message of the decoder shows a byte of the key"


def test_there_is_no_key_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'none' cannot be read"):
        vl.Key.read(tmp_path / "none")


def test_streams_are_functions_of_key_and_purpose() -> None:
    key = vl.Key(bytes(range(32)))
    assert (key.stream("a", 10)[:4] == key.stream("a", 4)).all()
    assert not (key.stream("a", 10) == key.stream("b", 10)).any()
    assert not (key.stream("a", 10) == vl.Key(bytes(32)).stream("a", 10)).any()
    assert len(key.stream("a", 0)) == 0


def test_permutations() -> None:
    key = vl.Key(bytes(range(32)))
    order = key.shuffle("deal", 1000)
    assert sorted(order.tolist()) == list(range(1000))
    assert (order == key.shuffle("deal", 1000)).all()
    assert abs(float(np.corrcoef(order, np.arange(1000))[0, 1])) < 0.1
