"""Imports point one way, and heavy libraries are loaded late."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import voile

ROOT = Path(voile.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))

# what each part may import from voile; what is not listed here may not exist
ALLOWED = {
    "errors": set(),
    "version": set(),
    "kernels": {"kernels"},
    "io": {"io", "errors"},
    "datasets": {"datasets", "errors"},
    "core": {"core", "kernels", "io", "errors", "version"},
    "models": {"models", "core", "kernels", "errors"},
    "methods": {"methods", "models", "core", "kernels", "errors"},
    "attacks": {"attacks", "models", "core", "kernels", "errors"},
    "mining": {"mining", "core", "kernels", "errors"},
    "measures": {"measures", "mining", "models", "core", "kernels", "errors"},
    "papers": {"papers", "methods", "attacks", "measures", "mining", "models", "core", "kernels", "datasets", "errors"},
    "adversaries": {"core"},
    "engines": {"engines", "core", "kernels", "errors"},
    "flow": {"flow", "methods", "attacks", "measures", "engines", "models", "core", "io", "errors", "version"},
    "web": {"web", "flow", "core", "io", "errors", "version", "datasets"},
    "testing": {"testing", "flow", "methods", "attacks", "measures", "engines", "models", "core", "errors", "datasets"},
    "cli": {"cli", "flow", "core", "io", "terminal", "errors", "version", "web"},
    "terminal": {"core"},
    "__main__": {"cli"},
}
# the package itself maps public names to their homes; the demonstration uses it as a user does
WHOLE_PACKAGE = {ROOT / "cli" / "demo.py", ROOT / "testing.py"}


def part(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path: Path) -> list[tuple[int, str]]:
    """(line, module) of every import of voile, also inside functions, not those for types alone."""
    found = []
    tree = ast.parse(path.read_text())
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names if alias.name.split(".")[0] == "voile"]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno} is a relative import"
            if node.module == "voile":
                found += [(node.lineno, f"voile.{alias.name}") for alias in node.names]
            elif node.module and node.module.startswith("voile."):
                found.append((node.lineno, node.module))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way(path: Path) -> None:
    if path == ROOT / "__init__.py":
        return
    assert part(path) in ALLOWED, "a new part: say in this test what it may import"
    for line, module in imports(path):
        if module == "voile":
            assert path in WHOLE_PACKAGE, f"line {line} imports the whole package"
            continue
        target = module.split(".")[1]
        assert target in ALLOWED[part(path)], f"line {line} imports {module}"


def test_the_order_has_no_circle() -> None:
    order: list[str] = []
    left = {name: needs - {name} for name, needs in ALLOWED.items()}
    while left:
        ready = [name for name, needs in left.items() if not needs - set(order)]
        assert ready, f"a circle among {sorted(left)}"
        order += ready
        left = {name: needs for name, needs in left.items() if name not in order}
    assert order.index("kernels") < order.index("core") < order.index("models") < order.index("methods")
    assert order.index("methods") < order.index("flow") < order.index("cli")


def words(path: Path) -> str:
    """The text below the docstring of the file, which may say what is not in it."""
    lines = path.read_text().splitlines()
    first = ast.parse("\n".join(lines)).body[0]
    assert isinstance(first, ast.Expr)
    return "\n".join(lines[first.end_lineno :]).lower()


@pytest.mark.parametrize("path", sorted((ROOT / "engines").glob("*.py")), ids=lambda path: path.name)
def test_engines_know_no_word_of_privacy(path: Path) -> None:
    text = words(path)
    for word in ("privacy", "private", "anonym", "divers", "adversar", "attack", "secret", "promise", "disclos"):
        assert word not in text, word
    # which columns to tally is told by an attribute of the columns; the word stands nowhere else
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
