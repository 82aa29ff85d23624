"""Honest folders of every shape are not found fault with, on any engine."""

from __future__ import annotations

from pathlib import Path

import pytest

import voile as vl
from forging.asking import ask
from forging.forgery import Forgery
from forging.honest_folders import ANSWERS


@pytest.mark.parametrize("name", ANSWERS)
def test_an_honest_folder_holds_or_needs_more(name: str, honest_folders: dict[str, Path]) -> None:
    assert ask(honest_folders[name]) == ANSWERS[name]
    if name.endswith(".parquet"):
        assert ask(honest_folders[name], vl.Disk()) == ANSWERS[name]


@pytest.mark.parametrize("name", ANSWERS)
def test_a_copy_without_changes_is_as_good(name: str, honest_folders: dict[str, Path], tmp_path: Path) -> None:
    """Else the other tests would find faults that they did not make."""
    Forgery(honest_folders[name]).write(tmp_path / "copy")
    assert ask(tmp_path / "copy") == ANSWERS[name]


@pytest.mark.parametrize("name", ANSWERS)
def test_the_order_of_rows_does_not_matter(name: str, honest_folders: dict[str, Path], tmp_path: Path) -> None:
    forgery = Forgery(honest_folders[name])
    for table in forgery.table_names:
        forgery.edit(table, lambda rows: rows.sample(fraction=1, shuffle=True, seed=1))
    forgery.write(tmp_path / "shuffled")
    assert ask(tmp_path / "shuffled") == ANSWERS[name]
