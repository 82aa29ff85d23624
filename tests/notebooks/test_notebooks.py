"""The notebooks of the documentation run in Jupyter, and show what is committed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
import run_notebooks

NOTEBOOKS = sorted(run_notebooks.NOTEBOOKS.glob("*.ipynb"))


def test_there_are_three_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["analyst", "hospital", "survey"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_shows_what_is_committed(path: Path) -> None:
    """If what is shown has changed on purpose: `python tools/run_notebooks.py`."""
    committed = nbformat.read(path, as_version=4)
    cells = run_notebooks.run_notebook(path).cells
    shown = [(cell.source, list_texts(cell)) for cell in cells]
    assert any(texts for _, texts in shown)
    assert shown == [(cell.source, list_texts(cell)) for cell in committed.cells]


def list_texts(cell: Any) -> list[dict[str, str]]:
    """List what a cell shows, of every kind; text cells show nothing."""
    return [dict(output.get("data") or {"text": output.text}) for output in cell.get("outputs", [])]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_site_leads_to_every_notebook(path: Path) -> None:
    assert f"notebooks/{path.stem}" in (path.parents[1] / "index.md").read_text(encoding="utf-8")
