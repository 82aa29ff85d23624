"""Imports point downwards, and heavy libraries are loaded late."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import import_graph
import pytest

import voile

ROOT = Path(voile.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
CHILDREN = import_graph.between_children()  # reads every file, so once


def test_every_room_and_verb_has_its_place() -> None:
    assert not import_graph.unlisted_children(), "say in tools/import_graph.py where it stands"


def test_imports_point_downwards() -> None:
    assert not import_graph.upward_edges()


@pytest.mark.parametrize("package", sorted(CHILDREN))
def test_no_folder_has_a_cycle(package: str) -> None:
    assert not import_graph.find_cycle(CHILDREN[package])


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_are_absolute(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        assert not (isinstance(node, ast.ImportFrom) and node.level), f"line {node.lineno} is a relative import"


def test_only_users_of_the_package_import_it_whole() -> None:
    whole = {name for name, found in import_graph.imports().items() if "voile" in found}
    assert {name for name in whole if not name.startswith("voile.testing.")} == {"voile.cli.commands.demo"}


def test_the_graph_sees_types_and_late_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text("def f():\n    from voile.b import x\n")
    (tmp_path / "b.py").write_text("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from voile.a import f\n")
    monkeypatch.setattr(import_graph, "ROOT", tmp_path)
    assert import_graph.find_cycle(import_graph.between_children()["voile"])
    monkeypatch.setattr(import_graph, "ORDERS", {"voile": ("a", "b")})
    assert import_graph.upward_edges() == ["voile.a imports voile.b"]


def words(path: Path) -> str:
    """Return the text below the docstring of a file; the docstring may mention what the file avoids."""
    lines = path.read_text().splitlines()
    first = ast.parse("\n".join(lines)).body[0]
    assert isinstance(first, ast.Expr)
    return "\n".join(lines[first.end_lineno :]).lower()


@pytest.mark.parametrize("path", sorted((ROOT / "engines").rglob("*.py")), ids=lambda path: path.name)
def test_engines_know_no_word_of_privacy(path: Path) -> None:
    text = "\n".join(line for line in words(path).splitlines() if "import" not in line)
    for word in ("privacy", "private", "anonym", "divers", "adversar", "attack", "secret", "promise", "disclos"):
        assert word not in text, word
    # an attribute of the columns tells which ones to tally; the word occurs nowhere else
    assert text.count("sensitive") == text.count("columns.sensitive")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_is_printed(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("print", "breakpoint", "exec", "eval"), f"line {node.lineno}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text())), "no docstring"


HEAVY = {
    "numba",
    "polars",
    "scipy",
    "pyarrow",
    "pandas",
    "altair",
    "vl_convert",
    "duckdb",
    "sklearn",
    "pyspark",
    "starlette",
    "uvicorn",
    "jinja2",
}
RUN = "import sys; sys.argv = {}\nfrom voile.cli import main\ntry: main()\nexcept SystemExit: pass"
LIGHT = {
    "import": "import voile",
    "names": "import voile; voile.Adversary, voile.__all__, dir(voile)",
    "help": RUN.format(["voile", "--help"]),
    "help of a verb": RUN.format(["voile", "publish", "--help"]),
}


@pytest.mark.parametrize("what", LIGHT)
def test_heavy_libraries_are_loaded_late(what: str) -> None:
    shown = "import sys; sys.stderr.write(' '.join(sorted({name.split('.')[0] for name in sys.modules})))"
    code = f"{LIGHT[what]}\n{shown}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stderr.split())


def test_public_objects_do_not_load_the_compiler() -> None:
    code = (
        "import sys, voile as vl\n"
        "vl.Schema(quasi=['a']), vl.Policy(vl.KAnonymity(k=2)), vl.Mondrian(), vl.read, vl.publish, vl.verify\n"
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_small_tables_are_published_and_verified_without_heavy_libraries(tmp_path: Path) -> None:
    rows = "".join(f"{20 + i % 40},{'mf'[i % 2]},{'abc'[i % 3]}\n" for i in range(300))
    (tmp_path / "people.csv").write_text(f"age,sex,disease\n{rows}")
    flags = ["--quasi", "age,sex", "--sensitive", "disease", "--model", "k-anonymity:k=5"]
    publish = ["voile", "publish", str(tmp_path / "people.csv"), "--out", str(tmp_path / "out"), *flags]
    for command in (publish, ["voile", "verify", str(tmp_path / "out")]):
        code = f"{RUN.format(command)}\nsys.stderr.write(' '.join(sorted({{m.split('.')[0] for m in sys.modules}})))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert not (HEAVY - {"polars", "pyarrow"}) & set(done.stderr.split())
    assert "HOLDS" in done.stdout
