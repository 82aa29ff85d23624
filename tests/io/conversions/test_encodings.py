"""Encodings that are found: a guess is made only where the text then makes sense."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_files import read_text, write_file

from voile.errors import DataError
from voile.io.conversions.column_readings import ReadingRecord
from voile.io.conversions.encodings import detect_encoding

GERMAN = "Name;Größe\nMüller;1,80\nWeiß;1,75\n"


@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("cp1252", "cp1252"),
        ("latin-1", "cp1252"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
    ],
)
def test_encodings_are_found(tmp_path: Path, encoding: str, found: str) -> None:
    record = ReadingRecord()
    frame = read_text(tmp_path, GERMAN.encode(encoding), record=record)
    assert frame.rows() == [("Müller", 1.80), ("Weiß", 1.75)]
    assert frame.columns == ["Name", "Größe"]
    assert record.encoding == found


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Łódź, Pawłowska", "cp1250"),
        ("Čapek, Dvořák", "cp1250"),
        ("Szűcs, Győr, Tóth", "cp1250"),
        ("Привет, мир", "cp1251"),
        ("Γειά, Κόσμε", "cp1253"),
        ("Ağaoğlu, Şahin", "cp1254"),
        ("Müller, Größe", "cp850"),
        ("Müller, Größe", "mac_roman"),
        ("日本語, テスト", "shift_jis"),
        ("日本語, 山田", "euc_jp"),
    ],
)
def test_other_encodings_are_refused_and_not_guessed(tmp_path: Path, text: str, encoding: str) -> None:
    with pytest.raises(DataError) as error:
        read_text(tmp_path, f"a,b\n{text}\n".encode(encoding))
    assert error.value.code == "data.encoding"


def test_utf8_with_a_broken_byte_is_not_taken_for_another_encoding(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not utf-8: 1 lines cannot be decoded, the first at line 3"):
        read_text(tmp_path, "a,b\nMüller,1\n".encode() + b"Wei\xdf,2\n")


@pytest.mark.parametrize(
    "text", ["„Spaß“; 20 °C; 5 µg", "l’été à Nîmes", "Ångström", "Núñez, José", "São João", "3 m²"]
)
def test_western_text_is_recognised(tmp_path: Path, text: str) -> None:
    assert detect_encoding(write_file(tmp_path, f"a\n{text}\n".encode("cp1252"))) == "cp1252"


def test_two_languages_in_one_file_are_recognised(tmp_path: Path) -> None:
    text = "Größe, Müller, Zoë\n" * 9
    assert detect_encoding(write_file(tmp_path, f"a,b,c\n{text}".encode("cp1252"))) == "cp1252"


def test_hungarian_is_not_taken_for_two_languages(tmp_path: Path) -> None:
    text = "Szűcs, Győr, Tóth, Kőműves, Nagy János, Zoltán, Ödön, Ürög\n" * 9
    assert detect_encoding(write_file(tmp_path, f"a,b,c,d,e,f,g,h\n{text}".encode("cp1250"))) == "utf-8"
