"""Where the classes of an open family are defined, read from the source files without importing them."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

NAMED = re.compile(r"^    name\b[^\n]*=", re.MULTILINE)


def class_homes(family: str) -> dict[str, str]:
    """Return the module of every class that the files of a family's folder define and register, by class name.

    >>> class_homes("models")["LDiversity"]
    'voile.models.l_diversity'
    """
    package = importlib.import_module(f"voile.{family}")
    return _scan_folders(package.__name__, tuple(package.__path__))


@cache
def _scan_folders(package: str, folders: tuple[str, ...]) -> dict[str, str]:
    homes = {}
    for folder in map(Path, folders):
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            homes.update(dict.fromkeys(_named_classes(path), ".".join((package, *parts))))
    return homes


def _named_classes(path: Path) -> Iterator[str]:
    """Yield the classes of a file that have a `name` of their own: those are the classes that register themselves."""
    source = path.read_text(encoding="utf-8")
    if not NAMED.search(source):  # parsing all files would take a tenth of a second
        return
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and any(_is_name(statement) for statement in node.body):
            yield node.name


def _is_name(statement: ast.stmt) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    text = getattr(statement, "value", None)
    return (
        any(isinstance(target, ast.Name) and target.id == "name" for target in targets)
        and isinstance(text, ast.Constant)
        and bool(text.value)
    )
