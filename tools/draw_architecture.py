"""Draw the rooms of src/voile from the imports: docs/architecture.svg, and the page docs/architecture.md around it.

    python tools/draw_architecture.py

A room stands above every room that it imports. An arrow that follows from others is not drawn: where `flow` imports
`attacks` and `attacks` imports `methods`, there is no arrow from `flow` to `methods`. Every room may import `errors`
and `version`, so these two are a floor without arrows.
"""

from __future__ import annotations

import ast
import re
import textwrap
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import import_graph

DOCS = Path(__file__).parents[1] / "docs"
FLOOR = ("errors", "version")
BOX = 200, 82  # width and height of a box
GAP = 26, 48  # between boxes of a layer, and between layers
MARGIN = 36
HEADING = 56
LEGEND = "An arrow means “imports”. Arrows that follow from others are left out."
LINE_WIDTH = 30  # characters per line of a description in a box

STYLE = """
  svg { color-scheme: light dark }
  .paper { fill: #ffffff } .heading { fill: #1d2733; font: 600 17px sans-serif }
  .box { fill: #eef3f8; stroke: #5b7a99; stroke-width: 1.2 }
  .floor { fill: #f5f1e6; stroke: #a08d55; stroke-width: 1.2 }
  .name { fill: #14202c; font: 600 15px monospace } .says { fill: #42525f; font: 12px sans-serif }
  .arrow { fill: none; stroke: #7b93aa; stroke-width: 1.3 } .head { fill: #7b93aa }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #12181f } .heading { fill: #e6edf3 }
    .box { fill: #1d2a37; stroke: #6f93b5 } .floor { fill: #2b2718; stroke: #a08d55 }
    .name { fill: #e6edf3 } .says { fill: #a9b7c4 }
    .arrow { stroke: #6b87a1 } .head { fill: #6b87a1 }
  }"""

PAGE = """# Architecture

<!-- tools/draw_architecture.py writes this page and its picture: edit the docstrings of the packages instead. -->

The code is a house of rooms. A room is a folder of `src/voile` (a small one is a single file); the lines below are the
first sentences of their docstrings. Imports point downwards only, between rooms and inside them:
`tests/test_imports.py` fails on a cycle or an upward import, and `tests/test_architecture.py` fails when this page is
out of date. [Decision 16](decisions/0016-rooms.md) says why the rooms are as they are.

## The rooms, from top to bottom

{rooms}

## The verbs inside `flow`

Each verb is a folder. The file of the same name holds the verb; the others are its private steps.

{verbs}

## The picture

![The rooms of voile and their imports](architecture.svg)

An arrow means "imports". Arrows that follow from others are left out. Every room may import `errors` and `version`.

To redraw the picture and this page after a change of imports or docstrings: `python tools/draw_architecture.py`.
"""

Graph = dict[str, set[str]]


class Point(NamedTuple):
    """A place in the picture."""

    x: float
    y: float


def first_sentence(package: str, child: str) -> str:
    """Return the first sentence of the docstring of a room or a verb."""
    folder = import_graph.ROOT.joinpath(*package.split(".")[1:])
    path = folder / child / "__init__.py" if (folder / child).is_dir() else folder / f"{child}.py"
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return re.split(r"(?<=\.)\s", " ".join(text.split()))[0]


def imports_between(package: str) -> Graph:
    """Return which rooms import which others, with a node for every child of the package, isolated ones too."""
    edges = import_graph.between_children().get(package, {})
    children = [child for child in import_graph.ORDERS[package] if child not in FLOOR]
    return {child: {other for other in edges.get(child, ()) if other in children} for child in children}


def without_implied(graph: Graph) -> Graph:
    """Drop every edge that follows from a longer path (the transitive reduction)."""
    reached: Graph = {}

    def reach(node: str) -> set[str]:
        if node not in reached:
            reached[node] = set(graph[node]).union(*(reach(other) for other in graph[node]))
        return reached[node]

    return {
        node: {other for other in targets if not any(other in reach(via) for via in targets - {other})}
        for node, targets in graph.items()
    }


