"""Steps of a person through the workbench in a browser."""

from __future__ import annotations

from typing import Any


def click(page: Any, role: str, name: str) -> None:
    """Click on what leads to a page, wait for it, and for the work that it started."""
    with page.expect_navigation():
        page.get_by_role(role, name=name, exact=role == "button").first.click()
    page.wait_for_selector(".work", state="detached")


def choose(page: Any, column: str, role: str) -> None:
    """Choose the role of a column."""
    row = page.locator("table.marks:not(.wishes) tbody tr", has=page.locator("th", has_text=column))
    row.locator("select").first.select_option(role)
