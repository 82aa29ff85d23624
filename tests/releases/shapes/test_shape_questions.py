"""Nobody asks a release for its class: what differs by shape is a method of the shape."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import voile
from voile.releases.release import Release, find_shape

ROOT = Path(voile.__file__).parent
FILES = [path for path in sorted(ROOT.rglob("*.py")) if "releases/shapes/" not in path.as_posix()]
SHAPES = ("generalized", "bucketized", "decomposed", "sampled", "republished")
find_shape(SHAPES[0])  # registers all


def shape_classes(root: type[Release] = Release) -> set[str]:
    """The names of all shapes and of their bases."""
    return {root.__name__, *(name for child in root.__subclasses__() for name in shape_classes(child))}


CLASSES = shape_classes() - {"Release"}


def asked_classes(tree: ast.AST) -> list[int]:
    """The lines that tell shapes apart from outside: by isinstance or issubclass, by type(...), or by name."""
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            kinds = node.args[1:] if node.func.id in ("isinstance", "issubclass") else []
            if any(names_shape(part) for kind in kinds for part in ast.walk(kind)):
                lines.append(node.lineno)
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            compares_type = any(isinstance(side, ast.Call) and getattr(side.func, "id", "") == "type" for side in sides)
            if compares_type and any(names_shape(part) for side in sides for part in ast.walk(side)):
                lines.append(node.lineno)
            of_shape = [side for side in sides if isinstance(side, ast.Attribute) and side.attr == "shape"]
            others = [part for side in sides if side not in of_shape for part in ast.walk(side)]
            if of_shape and (len(of_shape) > 1 or any(is_text(part) for part in others)):
                lines.append(node.lineno)
        elif isinstance(node, ast.MatchClass) and names_shape(node.cls):
            lines.append(node.cls.lineno)
    return lines


def names_shape(node: ast.AST) -> bool:
    """Whether a name or an attribute is that of a shape's class."""
    return getattr(node, "id", getattr(node, "attr", None)) in CLASSES


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_asks_for_the_class_of_a_shape(path: Path) -> None:
    assert not asked_classes(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "line",
    [
        "isinstance(release, Generalized)",
        "isinstance(target, (Bucketized, shapes.Decomposed))",
        "issubclass(shape, BoxShape)",
        "type(release) is Sampled",
        "release.shape == 'generalized'",
        "'sampled' != release.shape",
        "release.shape in ('bucketized', 'decomposed')",
        "release.shape == Generalized.shape",
        "match release:\n    case Republished():\n        pass",
    ],
)
def test_the_scan_finds_what_it_looks_for(line: str) -> None:
    assert len(asked_classes(ast.parse(line))) == 1


@pytest.mark.parametrize(
    "line", ["isinstance(target, Release)", "table.shape == (3, 2)", "release.shape in model.shapes"]
)
def test_the_scan_lets_other_questions_pass(line: str) -> None:
    assert not asked_classes(ast.parse(line))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_known_to_the_scan(shape: str) -> None:
    assert find_shape(shape).__name__ in CLASSES