def assign_layers(graph: Graph) -> dict[str, int]:
    """Put every node above what it imports, and as near to its users as possible if few imports hold it down."""
    layers: dict[str, int] = {}

    def lowest(node: str) -> int:
        if node not in layers:
            layers[node] = 1 + max((lowest(other) for other in graph[node]), default=-1)
        return layers[node]

    for node in graph:
        lowest(node)
    users = {node: [other for other in graph if node in graph[other]] for node in graph}
    for node in sorted(graph, key=lambda name: -layers[name]):
        if users[node] and len(users[node]) >= len(graph[node]):
            layers[node] = min(layers[other] for other in users[node]) - 1
    return layers


def order_layers(graph: Graph, layers: dict[str, int]) -> tuple[list[list[str]], dict[tuple[str, str], list[str]]]:
    """Order the nodes within each layer so that few arrows cross: a few sweeps that put each node at the mean place of
    its neighbours. A long arrow gets a bend (a node without a box) in every layer that it crosses."""
    rows: list[list[str]] = [[] for _ in range(max(layers.values()) + 1)]
    for node in graph:
        rows[layers[node]].append(node)
    routes: dict[tuple[str, str], list[str]] = {}
    neighbours: dict[str, list[str]] = {}
    for node in graph:
        for other in sorted(graph[node]):
            bends = [f"{node}>{other}@{layer}" for layer in range(layers[node] - 1, layers[other], -1)]
            for layer, bend in zip(range(layers[node] - 1, layers[other], -1), bends, strict=True):
                rows[layer].append(bend)
            route = [node, *bends, other]
            routes[node, other] = route
            for upper, lower in pairwise(route):
                neighbours.setdefault(upper, []).append(lower)
                neighbours.setdefault(lower, []).append(upper)
    for sweep in range(24):
        places = {node: index / max(len(row) - 1, 1) for row in rows for index, node in enumerate(row)}
        for row in rows if sweep % 2 else reversed(rows):
            means = {
                node: sum(places[other] for other in neighbours.get(node, [node])) / len(neighbours.get(node, [node]))
                for node in row
            }
            row.sort(key=lambda node: means[node])
            places |= {node: index / max(len(row) - 1, 1) for index, node in enumerate(row)}
    return rows, routes


def place_nodes(rows: list[list[str]], width: float, left: float, top: float) -> dict[str, Point]:
    """Return the middle of every node: layers from top to bottom, the nodes of a layer spread over the width."""
    places = {}
    for layer, row in enumerate(reversed(rows)):
        sizes = [BOX[0] if ">" not in node else 14 for node in row]
        gap = min((width - sum(sizes)) / (len(row) + 1), 3 * GAP[0])
        x = left + (width - sum(sizes) - gap * (len(row) - 1)) / 2
        for node, size in zip(row, sizes, strict=True):
            places[node] = Point(x + size / 2, top + layer * (BOX[1] + GAP[1]) + BOX[1] / 2)
            x += size + gap
    return places


def draw_box(name: str, says: str, middle: Point, kind: str = "box", width: float = BOX[0]) -> str:
    """Draw one room: its name, and the first words of its docstring."""
    lines = textwrap.wrap(re.split(r"[:;]", says)[0].rstrip(".").replace("`", ""), int(LINE_WIDTH * width / BOX[0]))
    if len(lines) > 3:
        lines = [*lines[:2], f"{lines[2]} …"]
    left, top = middle.x - width / 2, middle.y - BOX[1] / 2
    parts = [
        f'<g><title>{escape(says)}</title><rect class="{kind}" x="{left:.1f}" y="{top:.1f}" '
        f'width="{width:.1f}" height="{BOX[1]}" rx="7"/>',
        f'<text class="name" text-anchor="middle" x="{middle.x:.1f}" y="{top + 24:.1f}">{escape(name)}</text>',
    ]
    parts += [
        f'<text class="says" text-anchor="middle" x="{middle.x:.1f}" y="{top + 42 + 14 * index:.1f}">'
        f"{escape(line)}</text>"
        for index, line in enumerate(lines)
    ]
    return "".join(parts) + "</g>"


