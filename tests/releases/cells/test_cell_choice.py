"""From grouped rows to tables: cells are exactly what their groups need, order tells nothing."""

from __future__ import annotations

import polars as pl
import pytest

import voile as vl
from voile.releases.cells.label_ends import label_ends


def test_rows_are_published_in_the_order_of_what_is_published() -> None:
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
    table = vl.publish(data, vl.KAnonymity(k=5)).tables["table"]
    physical = table.select(pl.col("birth", "zip").to_physical(), pl.col("sex", "disease"))
    assert physical.equals(physical.sort(["birth", "sex", "zip", "disease"]))


def test_an_untouched_column_keeps_its_type() -> None:
    frame = pl.DataFrame({"n": [1, 1, 1, 2, 2, 2], "s": list("abcabc")})
    frame = frame.with_columns(pl.date(2025, 1, 1).alias("day"))
    data = vl.read(frame, vl.Schema(quasi=["n", "day"], sensitive=["s"]))
    table = vl.publish(data, vl.KAnonymity(k=3)).tables["table"]
    assert table.schema["n"] == pl.Int64
    assert table.schema["day"] == pl.Date


def test_a_hierarchy_label_never_tells_the_values_below_it() -> None:
    """The ends in the dictionary are the period's own, not the least and greatest birthday that occurs."""
    schema = vl.Schema(quasi=["birth", "sex"], sensitive=["disease"], hierarchies={"birth": vl.dates()})
    data = vl.read(vl.datasets.hospital(), schema)
    release = vl.publish(data, vl.KAnonymity(k=3), vl.FullDomain(suppression=0.3))
    entry = next(entry for entry in release.dictionary["columns"] if entry["name"] == "birth")
    assert entry["names"]
    for first, last in entry["names"].values():
        assert first.endswith("-01")
        assert last[-2:] in ("28", "29", "30", "31")


@pytest.mark.parametrize(
    ("label", "dtype", "ends"),
    [
        ("1990s", pl.Date(), ("1990-01-01", "1999-12-31")),
        ("2024", pl.Date(), ("2024-01-01", "2024-12-31")),
        ("2024-02", pl.Date(), ("2024-02-01", "2024-02-29")),
        ("2024-02", pl.Datetime("us"), ("2024-02-01 00:00:00", "2024-02-29 23:59:59.999999")),
        ("20-24", pl.Int64(), ("20", "24")),
        ("-5 - 5.5", pl.Float64(), ("-5", "5.5")),
        ("elderly", pl.Int64(), None),
        ("spring", pl.Date(), None),
    ],
)
def test_labels_tell_their_own_ends(label: str, dtype: pl.DataType, ends: tuple[str, str] | None) -> None:
    assert label_ends(label, dtype) == ends
