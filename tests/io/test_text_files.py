"""Text files: whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from voile.errors import DataError
from voile.io import text_files


def test_files_and_their_folder_are_made(tmp_path: Path) -> None:
    place = tmp_path / "a" / "b"
    text_files.write_texts({place / "one.txt": "1\n", place / "two.txt": "é\n"})
    text_files.write_texts({place / "one.txt": "new\n"})
    assert {file.name: file.read_text(encoding="utf-8") for file in place.iterdir()} == {
        "one.txt": "new\n",
        "two.txt": "é\n",
    }


def test_what_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text_files.write_texts({tmp_path / "one.txt": "old"})

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(DataError, match="The trial cannot be written"):
        text_files.write_texts({tmp_path / "one.txt": "new"}, "trial")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("one.txt", "old")]
