"""The data protection officer: a messy German hospital file, the suggested roles, a card, and a zip without a name, a
free text or an exact date of birth."""

from __future__ import annotations

import csv
import datetime
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

from browser.walking import choose, click
from tables.roles.german_hospital import write_hospital

NOBODY = "Schwierige Spalte"  # a column about which nothing can be suggested


def write_table(folder: Path) -> list[dict[str, str]]:
    """Write the hospital's export with one column more, whose numbers say nothing of what they are; return its rows."""
    path = write_hospital(folder / "export.csv")
    lines = path.read_bytes().decode("cp1252").splitlines()
    wider = [f"{line};{NOBODY if not place else 10 + place * 7 % 90}" for place, line in enumerate(lines)]
    path.write_bytes(("\r\n".join(wider) + "\r\n").encode("cp1252"))
    return list(csv.DictReader(wider, delimiter=";"))


def test_a_messy_table_is_published_by_suggestions_and_a_card(look: Any, folder: Path, tmp_path: Path) -> None:
    rows = write_table(folder)
    seen = look("officer")
    page = seen.page
    page.locator("#path").fill("export.csv")
    click(page, "button", "Load the file")
    page.wait_for_selector("#seen")
    assert "cp1252" in page.locator("#seen").inner_text()
    seen.shot("loaded")

    click(page, "link", "Continue: mark the columns")
    seen.shot("roles-suggested")
    click(page, "button", "Save the roles")
    assert f"'{NOBODY}': nobody has decided" in page.locator(".problem").inner_text()
    seen.shot("undecided")
    choose(page, NOBODY, "")  # a careful officer leaves out what nobody can explain
    click(page, "button", "Save the roles")
    page.wait_for_selector("#risk")
    seen.shot("marked")

    click(page, "link", "Continue: choose the promise")
    card = page.locator(".audience", has_text="A research partner")
    assert "No exact date of Geburtsdatum is published: it is shown by year" in card.inner_text()
    seen.shot("audiences")
    with page.expect_navigation():
        card.get_by_role("button").click()
    page.wait_for_selector("#said a.button")
    seen.shot("promised")

    click(page, "link", "Continue: compare the methods")
    page.locator("summary", has_text="Try only some methods").click()
    for name in ("mondrian", "anatomy"):
        page.locator(f"[name='methods.{name}.on']").check()
    page.locator("[name='attacks.linking.on']").check()
    click(page, "button", "Start the comparison")
    page.wait_for_selector("#found")
    assert "mondrian keeps the promise at the least loss" in page.locator("#found").inner_text()
    seen.shot("compared")
    with page.expect_navigation():
        page.get_by_role("button", name="Look closer at mondrian").click()
    page.wait_for_selector("#closer figure svg")
    click(page, "link", "Continue: publish it like this")
    click(page, "button", "See it before you save")
    page.wait_for_selector("#preview table")
    seen.shot("preview")
    page.locator("#decided_by").fill("A. Schmidt")
    page.locator("#decided_on").fill("2026-03-31")
    click(page, "button", "Publish")
    page.wait_for_selector("#done")
    seen.shot("published")
    with page.expect_download() as caught:
        page.get_by_role("link", name=re.compile("Download the zip")).click()
    caught.value.save_as(tmp_path / "release.zip")
    read_report(seen)
    seen.done()
    check_zip(tmp_path, rows)


def read_report(seen: Any) -> None:
    """The report decides on one screen, names who decided and why, and has a place for a second reader."""
    with seen.page.context.expect_page() as opened:
        seen.page.get_by_role("link", name="Read the report").click()
    report = opened.value
    report.wait_for_selector(".decision")
    words = report.locator(".decision").inner_text()
    assert all(part in words for part in ("A. Schmidt", "2026-03-31", "A research partner", "Second reader"))
    assert "Shown by year" in words
    risks = report.locator(".overview table").inner_text()
    assert all(part in risks for part in ("Singling out", "Linkability", "Inference"))
    assert report.locator("details.fold[open]").count() == 0
    report.screenshot(path=seen.pictures / f"{seen.name}-report.png", full_page=True)


def check_zip(place: Path, rows: list[dict[str, str]]) -> None:
    """No file of the zip holds a name, a note, a telephone number, a patient's number, or an exact date of birth."""
    with zipfile.ZipFile(place / "release.zip") as archive:
        archive.extractall(place)
        names = sorted(archive.namelist())
    files = ("certificate.json", "dictionary.json", "table.csv")
    assert names == ["READ_ME.html", *(f"release/{file}" for file in files)]
    text = "\n".join((place / name).read_text(encoding="utf-8") for name in names)
    secrets = {row[column] for row in rows for column in ("Name", "Telefon", "Bemerkung", "PatNr")}
    secrets |= {part for row in rows for part in row["Name"].split(", ")}
    births = {datetime.datetime.strptime(row["Geburtsdatum"], "%d.%m.%Y").date() for row in rows}
    for day in births:
        secrets |= {day.isoformat(), f"{day:%d.%m.%Y}", f"{day:%Y%m%d}", f"{day:%Y/%m/%d}"}
    assert len(births) > 400
    words = set(re.findall(r"[\w.,/-]+", text)) | {text}
    found = [secret for secret in secrets if secret in words or (len(secret) > 7 and secret in text)]
    assert not found, f"{len(found)} of {len(secrets)} are published"
    assert NOBODY not in text
    command = [sys.executable, "-m", "voile", "verify", str(place / "release")]
    verified = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "Not covered by the certificate" not in verified
