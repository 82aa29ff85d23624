"""The whole path in a real browser: load, mark, promise, compare, publish, verify."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROLES = {"name": "identifier", "birth": "quasi", "sex": "quasi", "zip": "quasi", "disease": "sensitive"}


def click(page: Any, role: str, name: str) -> None:
    """Click on what leads to a page, and wait for it."""
    with page.expect_navigation():
        page.get_by_role(role, name=name, exact=role == "button").click()


def mark(page: Any) -> None:
    for row in page.locator("table.marks:not(.wishes) tbody tr").all():
        name = row.locator("th").inner_text()
        row.locator("select").first.select_option(ROLES.get(name, ""))
    click(page, "button", "Save the roles")
    page.wait_for_selector("#risk")


def open_expert(page: Any) -> None:
    """Unfold the list of every promise, which stands below the cards."""
    expert = page.locator("details.expert")
    if expert.get_attribute("open") is None:
        expert.locator("> summary").click()


def promise(page: Any, l: int) -> None:  # noqa: E741 - the letter of the literature
    open_expert(page)
    for name, knob, value in (("k-anonymity", "k", 5), ("l-diversity", "l", l)):
        page.locator(f"[name='models.{name}.on']").check()
        page.locator(f"[name='models.{name}.{knob}']").fill(str(value))


def test_the_whole_path(look: Any, folder: Path, tmp_path: Path) -> None:
    seen = look("wide")
    page = seen.page
    assert "token" not in page.url
    seen.shot("start")

    page.locator("#path").fill("patients.csv")
    click(page, "button", "Load the file")
    page.wait_for_selector("#seen")
    assert "400 of 400 people (100 %)" in page.locator("#seen").inner_text()
    seen.shot("loaded")
    click(page, "button", "Show the first rows")
    page.wait_for_selector("#rows table")

    click(page, "link", "Continue: mark the columns")
    mark(page)
    seen.shot("marked")

    click(page, "link", "The tree of zip")
    page.locator("summary", has_text="As text").click()
    tree = page.locator("#outline")
    tree.fill(tree.input_value().replace("0****", "the south", 1))
    click(page, "button", "Save this tree")
    page.wait_for_url(re.compile("saved=yes"))
    assert "the south" in page.locator("#outline").input_value()
    seen.shot("tree")
    click(page, "link", "Mark the columns")
    assert "edited by you" in page.locator("#risk").inner_text()

    click(page, "link", "Continue: choose the promise")
    seen.shot("audiences")
    promise(page, 30)
    page.wait_for_selector("#said .problem")  # said at once, without saving
    assert "the largest possible l is 7" in page.locator("#said").inner_text()
    seen.shot("out-of-reach")
    promise(page, 3)
    page.wait_for_selector("#said a.button")
    assert "with probability above 1/3" in page.locator("#said").inner_text()
    click(page, "button", "Save the promise")
    page.wait_for_selector("#said article")
    seen.shot("promise")

    click(page, "link", "Continue: compare the methods")
    click(page, "button", "Start the comparison")
    page.wait_for_selector(".work progress")
    seen.shot("comparing")
    page.reload()  # the work goes on, and the page finds it again
    page.wait_for_selector("#partly svg")  # what there is already is shown, long before the end
    seen.shot("comparing-so-far")
    page.wait_for_selector("#found")
    assert "keeps the promise at the least loss" in page.locator("#found").inner_text()
    assert page.locator("#found figure svg").count() >= 1
    seen.shot("compared")
    with page.expect_navigation():
        page.locator("tr.best button").click()
    page.wait_for_selector("#closer figure svg")
    seen.shot("closer")

    click(page, "link", "Continue: publish it like this")
    click(page, "button", "See it before you save")
    page.wait_for_selector("#preview table")
    seen.shot("preview")
    click(page, "button", "Publish")
    page.wait_for_selector("#done")
    seen.shot("published")
    with page.expect_download() as caught:
        page.get_by_role("link", name=re.compile("Download the zip")).click()
    packed = tmp_path / "release.zip"
    caught.value.save_as(packed)
    with page.expect_download() as caught:
        page.get_by_role("link", name="Download spec.toml").click()
    caught.value.save_as(tmp_path / "spec.toml")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Read the report").click()
    opened.value.wait_for_selector("h1")
    assert "Privacy report" in opened.value.locator("h1").inner_text()

    click(page, "link", "For recipients")
    page.locator("#file").set_input_files(packed)
    click(page, "button", "Verify the zip")
    page.wait_for_selector("#verdict")
    assert "it holds" in page.locator("#verdict").inner_text()
    page.locator("[name='column.0']").select_option("sex")
    page.locator("[name='value.0']").fill("Female")
    click(page, "button", "Count")
    page.wait_for_selector("#count table")
    seen.shot("counted")
    seen.done()
    downloads(packed, folder, tmp_path)


def downloads(packed: Path, folder: Path, place: Path) -> None:
    """What was downloaded is verified and repeated at the command line."""
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(place)
    voile = [sys.executable, "-m", "voile"]
    subprocess.run([*voile, "verify", str(place / "release")], check=True, capture_output=True)
    again = [*voile, "publish", str(folder / "patients.csv"), "--spec", str(place / "spec.toml")]
    subprocess.run([*again, "--out", str(place / "again")], check=True, capture_output=True)
    subprocess.run([*voile, "verify", str(place / "again")], check=True, capture_output=True)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_a_table_of_visits(look: Any, folder: Path, width: int, dark: bool) -> None:
    """The column that tells people apart is suggested, the rows per person are chosen, and people are published."""
    seen = look(f"visits-{width}", width=width, dark=dark)
    page = seen.page
    page.locator("#path").fill("visits.csv")
    click(page, "button", "Load the file")
    page.wait_for_selector("#seen")
    assert "300 different patient_id in 903 rows" in page.locator("#seen").inner_text()
    seen.shot("loaded")
    click(page, "link", "Continue: mark the columns")
    assert page.locator("#person option:checked").inner_text() == "patient_id"
    page.locator("#rows_per_person").fill("1")
    click(page, "button", "Save the roles")
    page.wait_for_selector("#people")
    click(page, "button", "Compare the choices")
    page.wait_for_selector("#people table")
    seen.shot("compared")
    click(page, "button", "Publish at most 2 rows per person")
    page.wait_for_selector("#people tr.best:has-text('2')")
    assert page.locator("#rows_per_person").input_value() == "2"
    seen.shot("chosen")
    click(page, "link", "Continue: choose the promise")
    open_expert(page)
    page.locator("[name='models.k-anonymity.on']").check()
    page.locator("[name='models.k-anonymity.k']").fill("5")
    page.wait_for_selector("#said a.button")
    click(page, "button", "Save the promise")
    page.wait_for_selector("#said article")
    seen.shot("promise")
    click(page, "link", "5 Publish")
    click(page, "button", "Publish")
    page.wait_for_selector("#done")
    assert "rows of at least" in page.locator("#done").inner_text()
    assert "left out because their people have more than 2 rows" in page.locator("#done").inner_text()
    seen.shot("published")
    click(page, "link", "For recipients")
    click(page, "button", "Verify your release")
    page.wait_for_selector("#verdict")
    assert "it holds" in page.locator("#verdict").inner_text()
    assert "Every person has at most 2 rows" in page.locator("#verdict").inner_text()
    seen.shot("verified")
    seen.done()


def test_small_and_dark(look: Any) -> None:
    """Every step at 400 pixels in the dark; the steps are reached and worked by the keyboard alone."""
    seen = look("small", width=400, dark=True)
    page = seen.page
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 30)"
    press(page, "button", "Load the demo table")
    page.wait_for_selector("#seen")
    seen.shot("loaded")
    press(page, "link", "Continue: mark the columns")
    mark(page)
    seen.shot("marked")
    press(page, "link", "Continue: choose the promise")
    reach(page, page.locator("details.expert > summary"))
    page.keyboard.press("Enter")
    reach(page, page.locator("[name='models.k-anonymity.on']"))
    page.keyboard.press("Space")
    page.wait_for_selector("#said a.button")
    seen.shot("promise")
    press(page, "button", "Save the promise")
    page.wait_for_selector("#said a.button")
    press(page, "link", "Continue: compare the methods")
    page.wait_for_selector("h1:text('Compare')")
    press(page, "button", "Start the comparison")
    page.wait_for_selector(".work")
    press(page, "button", "Cancel")
    page.wait_for_selector(".problem:has-text('cancelled')")
    seen.shot("cancelled")
    press(page, "link", re.compile("5 Publish"))
    page.wait_for_selector("h1:text('Publish')")
    press(page, "button", "Publish")
    page.wait_for_selector("#done")
    seen.shot("published")
    press(page, "link", re.compile("For recipients"))
    page.wait_for_selector("h1:text('received')")
    press(page, "button", "Verify your release")
    page.wait_for_selector("#verdict")
    seen.shot("verified")
    seen.done()


def reach(page: Any, target: Any) -> None:
    """By the tabulator alone."""
    page.evaluate("document.activeElement.blur(); window.getSelection().removeAllRanges()")
    target.evaluate("one => one.setAttribute('data-target', '')")
    for _ in range(400):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.hasAttribute('data-target')"):
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
            target.evaluate("one => one.removeAttribute('data-target')")
            return
    raise AssertionError("the keyboard does not get there")


def press(page: Any, role: str, name: Any) -> None:
    reach(page, page.get_by_role(role, name=name, exact=isinstance(name, str)))
    with page.expect_navigation():
        page.keyboard.press("Enter")


def test_a_message_for_a_file_that_is_too_large(look: Any, tmp_path: Path) -> None:
    """It is not even sent."""
    seen = look("large")
    with (tmp_path / "large.csv").open("wb") as file:
        file.truncate(201 << 20)
    seen.page.locator("#file").set_input_files(tmp_path / "large.csv")
    words = seen.page.locator("#file").evaluate("one => one.validationMessage")
    assert "name its path instead" in words
    seen.done()
