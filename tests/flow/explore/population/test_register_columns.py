"""A register without a known column is the register that is named."""

from __future__ import annotations

import polars as pl
import pytest

import voile as vl
from voile.errors import SchemaError


def test_the_message_names_the_register() -> None:
    table = pl.DataFrame({"age": [30, 31], "zip": ["a", "b"]})
    with pytest.raises(SchemaError, match="The register has no column 'zip'"):
        vl.inspect(table, vl.Schema(quasi=["age", "zip"]), register=table.select("age"))
