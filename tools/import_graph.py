"""The import graph of src/voile, read from the source: imports inside functions and for types alone count too."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "voile"

# From the bottom to the top: a room imports from rooms before it, never from rooms after it.
ROOMS = (
    "version", "errors", "result_tables", "kernels", "io", "plugins", "tables", "engines", "adversaries", "results",
    "releases", "models", "methods", "attacks", "mining", "measures", "datasets", "extend", "flow", "papers",
    "testing", "web", "cli", "__main__",
)  # fmt: skip
VERBS = (
    "request",
    "project",
    "prepare",
    "read",
    "checking",
    "publish",
    "verify",
    "audit",
    "measure",
    "report",
    "guide",
    "compare",
    "explore",
    "recommend",
    "preview",
    "pool",
)
ORDERS = {"voile": ROOMS, "voile.flow": VERBS}


def modules() -> dict[str, Path]:
    """Find every module by its dotted name; a package stands for its __init__ file."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = ("voile", *path.relative_to(ROOT).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imports() -> dict[str, set[str]]:
    """Find the modules of voile that each module imports."""
    known = modules()
    edges: dict[str, set[str]] = {name: set() for name in known}
    for name, path in known.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "voile":
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    edges[name].add(inner if inner in known else node.module)
            elif isinstance(node, ast.Import):
                edges[name] |= {alias.name for alias in node.names if alias.name.split(".")[0] == "voile"}
    # the public names are looked up by name when they are asked for: the package itself is above everything
    return {name: found - {name} for name, found in edges.items() if name != "voile"}


def between_children() -> dict[str, dict[str, set[str]]]:
    """For every package, which of its direct children import which others."""
    folders: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for name, targets in imports().items():
        for target in targets - {"voile"}:
            one, other = name.split("."), target.split(".")
            shared = 0
            while shared < min(len(one), len(other)) and one[shared] == other[shared]:
                shared += 1
            package = ".".join(one[:shared])
            mine = one[shared] if shared < len(one) else "__init__"
            theirs = other[shared] if shared < len(other) else "__init__"
            folders[package][mine].add(theirs)
    return {package: dict(children) for package, children in folders.items()}


def find_cycle(graph: dict[str, set[str]]) -> list[str]:
    """Find some cycle of a graph; an empty list where there is none."""
    state: dict[str, int] = {}

    def visit(node: str, path: list[str]) -> list[str]:
        state[node] = 1
        for target in sorted(graph.get(node, ())):
            if state.get(target) == 1:
                return [*path[path.index(target) :], target]
            if target not in state:
                found = visit(target, [*path, target])
                if found:
                    return found
        state[node] = 2
        return []

    for node in sorted(graph):
        if node not in state:
            found = visit(node, [node])
            if found:
                return found
    return []


def upward_edges() -> list[str]:
    """List imports that point upwards in the order of the rooms or of the verbs."""
    found = []
    for package, order in ORDERS.items():
        for name, targets in between_children().get(package, {}).items():
            for target in targets:
                if name in order and target in order and order.index(target) > order.index(name):
                    found.append(f"{package}.{name} imports {package}.{target}")
    return sorted(found)


def unlisted_children() -> list[str]:
    """List children of an ordered package whose place is not said."""
    found = []
    for package, order in ORDERS.items():
        folder = ROOT.joinpath(*package.split(".")[1:])
        children = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
        found += [f"{package}.{child}" for child in sorted(children - {"__init__"} - set(order))]
    return found
