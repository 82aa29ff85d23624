"""The picture of the rooms and its page show the code as it is."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import draw_architecture
import import_graph
import pytest

RULE = (draw_architecture.DOCS / "the_rule.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", draw_architecture.drawings(), ids=lambda path: path.name)
def test_the_drawing_is_current(path: Path) -> None:
    drawn = draw_architecture.drawings()[path]
    assert path.read_text(encoding="utf-8") == drawn, "redraw it: python tools/draw_architecture.py"


def test_every_room_and_verb_is_drawn() -> None:
    picture = draw_architecture.draw_picture()
    for name in (*import_graph.ROOMS, *import_graph.VERBS):
        assert f">{name}</text>" in picture


def test_arrows_point_downwards() -> None:
    for package in import_graph.ORDERS:
        graph = draw_architecture.without_implied(draw_architecture.imports_between(package))
        layers = draw_architecture.assign_layers(graph)
        assert all(layers[node] > layers[other] for node, others in graph.items() for other in others)


def test_only_implied_arrows_are_left_out() -> None:
    full = {"a": {"b", "c"}, "b": {"c"}, "c": set()}
    assert draw_architecture.without_implied(full) == {"a": {"b"}, "b": {"c"}, "c": set()}


def test_the_tree_of_the_rule_is_the_tree() -> None:
    block = RULE.split("```text\nsrc/voile/\n")[1].split("```")[0]
    named = {line.split()[0].rstrip("/").removesuffix(".py") for line in block.splitlines()}
    assert named == {*import_graph.ROOMS, "__init__"}


def test_the_steps_of_the_rule_are_the_statements_of_publish() -> None:
    """Each row of the table is a statement of `publish`, and names the file that defines what it calls."""
    rows = [line.strip("|").split("|") for line in RULE.split("| step |")[1].split("\n\n")[0].splitlines()[2:]]
    for (step, _, place, _), statement in zip(rows, statements_of_publish(), strict=True):
        files = re.findall(r"`(.+?)`", place)
        folder = import_graph.ROOT / Path(files[0]).parent
        source = "".join((folder / Path(name).name).read_text(encoding="utf-8") for name in files)
        for name in re.findall(r"`(.+?)`", step):
            assert name in statement
            assert f"def {name.split('.')[-1]}(" in source, f"{name} is not in {place}"


def statements_of_publish() -> list[str]:
    """The statements of `publish` between its docstring and its return."""
    path = import_graph.ROOT / "flow" / "publish" / "publish.py"
    functions = [node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)]
    return [ast.unparse(node) for node in functions[0].body if isinstance(node, ast.Assign | ast.Expr)][1:]


HOUSE = Path(draw_architecture.DOCS).parent
CURRENT = [  # a decision is a record of its time, except for the two about the code as it is now
    HOUSE / "README.md",
    HOUSE / "CONTRIBUTING.md",
    *(page for page in sorted(draw_architecture.DOCS.rglob("*.md")) if not re.match(r"00(0|1[0-5])", page.name)),
]


@pytest.mark.parametrize("page", CURRENT, ids=lambda page: page.name)
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    named = set(re.findall(r"`((?:[\w.]+/)+[\w.]*)`", page.read_text(encoding="utf-8")))
    folders = {*import_graph.ROOMS, "src", "tests", "tools", "docs", "bench"}
    ours = {name for name in named if name.split("/")[0] in folders}
    missing = [name for name in sorted(ours) if not any((root / name).exists() for root in (HOUSE, import_graph.ROOT))]
    assert missing == []
