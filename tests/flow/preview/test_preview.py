"""Previews: rows before and after, `*` as what it is, and nothing of it in a file of the release."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.flow.explore.distributions import draw_distribution
from voile.methods.base import Method
from voile.tables.microdata import Microdata

QUASI = ["birth", "sex", "zip"]


@pytest.fixture(scope="module")
def data() -> Microdata:
    return vl.read(vl.datasets.hospital(), vl.Schema(quasi=QUASI, sensitive=["disease"], other=["ward"]))


@pytest.mark.parametrize(
    "method", [vl.Mondrian(), vl.Mondrian(suppression=0.05), vl.FullDomain(), vl.Anatomy()], ids=lambda item: item.name
)
def test_every_pair_is_a_row_of_each_table(data: Microdata, method: Method) -> None:
    release = vl.publish(data, vl.LDiversity(l=3), method)
    shown = vl.preview(data, release)
    assert len(shown.rows) == 20
    originals = set(vl.datasets.hospital().select(shown.names).cast(pl.String).iter_rows())
    assert {pair.original for pair in shown.rows} <= originals
    published = [pair for pair in shown.rows if pair.published]
    assert len(published) >= 15
    if release.shows_boxes:
        rows = set(release.to_polars().select(shown.names).cast(pl.String).iter_rows())
        assert {pair.published for pair in published} <= rows
    else:
        assert shown.recognisable
        assert all(pair.original[3] in (pair.published or ())[3] for pair in published)


def test_stars_are_counted_as_what_they_are() -> None:
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=[*QUASI, "admitted", "ward"]))
    release = vl.publish(data, vl.KAnonymity(k=30))
    shown = vl.preview(data, release)
    stars = int((release.to_polars()["ward"] == "*").sum())
    view = next(view for view in shown.columns if view.column == "ward")
    found = next(item for item in shown.distributions if item.column == "ward")
    assert 0 < stars < 400
    assert (found.stars, view.stars) == (stars, stars / 400)
    assert view.exact + view.coarse + view.stars == pytest.approx(1)
    assert sum(found.readable) == pytest.approx(400 - stars)
    assert sum(found.after) == pytest.approx(400), "a recipient's estimate spreads them"
    assert "says nothing" in draw_distribution(found)


def test_without_stars_the_readable_part_is_everything(data: Microdata) -> None:
    for item in vl.preview(data, vl.publish(data, vl.KAnonymity(k=5))).distributions:
        assert item.stars == 0
        np.testing.assert_allclose(item.readable, item.after)


def test_a_column_of_stars_alone_is_lost(data: Microdata) -> None:
    shown = vl.preview(data, vl.publish(data, vl.KAnonymity(k=5), vl.FullDomain()))
    lost = [view.column for view in shown.columns if view.stars == 1]
    assert lost == [item.column for item in shown.distributions if item.lost]
    assert lost


def test_no_file_of_a_release_has_anything_of_a_preview(data: Microdata, tmp_path: Path) -> None:
    release = vl.publish(data, vl.KAnonymity(k=5))
    before = vl.preview(data, release)
    files = sorted(file.name for file in release.save(tmp_path / "out", format="csv").rglob("*"))
    assert files == ["certificate.json", "dictionary.json", "table.csv"]
    dates = {pair.original[0] for pair in before.rows}
    shown = (tmp_path / "out" / "table.csv").read_text(encoding="utf-8").split("\n")
    assert not any(line.startswith(tuple(dates)) for line in shown)
    assert "for you alone" in str(before)


def test_rows_that_were_not_drawn_are_not_called_withheld() -> None:
    """Of people with several rows, the preview shows the rows that were drawn, with their key; without it, rows that a
    group fits."""
    table = pl.concat(
        [vl.datasets.hospital().with_columns(admitted=pl.col("admitted").dt.offset_by(f"{n}d")) for n in range(3)]
    )
    data = vl.read(table, vl.Schema(person="name", quasi=[*QUASI, "admitted"], sensitive=["disease"]))
    key = vl.Key(bytes(range(32)))
    release = vl.publish(data, vl.KAnonymity(k=5), key=key)
    assert release.dictionary.get("withheld", 0) == 0
    for shown in (vl.preview(data, release, key=key), vl.preview(data, release)):
        assert len(shown.rows) == 20
        assert all(pair.published for pair in shown.rows)
    exact = next(item for item in vl.preview(data, release, key=key).distributions if item.column == "disease")
    assert exact.moved == 0
