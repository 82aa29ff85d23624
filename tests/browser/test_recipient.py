"""The recipient: a zip is dropped, its promise read, its guide opened, two columns crossed, plain tables drawn."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from browser.walking import click

import voile as vl


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    schema = vl.Schema(identifier=["name"], quasi=["birth", "sex", "zip"], sensitive=["disease"])
    table, place = vl.datasets.hospital(), tmp_path_factory.mktemp("sent")
    found = vl.recommend(vl.read(table, schema), "partner")
    release = vl.publish(vl.read(table, found.steer_schema(schema)), found.policy, key=vl.Key(bytes(32)))
    return vl.pack(release.save(place / "hospital", format="csv"))


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_a_zip_is_verified_read_and_counted(look: Any, packed: Path, tmp_path: Path, width: int, dark: bool) -> None:
    seen = look(f"recipient-{width}", width=width, dark=dark)
    page = seen.page
    click(page, "link", "For recipients")
    page.locator("#file").set_input_files(packed)
    click(page, "button", "Verify the zip")
    page.wait_for_selector("#verdict")
    words = page.locator("#verdict").inner_text()
    assert "it holds" in words
    assert "linked to a value of 'disease' with probability above 1/3" in words
    assert "READ_ME" not in words, "the guide is no stray file"
    seen.shot("verified")
    page.locator("summary", has_text="Against whom").click()
    assert "earlier releases of the same people" in page.locator("#verdict").inner_text()
    seen.shot("against-whom")
    read_guide(seen)

    page.get_by_label("First column").select_option("sex")
    page.get_by_label("Second column").select_option("birth")
    click(page, "button", "Cross")
    page.wait_for_selector("#cross table")
    assert "95 % interval" in page.locator("#cross").inner_text()
    page.locator("[name='column.0']").select_option("birth")
    page.locator("[name='how.0']").select_option("between")
    page.locator("[name='value.0']").fill("1950|1969")
    click(page, "button", "Count")
    page.wait_for_selector("#count table")
    assert "birth is between 1950 and 1969" in page.locator("#count").inner_text()
    seen.shot("counted")

    page.locator("[name='draws']").fill("3")
    click(page, "button", "Draw tables")
    with page.expect_download() as caught:
        page.get_by_role("link", name="Download 3 tables").click()
    caught.value.save_as(tmp_path / "tables.csv")
    seen.shot("completed")
    seen.done()
    table = pl.read_csv(tmp_path / "tables.csv", schema_overrides={"zip": pl.String})
    assert table.columns == ["_draw", "birth", "sex", "zip", "disease"]
    assert table.height == 1200
    assert table["birth"].dtype == pl.Int64, "years"


def read_guide(seen: Any) -> None:
    """The guide is made from the release that was checked, and says what the columns mean and what not to do."""
    with seen.page.context.expect_page() as opened:
        seen.page.get_by_role("link", name="Read the guide").click()
    guide = opened.value
    guide.wait_for_selector("h1")
    words = guide.locator("main").inner_text()
    assert "voile verify hospital" in words
    assert "Dates are shown by their year" in words
    assert "Do not look for people in it" in words
    width = guide.evaluate("document.documentElement.scrollWidth")
    assert width <= guide.viewport_size["width"]
    guide.screenshot(path=seen.pictures / f"{seen.name}-guide.png", full_page=True)


def test_an_unpacked_zip_is_a_folder(look: Any, packed: Path, tmp_path: Path) -> None:
    """Whoever unpacks the zip and chooses the folder, guide and all, gets the same verdict."""
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(tmp_path / "received")
    seen = look("recipient-folder")
    click(seen.page, "link", "For recipients")
    seen.page.locator("#files").set_input_files(tmp_path / "received")
    click(seen.page, "button", "Verify the folder")
    words = seen.page.locator("#verdict").inner_text()
    assert "it holds" in words
    assert "Not covered by the certificate" not in words
    seen.done()