def draw_arrow(points: list[Point]) -> str:
    """Draw one arrow from the bottom of a box to the top of another, through the bends between them."""
    start, end = points[0], points[-1]
    stops = [Point(start.x, start.y + BOX[1] / 2)]
    for bend in points[1:-1]:
        stops += [Point(bend.x, bend.y - BOX[1] / 2), Point(bend.x, bend.y + BOX[1] / 2)]
    stops.append(Point(end.x, end.y - BOX[1] / 2 - 7))
    path = f"M{stops[0].x:.1f},{stops[0].y:.1f}"
    for index in range(1, len(stops)):
        upper, lower = stops[index - 1], stops[index]
        half = (upper.y + lower.y) / 2
        straight = upper.x == lower.x
        path += (
            f"L{lower.x:.1f},{lower.y:.1f}"
            if straight
            else f"C{upper.x:.1f},{half:.1f} {lower.x:.1f},{half:.1f} {lower.x:.1f},{lower.y:.1f}"
        )
    return f'<path class="arrow" marker-end="url(#head)" d="{path}"/>'


def draw_graph(package: str, title: str, left: float, top: float) -> tuple[str, float, float]:
    """Draw the children of a package; return the drawing, its width and its height."""
    graph = without_implied(imports_between(package))
    rows, routes = order_layers(graph, assign_layers(graph))
    width = max(sum(BOX[0] + GAP[0] if ">" not in node else 14 + GAP[0] for node in row) for row in rows)
    places = place_nodes(rows, width, left, top + HEADING)
    parts = [
        f'<text class="heading" x="{left:.1f}" y="{top + 16:.1f}">{escape(title)}</text>',
        f'<text class="says" x="{left:.1f}" y="{top + 34:.1f}">{escape(LEGEND)}</text>',
    ]
    parts += [draw_arrow([places[node] for node in route]) for route in routes.values()]
    parts += [draw_box(node, first_sentence(package, node), places[node]) for node in graph]
    return "\n".join(parts), width, HEADING + len(rows) * (BOX[1] + GAP[1]) - GAP[1]


def draw_picture() -> str:
    """Return the picture as a self-contained SVG."""
    house, house_width, house_height = draw_graph("voile", "The rooms of voile", MARGIN, MARGIN)
    left = MARGIN + house_width + 2 * MARGIN
    verbs, verbs_width, verbs_height = draw_graph("voile.flow", "Inside flow", left, MARGIN)
    width = left + verbs_width + MARGIN
    floor_top = MARGIN + max(house_height, verbs_height) + GAP[1]
    floor_width = (house_width - GAP[0]) / 2
    floor = [
        draw_box(
            name,
            first_sentence("voile", name),
            Point(MARGIN + floor_width / 2 + index * (floor_width + GAP[0]), floor_top + BOX[1] / 2),
            "floor",
            floor_width,
        )
        for index, name in enumerate(FLOOR)
    ]
    height = floor_top + BOX[1] + MARGIN
    head = (
        '<marker id="head" viewBox="0 0 8 8" refX="1" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path class="head" d="M0,0 L8,4 L0,8 z"/></marker>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-label="The rooms of voile and their imports">\n'
        f"<style>{STYLE}\n</style>\n<defs>{head}</defs>\n"
        f'<rect class="paper" width="100%" height="100%"/>\n{house}\n{verbs}\n' + "\n".join(floor) + "\n</svg>\n"
    )


def write_page() -> str:
    """Return the page around the picture: one line per room and per verb."""
    rooms = "\n".join(f"- `{name}`: {first_sentence('voile', name)}" for name in reversed(import_graph.ROOMS))
    verbs = "\n".join(f"- `{name}`: {first_sentence('voile.flow', name)}" for name in import_graph.VERBS)
    return PAGE.format(rooms=rooms, verbs=verbs)


def drawings() -> dict[Path, str]:
    """Return the files that this script writes, and their content."""
    return {DOCS / "architecture.svg": draw_picture(), DOCS / "architecture.md": write_page()}


if __name__ == "__main__":
    for path, text in drawings().items():
        path.write_text(text, encoding="utf-8")
