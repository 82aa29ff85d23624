"""Projects in a real browser: found again after a restart, undone, in two tabs; a tree by mouse and by keyboard."""

from __future__ import annotations

import re
from typing import Any

ROLES = {"name": "identifier", "birth": "quasi", "sex": "quasi", "zip": "quasi", "disease": "sensitive"}


def click(page: Any, role: str, name: str) -> None:
    """Click on what leads to a page, and wait for it and for the work that it starts."""
    with page.expect_navigation():
        page.get_by_role(role, name=name, exact=role == "button").first.click()
    page.wait_for_selector("h1")
    page.wait_for_selector(".work", state="detached")


def begin_project(page: Any, name: str) -> None:
    """Make a project with the table of patients and its roles."""
    click(page, "link", "project")
    page.get_by_label("Name", exact=True).fill(name)
    click(page, "button", "Make the project")
    page.locator("#path").fill("patients.csv")
    click(page, "button", "Load the file")
    click(page, "link", "Continue: mark the columns")
    for row in page.locator("table.marks:not(.wishes) tbody tr").all():
        row.locator("select").first.select_option(ROLES.get(row.locator("th").inner_text(), ""))
    click(page, "button", "Save the roles")


def step(page: Any) -> str:
    found = re.search(r"Step \d+ of \d+", page.locator("section.project").inner_text())
    assert found
    return found[0]


def test_a_project_is_found_again_after_a_restart(look: Any, workbench: Any) -> None:
    """The same pages at two widths: light before the restart, dark after it."""
    with workbench() as address:
        seen = look("project", address=address)
        page = seen.page
        begin_project(page, "clinic")
        click(page, "link", "Continue: choose the promise")
        page.locator(".audience button").nth(1).click()
        page.wait_for_selector("#said a.button")
        page.locator(".audience button").nth(2).click()
        page.wait_for_selector(".audience.on:has-text('public')")
        assert step(page) == "Step 4 of 4"
        seen.shot("promised")
        click(page, "button", "Undo")
        page.wait_for_selector(".audience.on:has-text('partner')")
        assert step(page) == "Step 3 of 4"
        click(page, "button", "Redo")
        page.wait_for_selector(".audience.on:has-text('public')")
        seen.done()
    with workbench() as address:
        seen = look("project-again", width=400, dark=True, address=address)
        page = seen.page
        seen.shot("start")
        click(page, "button", "Open clinic")
        page.wait_for_selector("h1:text('Compare')")
        assert step(page) == "Step 4 of 4"
        click(page, "link", "Promise")
        page.wait_for_selector(".audience.on:has-text('public')")
        click(page, "link", "Publish")
        click(page, "button", "Publish")
        page.wait_for_selector("#done")
        assert "The project keeps a copy of this release" in page.locator("#done").inner_text()
        seen.shot("published")
        click(page, "link", "take it back")
        assert "release 1 of" in page.locator("#earlier").inner_text()
        seen.shot("loaded")
        click(page, "link", "clinic")
        assert "1 release" in page.locator("main").inner_text()
        seen.shot("projects")
        seen.done()


def test_two_tabs_on_one_project(look: Any) -> None:
    seen = look("tabs")
    first = seen.page
    begin_project(first, "tabs")
    click(first, "link", "Continue: choose the promise")
    second = first.context.new_page()
    second.goto(first.url)
    second.locator(".audience button").nth(0).click()
    second.wait_for_selector("#said a.button")
    first.locator(".audience button").nth(2).click()
    first.wait_for_selector("h1:text('Your form was not saved')")
    seen.shot("conflict")
    click(first, "button", "Save my form on top")
    first.wait_for_selector(".audience.on:has-text('public')")
    click(first, "button", "Undo")
    first.wait_for_selector(".audience.on:has-text('Inside')")
    seen.complaints = [words for words in seen.complaints if "409" not in words]
    seen.done()


def test_a_tree_by_mouse_and_keyboard(look: Any) -> None:
    seen = look("tree")
    page = seen.page
    click(page, "button", "Load the demo table")
    click(page, "link", "Continue: mark the columns")
    click(page, "button", "Save the roles")
    click(page, "link", "The tree of ward")
    seen.shot("drawn")
    wards = [name for name in page.locator(".branches .label:not(.group) span").all_inner_texts() if name]
    for ward in wards[:2]:  # by the keyboard: tick, type, press
        page.get_by_role("checkbox", name=ward, exact=True).focus()
        page.keyboard.press("Space")
    page.get_by_label("Name of the group").focus()
    page.keyboard.type("the first")
    press(page, "Merge the ticked labels")
    assert members(page, "the first") == wards[:2]
    assert page.get_by_role("status").inner_text() == "2 labels were merged."
    item = page.locator(".label:not(.group)", has_text=wards[2]).last  # by the mouse
    with page.expect_navigation():
        item.locator(".check").drag_to(page.locator(".group > .check", has_text="the first"))
    page.wait_for_selector("[role=status]:has-text('moved')")
    assert members(page, "the first") == wards[:3]
    seen.shot("moved")
    page.set_viewport_size({"width": 400, "height": 900})
    page.emulate_media(color_scheme="dark")
    page.get_by_role("checkbox", name=wards[2], exact=True).check()  # without a mouse: tick, choose, press
    page.get_by_label("Group to move to").select_option("top")
    press(page, "Move the ticked labels")
    assert members(page, "the first") == wards[:2]
    seen.shot("moved-narrow")
    click(page, "button", "Undo the last edit")
    assert members(page, "the first") == wards[:3]
    click(page, "button", "Undo the last edit")
    assert members(page, "the first") == wards[:2]
    click(page, "button", "Redo the edit")
    page.get_by_role("checkbox", name="the first", exact=True).check()
    page.get_by_label("Name of the group").fill(wards[3])
    click(page, "button", "Rename the ticked group")
    assert "Another label of the tree has this name." in page.locator(".problem").inner_text()
    seen.shot("refused")
    page.locator("summary", has_text="From a file").click()
    rows = "".join(f"{ward};{'one' if number % 2 else 'two'}\n" for number, ward in enumerate(wards))
    page.locator("#tree-file").set_input_files({"name": "ward.csv", "mimeType": "text/csv", "buffer": rows.encode()})
    click(page, "button", "Import the tree")
    assert members(page, "two") == wards[::2]
    seen.done()


def members(page: Any, group: str) -> list[str]:
    found = page.locator(".group", has=page.get_by_role("checkbox", name=group, exact=True)).last
    return [text for text in found.locator("ul span").all_inner_texts() if text]


def press(page: Any, name: str) -> None:
    """Press a button by the keyboard alone."""
    page.get_by_role("button", name=name).focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
