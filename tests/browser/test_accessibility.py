"""Every page is checked by axe: at 1280 and 400 pixels, in light and dark, with everything unfolded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

import voile as vl

SETTINGS = [(1280, "light"), (1280, "dark"), (400, "light"), (400, "dark")]
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
ROLES = {"name": "identifier", "birth": "quasi", "sex": "quasi", "zip": "quasi", "disease": "sensitive"}


def list_findings(page: Any) -> list[str]:
    """List what axe finds on the page, in each setting; hidden parts are unfolded first. Dark mode changes nothing but
    colours, so only their contrast is checked there."""
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    findings = []
    for width, scheme in SETTINGS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        rules = {"type": "tag", "values": TAGS} if scheme == "light" else {"type": "rule", "values": ["color-contrast"]}
        options = {"resultTypes": ["violations"], "runOnly": rules}
        for rule in Axe().run(page, options=options).response["violations"]:
            nodes = [f"{node['target']} {node['failureSummary']}" for node in rule["nodes"][:3]]
            findings += [f"{width} {scheme}: {rule['id']} ({rule['impact']}), {len(rule['nodes'])} times", *nodes]
    return findings


class Walk:
    """A way through the workbench that collects the findings of every step."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.findings: dict[str, list[str]] = {}

    def check(self, step: str) -> None:
        self.findings |= {step: found} if (found := list_findings(self.page)) else {}

    def click(self, role: str, name: str, selector: str) -> None:
        """Click on what leads to another page, and wait for what it shows."""
        with self.page.expect_navigation():
            self.page.get_by_role(role, name=name, exact=role == "button").first.click()
        self.page.wait_for_selector(selector)
        self.page.wait_for_selector(".work", state="detached")


def test_every_step(look: Any) -> None:
    seen = look("axe")
    page, walk = seen.page, Walk(seen.page)
    walk.check("load")
    page.locator("#path").fill("missing.csv")
    walk.click("button", "Load the file", ".problem")
    walk.check("load, with a problem")
    walk.click("button", "Load the demo table", "#seen")
    walk.click("button", "Show the first rows", "#rows table")
    walk.check("loaded")

    walk.click("link", "Continue: mark the columns", "table.marks")
    for row in page.locator("table.marks:not(.wishes) tbody tr").all():
        row.locator("select").first.select_option(ROLES.get(row.locator("th").inner_text(), ""))
    walk.click("button", "Save the roles", "#risk")
    walk.check("marked")
    walk.click("link", "The tree of zip", "#edit")
    walk.check("tree")
    walk.click("link", "Mark the columns", "#risk")

    walk.click("link", "Continue: choose the promise", ".audience")
    page.locator(".audience button").first.click()
    page.wait_for_selector("#said a.button")
    walk.check("promise")

    walk.click("link", "Compare", "h1:text('Compare')")
    walk.check("compare")
    for name in ("mondrian", "anatomy"):
        page.locator(f"[name='methods.{name}.on']").check()
    with page.expect_navigation():
        page.get_by_role("button", name="Start the comparison").click()
    page.wait_for_selector(".work progress")
    walk.check("comparing")
    page.wait_for_selector("#found")
    walk.check("compared")
    with page.expect_navigation():
        page.locator("tr.best button").click()
    page.wait_for_selector("#closer figure svg")
    walk.check("closer look")

    walk.click("link", "Publish", "h1:text('Publish')")
    walk.click("button", "See it before you save", "#preview table")
    walk.check("preview")
    walk.click("button", "Publish", "#done")
    walk.check("published")

    walk.click("link", "For recipients", "h1:text('received')")
    walk.check("receive")
    walk.click("button", "Verify your release", "#verdict")
    page.locator("[name='column.0']").select_option("sex")
    page.locator("[name='value.0']").fill("Female")
    walk.click("button", "Count", "#count table")
    walk.click("button", "Cross", "#cross table")
    walk.check("counted")
    assert walk.findings == {}
    seen.done()


def test_pages_of_a_project(look: Any) -> None:
    seen = look("axe-project")
    page, walk = seen.page, Walk(seen.page)
    walk.click("link", "project", "h1:text('Projects')")
    walk.check("projects, without any")
    page.get_by_label("Name", exact=True).fill("axe")
    walk.click("button", "Make the project", "section.project")
    walk.check("load, without a table")
    walk.click("button", "Load the demo table", "#seen")
    walk.check("loaded")
    walk.click("link", "Continue: mark the columns", "table.marks")
    second = page.context.new_page()
    second.goto(page.url)
    walk.click("button", "Save the roles", "#risk")
    walk.click("link", "The tree of ward", "#edit")
    walk.click("button", "Merge the ticked labels", ".problem")
    walk.check("tree, with a problem")
    walk.click("link", "axe", "h1:text('Projects')")
    walk.click("button", "Export axe without data", "#exported")
    walk.check("exported")
    with second.expect_navigation():
        second.get_by_role("button", name="Save the roles").click()
    second.wait_for_selector("h1:text('not saved')")
    walk.findings |= {"conflict": found} if (found := list_findings(second)) else {}
    assert walk.findings == {}
    seen.done()


def save_report(folder: Path) -> Path:
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
    release = vl.publish(data, vl.LDiversity(l=3))
    losses = vl.measure(data, release)
    return vl.report(release, vl.audit(release, data), losses).save(folder / "report.html")


def save_inspection(folder: Path) -> Path:
    return vl.inspect(vl.datasets.hospital()).save(folder / "inspection.html")


def save_comparison(folder: Path) -> Path:
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
    tried = vl.compare(data, vl.LDiversity(l=3), [vl.Mondrian(), vl.Anatomy()])
    return tried.save(folder / "comparison")


def save_guide(folder: Path) -> Path:
    schema = vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"])
    release = vl.publish(vl.read(vl.datasets.hospital(), schema), vl.LDiversity(l=3))
    return vl.guide(release.save(folder / "release")).save(folder / "READ_ME.html")


@pytest.mark.parametrize("save", [save_report, save_inspection, save_comparison, save_guide])
def test_saved_pages(chromium: Any, tmp_path: Path, save: Any) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(save(tmp_path).as_uri())
    findings = list_findings(page)
    context.close()
    assert findings == []


def test_faults_are_found(chromium: Any) -> None:
    context = chromium.new_context()
    page = context.new_page()
    style = "@media (prefers-color-scheme: dark) { p { color: #ddd; background: #fff } }"
    page.set_content(
        f"<html lang='en'><title>t</title><style>{style}</style><main><h1>t</h1><p>faint</p><input></main></html>"
    )
    findings = [finding for finding in list_findings(page) if "times" in finding]
    context.close()
    assert findings == [
        "1280 light: label (critical), 1 times",
        "1280 dark: color-contrast (serious), 1 times",
        "400 light: label (critical), 1 times",
        "400 dark: color-contrast (serious), 1 times",
    ]
