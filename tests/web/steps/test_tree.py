"""Trees edited by hand, without a script: labels are moved, merged and renamed; edits are undone; files come in."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

ROLES = {"name": "identifier", "birth": "quasi", "ward": "quasi", "disease": "sensitive"}
ROWS = "Cardiology;North\nOncology;North\nSurgery;South\nPsychiatry;South\nPulmonology;East\nInternal medicine;East\n"


class Tree:
    """The tree of the wards, as its page shows it."""

    def __init__(self, visitor: Any) -> None:
        self.visitor = visitor
        self.page = visitor.client.get("/tree/5").text

    def edit(self, how: str, *labels: str, **more: Any) -> str:
        self.page = self.visitor.post("/tree/5", self.fields(how, *labels, **more))
        return self.text()

    def fields(self, how: str, *labels: str, **more: Any) -> dict[str, Any]:
        numbers = {unescape(name): number for number, name in self.labels()}
        drawn = re.search(r'name="drawn" value="(\w+)"', self.page)
        fields = {"how": how, "label": [numbers[label] for label in labels], "drawn": drawn[1] if drawn else ""}
        fields |= {"to": numbers[more.pop("into")]} if "into" in more else {}
        return {"csrf": self.visitor.csrf(), **fields, **more}

    def labels(self) -> list[tuple[str, str]]:
        return re.findall(r'name="label" value="(\d+)"> <span>([^<]*)</span>', self.page)

    def outline(self) -> list[str]:
        page = self.visitor.client.get("/tree/5").text
        match = re.search(r'<textarea id="outline"[^>]*>\n?(.*?)</textarea>', page, re.S)
        assert match
        return unescape(match[1]).splitlines()

    def text(self) -> str:
        return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", self.page)))


@pytest.fixture
def tree(visitor: Any) -> Tree:
    visitor.post("/", {"how": "demo"})
    visitor.mark(ROLES)
    visitor.post("/tree/5", {"how": "import"}, files={"file": ("ward.csv", ROWS.encode())})
    return Tree(visitor)


def test_labels_are_moved_merged_and_renamed(tree: Tree) -> None:
    north, south = ["North", "  Cardiology", "  Oncology"], ["South", "  Psychiatry", "  Surgery"]
    east = ["East", "  Internal medicine", "  Pulmonology"]
    assert sorted(tree.outline()) == sorted([*north, *south, *east])
    tree.edit("move", "Oncology", "Psychiatry", into="East")
    tree.edit("merge", "North", "South", name="elsewhere")
    tree.edit("rename", "East", name="the East")
    groups = "".join(tree.outline()).replace("the East", "|").replace("elsewhere", "|").split("|")
    assert sorted(groups) == [
        "",
        "  Cardiology  Surgery",
        "  Internal medicine  Oncology  Psychiatry  Pulmonology",
    ]
    tree.edit("move", "Oncology", to="top")
    assert "Oncology" in tree.outline()


def test_edits_are_undone_and_made_again(tree: Tree) -> None:
    before = tree.outline()
    tree.edit("rename", "East", name="the East")
    after = tree.outline()
    assert after != before
    tree.edit("undo")
    assert tree.outline() == before
    tree.edit("redo")
    assert tree.outline() == after
    assert "There is nothing to redo" in tree.edit("redo")
    tree.visitor.post("/tree/5", {"how": "recipe", "recipe": "auto"})
    tree.edit("undo")
    assert tree.outline() == after


def test_what_cannot_be_is_said_and_changes_nothing(tree: Tree) -> None:
    before, stale = tree.outline(), tree.page
    assert "0 labels are ticked." in tree.edit("rename", name="x")
    assert "The root of a tree" not in tree.edit("move", to="top")
    assert "Too few labels are chosen." in tree.text()
    assert "No group to move to was chosen." in tree.edit("move", "Surgery", to="nowhere")
    answer = tree.visitor.client.post("/tree/5", data=tree.fields("rename", "Surgery", name="typed"))
    assert "A value of the table cannot be renamed." in answer.text
    assert re.search(r'value="typed"', answer.text)
    assert re.search(r'name="label" value="\d+" checked> <span>Surgery</span>', answer.text)
    assert "Another label of the tree has this name." in tree.edit("rename", "East", name="South")
    assert "Labels can be moved into groups only." in tree.edit("move", "East", into="Surgery")
    assert tree.outline() == before
    tree.edit("rename", "East", name="the East")
    tree.page = stale
    assert "The tree has changed since this page was drawn." in tree.edit("rename", "South", name="x")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("ward.csv", b"Cardiology;North\nOncology\n", "its rows are of different lengths"),
        ("ward.csv", b"Cardiology;North\n", "lacks 5 of 6 values"),
        ("ward.csv", b"", "or there are none"),
        ("ward.txt", b"\xff\xfe", "the file is not text in UTF-8"),
        ("ward.txt", b"    a\nb\n", "is indented further"),
    ],
)
def test_a_file_that_is_no_tree_of_the_column_is_refused(tree: Tree, name: str, content: bytes, message: str) -> None:
    before = tree.outline()
    tree.page = tree.visitor.post("/tree/5", {"how": "import"}, files={"file": (name, content)})
    assert message in tree.text()
    assert tree.outline() == before
