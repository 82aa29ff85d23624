"""The statistician: a survey with weights and households, models chosen one by one, wishes for columns, and prices."""

from __future__ import annotations

import json
import random
import re
import zipfile
from pathlib import Path
from typing import Any

import polars as pl
from browser.walking import choose, click

REGIONS = ("North", "South", "East", "West")
ROLES = {"age": "quasi", "region": "quasi", "schooling": "quasi", "income": "sensitive", "hours": ""}


def make_survey(households: int = 260) -> pl.DataFrame:
    """Return the members of households of one to four people; each has a weight that hardly anybody shares."""
    draw = random.Random(11)
    rows = []
    for household in range(households):
        region, members = draw.choice(REGIONS), draw.randint(1, 4)
        for _ in range(members):
            weight = round(20 + draw.gammavariate(3, 60), 3)
            income = draw.choice(("none", "low", "middle", "middle", "high"))
            person = (draw.randrange(18, 95), region, draw.choice(("basic", "middle", "higher")), draw.randrange(60))
            rows.append((f"H{9000 + household}", *person, income, weight))
    names = ["household", "age", "region", "schooling", "hours", "income", "pweight"]
    return pl.DataFrame(rows, schema=names, orient="row")


def test_weights_and_households(look: Any, folder: Path, tmp_path: Path) -> None:
    survey = make_survey()
    survey.write_csv(folder / "survey.csv")
    seen = look("statistician")
    page = seen.page
    page.locator("#path").fill("survey.csv")
    click(page, "button", "Load the file")
    page.wait_for_selector("#seen")
    seen.shot("loaded")

    click(page, "link", "Continue: mark the columns")
    for column, role in ROLES.items():
        choose(page, column, role)
    page.locator("#person").select_option(label="household")
    page.locator("#rows_per_person").fill("4")
    page.locator("#weight_column").select_option(label="pweight")
    page.locator("summary", has_text="More: steer single columns").click()
    page.get_by_label("Weight of age").fill("2")
    page.get_by_label("Top of age").fill("85")
    page.get_by_label("Round to of pweight").fill("10")
    click(page, "button", "Save the roles")
    page.wait_for_selector("#risk")
    assert "of 260 people, up to 4 rows each" in page.locator("#people").inner_text()
    seen.shot("marked")

    click(page, "link", "Continue: choose the promise")
    page.locator("details.expert > summary").click()
    page.locator("[name='models.k-anonymity.on']").check()
    page.locator("[name='models.k-anonymity.k']").fill("3")
    page.wait_for_selector("#said a.button")
    click(page, "button", "Save the promise")
    page.wait_for_selector("#said article")
    assert "rows of at least 2 other people" in page.locator("#said").inner_text()
    seen.shot("promised")

    click(page, "link", "Continue: compare the methods")
    page.locator("summary", has_text="Try only some methods").click()
    for name in ("methods.mondrian", "methods.full-domain", "attacks.linking"):
        page.locator(f"[name='{name}.on']").check()
    click(page, "button", "Start the comparison")
    page.wait_for_selector("#found")
    prices = page.get_by_role("region", name="What a step would cost").inner_text()
    assert "Withholding 1 %" in prices
    assert "instead of 3" in prices
    seen.shot("compared")
    with page.expect_navigation():
        page.locator("tr.best button").click()
    page.wait_for_selector("#closer figure svg")
    assert "674" in page.locator("#closer .figures").inner_text(), "rows, beside the fewest people that they can be of"
    seen.shot("closer")

    click(page, "link", "Continue: publish it like this")
    click(page, "button", "Publish")
    page.wait_for_selector("#done")
    assert "rows of at least" in page.locator("#done").inner_text()
    seen.shot("published")
    with page.expect_download() as caught:
        page.get_by_role("link", name=re.compile("Download the zip")).click()
    caught.value.save_as(tmp_path / "release.zip")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Read the report").click()
    opened.value.wait_for_selector(".decision")
    assert "Reasons for the choice" in opened.value.locator(".decision").inner_text(), "nobody gave reasons"
    opened.value.screenshot(path=seen.pictures / "statistician-report.png", full_page=True)
    seen.done()
    check_zip(tmp_path, survey)


def check_zip(place: Path, survey: pl.DataFrame) -> None:
    """No household is named, no weight is published as it was, and the steering is stated for recipients."""
    with zipfile.ZipFile(place / "release.zip") as archive:
        archive.extractall(place)
    text = "\n".join(path.read_text() for path in sorted(place.rglob("*.*")) if path.suffix != ".zip")
    assert not [name for name in survey["household"].unique() if name in text]
    weights = {str(weight) for weight in survey["pweight"]}
    assert len(weights) > 500
    assert not weights & set(re.findall(r"\d+\.\d+", text))
    entries = {entry["name"]: entry for entry in json.loads((place / "release/dictionary.json").read_text())["columns"]}
    assert entries["pweight"]["weight"] is True
    assert entries["pweight"]["coded"] == "rounded to multiples of 10"
    assert entries["age"]["steering"] == {"weight": 2, "top": 85}
    assert "hours" not in entries
    assert "how many people of the population" in (place / "READ_ME.html").read_text()
