"""Figures: the same numbers give the same text, panels share a legend, and what cannot be shown leaves a gap."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import polars as pl
import pytest

from voile.flow.report.figure_axes import fit_axis
from voile.flow.report.figures import COLOURS, SHAPES, Figure, draw_figure, draw_panels

FRAME = pl.DataFrame(
    [
        {"m": m, "q": q, "method": name, "y": None if name == "B" and q == 4 else q * m / 10, "low": 0.1, "high": 2.0}
        for m in (1, 2)
        for q in (3, 4, 5)
        for name in ("A", "B & C")
    ]
)
FIGURE = Figure("q", "y", "method", "QID size", "error", letter="a", where={"m": 1})


def test_panels_have_letters_and_one_legend() -> None:
    panels = [FIGURE, replace(FIGURE, letter="b", title="with m = 2", where={"m": 2}, bound=0.5, bound_title="theorem")]
    text = draw_panels(FRAME, "Title", panels)
    assert text == draw_panels(FRAME.sample(fraction=1, shuffle=True, seed=1).sort("method", "m", "q"), "Title", panels)
    ElementTree.fromstring(text)
    assert text.count(">A<") == text.count(">B &amp; C<") == text.count(">theorem<") == 1
    assert "(a) error" in text
    assert "(b) with m = 2" in text
    assert "prefers-color-scheme:dark" in text
    assert COLOURS[0] in text
    assert COLOURS[1] in text
    assert COLOURS[2] not in text


def test_a_missing_value_breaks_the_line() -> None:
    frame = FRAME.filter(m=1, method="A").with_columns(pl.when(pl.col("q") == 4).then(None).otherwise("y").alias("y"))
    path = re.search(r'<path d="([^"]*)" fill="none" stroke="#0072b2"', draw_panels(frame, "", [FIGURE]))
    assert path is not None
    assert path[1].count("M") == 2


def test_bands_and_bounds_from_columns() -> None:
    text = draw_figure(FRAME.filter(m=1), "Bands", replace(FIGURE, low="low", high="high", bound="high"))
    assert 'fill-opacity=".15"' in text
    assert '<path class="b" d="M12.0' in text
    assert ">2<" in text  # the axis shows the whole band


def test_texts_on_the_axis_are_marked_and_not_joined() -> None:
    frame = pl.DataFrame({"city": ["Bern", "Basel"], "y": [0.5, 0.7]})
    text = draw_figure(frame, "Cities", Figure("city", "y"))
    assert ">Bern<" in text
    assert text.count(f'd="{SHAPES[0]}"') == 2
    assert 'stroke-width="1.8"' not in text


@pytest.mark.parametrize(
    ("values", "more", "marks"),
    [
        ([0.03, 0.83], {"zero": True}, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        ([0.17, 0.22], {"zero": True, "ticks": (0.15, 0.2, 0.25)}, [0.15, 0.2, 0.25]),
        ([0.02, 300], {"zero": True, "log": True}, [0.01, 0.1, 1, 10, 100, 1000]),
        ([0, 3, 40], {"zero": True, "log": True}, [2, 5, 10, 20, 50]),
        ([5, 5], {"zero": False}, [4.4, 4.6, 4.8, 5, 5.2, 5.4, 5.6]),
        ([], {"zero": True}, [0, 0.2, 0.4, 0.6, 0.8, 1]),
    ],
)
def test_the_marks_of_an_axis(values: list[float], more: dict[str, object], marks: list[float]) -> None:
    axis = fit_axis(values, 0, 100, **more)  # type: ignore[arg-type]
    assert [mark for mark, _ in axis.marks] == marks
    assert all(-1e-9 <= axis.place(value) <= 100 + 1e-9 for value in values if axis.can_show(value))
