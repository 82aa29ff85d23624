"""Small files that tests of reading write, and the table that most of them hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import VoileError
from voile.io import table_files
from voile.io.conversions.text_options import TextOptions

SCHEMA = vl.Schema(quasi=["age", "zip"], sensitive=["disease"])
FRAME = pl.DataFrame({"age": [30, 41, 52], "zip": ["01234", "13001", "83000"], "disease": ["flu", "HIV", "flu"]})


def write_file(folder: Path, content: str | bytes, name: str = "t.csv") -> Path:
    """Write a file of the folder and return its path."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read_text(folder: Path, content: str | bytes, **options: Any) -> pl.DataFrame:
    """Read a CSV with this content."""
    columns, check = options.pop("columns", None), options.pop("check", None)
    return table_files.read_file(write_file(folder, content), columns, TextOptions(**options), check)


def says(error: pytest.ExceptionInfo[VoileError], *parts: str) -> bool:
    """Whether an error mentions all parts."""
    return all(part in str(error.value) for part in parts)
