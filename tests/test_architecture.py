"""The picture of the rooms and its page show the code as it is."""

from __future__ import annotations

from pathlib import Path

import draw_architecture
import import_graph
import pytest


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
