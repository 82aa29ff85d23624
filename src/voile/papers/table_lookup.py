"""Answers to claims that are single cells of an item's table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from voile.papers.claim import Answer


def look_up(column: str, **where: Any) -> Callable[[pl.DataFrame], Answer]:
    """Make an answer: the cell of a column in the only row with these values.

    >>> look_up("belief", k=2)(pl.DataFrame({"k": [2, 4], "belief": [0.5, 0.25]}))
    0.5
    """

    def answer(frame: pl.DataFrame) -> Answer:
        cell: Answer = select_rows(frame, **where)[column].item()
        return cell

    return answer


def select_rows(frame: pl.DataFrame, **where: Any) -> pl.DataFrame:
    """Return the rows with these values."""
    return frame.filter(*(pl.col(name) == value for name, value in where.items()))
