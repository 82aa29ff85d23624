"""The house keeps its order: small files, small folders, small contracts, and a test folder for every room."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from pathlib import Path

import pytest

import voile
from voile.flow.publish import publish as publish_file
from voile.methods.base import Method
from voile.models.base import Model

SOURCE = Path(voile.__file__).parent
TESTS = Path(__file__).parent


def python_files(root: Path) -> list[Path]:
    """List the Python files below a folder; there must be some."""
    paths = sorted(path for path in root.rglob("*.py") if "__pycache__" not in path.parts)
    assert paths
    return paths


def longer_than(root: Path, limit: int, exempt: Path | None = None) -> dict[str, int]:
    """Count the lines of files that have more than `limit`, except those in an exempt folder."""
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in python_files(root)}
    return {
        str(path.relative_to(root)): length
        for path, length in lengths.items()
        if length > limit and (exempt is None or exempt not in path.parents)
    }


def test_files_of_the_package_fit_in_a_head() -> None:
    assert longer_than(SOURCE, 300) == {}


def test_files_of_tests_fit_in_a_head() -> None:
    assert longer_than(TESTS, 400, exempt=TESTS / "oracle") == {}


@pytest.mark.parametrize("root", [SOURCE, TESTS], ids=["src", "tests"])
def test_folders_are_no_drawers(root: Path) -> None:
    """At most 16 Python files at one level, without __init__; the pins are lists of cases, one file per kind."""
    files = [path for path in python_files(root) if path.name != "__init__.py" and path.parent.name != "pinned"]
    sizes = Counter(path.parent for path in files)
    crowded = {str(folder.relative_to(root)): size for folder, size in sizes.items() if size > 16}
    assert crowded == {}


def public_verbs(contract: type) -> list[str]:
    """List the public methods that a class defines itself, without those of its mixins."""
    return [
        name
        for name, member in vars(contract).items()
        if not name.startswith("_") and inspect.isfunction(inspect.unwrap(getattr(member, "__func__", member)))
    ]


@pytest.mark.parametrize(("contract", "limit"), [(Method, 6), (Model, 9)])
def test_contracts_have_few_verbs(contract: type, limit: int) -> None:
    verbs = public_verbs(contract)
    assert verbs, "a contract without verbs"
    assert len(verbs) <= limit, verbs


def test_publish_reads_at_a_glance() -> None:
    tree = ast.parse(inspect.getsource(publish_file.publish))
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    statements = [node for node in ast.walk(function) if isinstance(node, ast.stmt) and node is not function]
    assert 1 < len(statements) <= 18


def test_tests_mirror_the_package() -> None:
    """Every folder of the package has tests of its own."""
    folders = {path.parent.relative_to(SOURCE) for path in python_files(SOURCE)} - {Path(".")}
    assert folders
    missing = sorted(str(folder) for folder in folders if not has_tests(folder))
    assert missing == []


def has_tests(folder: Path) -> bool:
    """Whether tests/ has a folder of this name, or a test file for it (`tests/a/test_b.py` for `a/b/`)."""
    mirrored = TESTS / folder
    return mirrored.is_dir() or mirrored.with_name(f"test_{mirrored.name}.py").is_file()
