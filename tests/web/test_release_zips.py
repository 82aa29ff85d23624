"""A zip may hold anything: it is unpacked into one folder, or refused with a reason and without a residue."""

from __future__ import annotations

import io
import random
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from voile.errors import DataError
from voile.web import release_zips
from voile.web.release_zips import unpack_release

METHODS = {"stored": zipfile.ZIP_STORED, "deflate": zipfile.ZIP_DEFLATED, "bzip2": zipfile.ZIP_BZIP2}
METHODS |= {"lzma": zipfile.ZIP_LZMA}


def pack(members: dict[str, bytes], links: dict[str, str] | None = None, method: int = zipfile.ZIP_STORED) -> bytes:
    """Return a zip."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
        for name, target in (links or {}).items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(entry, target)
    return content.getvalue()


def unpack(folder: Path, content: bytes, room: int = release_zips.BYTES) -> list[str]:
    """Unpack a zip, and return the names of the files that come out."""
    (folder / "a.zip").write_bytes(content)
    unpack_release(folder / "a.zip", folder / "out", room)
    return sorted(path.name for path in (folder / "out").iterdir())


def refuse(folder: Path, content: bytes, room: int = release_zips.BYTES) -> str:
    """Return the reason for which a zip is refused."""
    with pytest.raises(DataError) as caught:
        unpack(folder, content, room)
    assert caught.value.code == "data.zip"
    assert sorted(path.name for path in folder.iterdir()) in (["a.zip"], ["a.zip", "out"])
    return caught.value.message


def test_a_zip_cannot_write_elsewhere(tmp_path: Path) -> None:
    members = {"r/certificate.json": b"{}", "r/../../evil.txt": b"x", "/abs.txt": b"x", "r/sub/deep.txt": b"x"}
    assert unpack(tmp_path, pack(members, {"r/link": "/etc/passwd"})) == ["certificate.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zip", "out"]


def test_files_that_stay_packed_are_named(tmp_path: Path) -> None:
    members = {"r/certificate.json": b"{}", "microdata.csv": b"x", "r/sub/deep.txt": b"x"}
    (tmp_path / "a.zip").write_bytes(pack(members, {"r/link": "/etc/passwd"}))
    packed = unpack_release(tmp_path / "a.zip", tmp_path / "out")
    assert packed == ["microdata.csv", "r/sub/deep.txt", "r/link"]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_of_compression_is_read(tmp_path: Path, method: str) -> None:
    content = pack({"certificate.json": b"{}", "t.csv": b"a,b\n" * 1000}, method=METHODS[method])
    assert unpack(tmp_path, content) == ["certificate.json", "t.csv"]


@pytest.mark.parametrize("method", METHODS)
def test_damaged_data_is_a_message(tmp_path: Path, method: str) -> None:
    """Any byte of a zip may be wrong: the zip is unpacked, or refused, but nothing else happens."""
    chance = random.Random(15)
    sound = pack({"certificate.json": b"{}", "t.csv": chance.randbytes(400) * 3}, method=METHODS[method])
    refused = 0
    for number in range(150):
        damaged = bytearray(sound)
        for _ in range(1 + number % 3):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        place = tmp_path / str(number)
        place.mkdir()
        try:
            unpack(place, bytes(damaged[: chance.choice((len(damaged), chance.randrange(len(damaged))))]))
        except DataError as error:
            assert error.code == "data.zip"  # noqa: PT017 - either outcome is right
            refused += 1
    assert refused > 100


REFUSED = {
    "empty": ({}, "no certificate.json"),
    "without a release": ({"a.txt": b""}, "no certificate.json"),
    "two releases": ({"a/certificate.json": b"", "b/certificate.json": b""}, "2 certificate.json"),
    "a long name": ({"certificate.json": b"", "x" * 300: b""}, "too long"),
    "a folder as a file": ({"r/certificate.json": b"", "r/..": b""}, "cannot be used"),
    "a control character": ({"certificate.json": b"", "a\x07": b""}, "cannot be used"),
    "names that differ by case": ({"certificate.json": b"", "a.csv": b"", "A.csv": b""}, "the same name"),
    "many files": ({"certificate.json": b"", **{f"{n}": b"" for n in range(1000)}}, "more than 1,000 files"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_zip_that_is_no_release_is_refused(tmp_path: Path, case: str) -> None:
    members, reason = REFUSED[case]
    assert reason in refuse(tmp_path, pack(members))


def test_a_name_that_stands_twice_is_refused(tmp_path: Path) -> None:
    content = pack({"certificate.json": b"{}", "table.csv": b"1", "tablf.csv": b"2"})
    assert "the same name" in refuse(tmp_path, content.replace(b"tablf", b"table"))


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    content = bytearray(pack({"certificate.json": b"{}"}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + offset] |= 1
    assert "encrypted" in refuse(tmp_path, bytes(content))


def test_a_zip_bomb_is_refused(tmp_path: Path) -> None:
    bomb = pack({"certificate.json": b"{}", "table.csv": b"0" * 2_000_000}, method=zipfile.ZIP_DEFLATED)
    assert "too large" in refuse(tmp_path, bomb, room=1_000_000)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("size", [10, 0xFFFFFFFE])
def test_a_zip_that_lies_about_its_sizes_is_refused(tmp_path: Path, size: int) -> None:
    """The table of contents says that a file is smaller or larger than it is."""
    content = bytearray(pack({"certificate.json": b"{}", "table.csv": b"0" * 2_000_000}, method=zipfile.ZIP_DEFLATED))
    entry = content.rindex(b"PK\x01\x02")
    content[entry + 24 : entry + 28] = struct.pack("<I", size)
    assert refuse(tmp_path, bytes(content), room=10_000_000)
    assert sum(path.stat().st_size for path in tmp_path.rglob("*.csv")) <= 10_000_000


def test_a_long_table_of_contents_is_not_read(tmp_path: Path) -> None:
    """A million entries would be read into memory before they can be counted."""
    entry = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", *[20, 20, 0, 0, 0, 33], 0, 0, 0, *[1, 0, 0, 0, 0], 0, 0) + b"a"
    entries = entry * 100_000
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65535, 65535, len(entries), 0, 0)
    assert "more than 1,000 files" in refuse(tmp_path, entries + end)


def test_a_file_that_is_not_a_zip_is_refused(tmp_path: Path) -> None:
    assert "damaged" in refuse(tmp_path, b"PK\x03\x04 nothing")
