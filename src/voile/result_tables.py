"""How results are shown: a short table as text, the same in a notebook, and as a data frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

WIDEST = 60  # characters of a cell in the text
LARGE = 10_000  # from here on, nobody reads the decimals of a number


class ResultTable:
    """A result that is a table of a few rows. A class says what the rows are, in `_list_rows`, and may put a sentence
    above them, in `_write_caption`."""

    def _list_rows(self) -> list[dict[str, Any]]:
        """Return one mapping from heading to value per row."""
        raise NotImplementedError  # pragma: no cover - every result defines it

    def _write_caption(self) -> str:
        """Return the sentence above the table."""
        return repr(self)

    def __str__(self) -> str:
        return "\n".join([self._write_caption(), *write_lines(self._list_rows())])

    def _repr_html_(self) -> str:
        return write_html(self._write_caption(), self._list_rows())

    def to_polars(self) -> pl.DataFrame:
        """Return the table as a polars data frame."""
        import polars as pl

        return pl.DataFrame(self._list_rows(), infer_schema_length=None)

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a pandas data frame; pandas must be installed."""
        import pandas as pd

        return pd.DataFrame(self._list_rows())


def write_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Write rows as aligned lines under their headings.

    >>> print(*write_lines([{"attack": "linking", "worst": 0.2}, {"attack": "prior", "worst": None}]), sep="\\n")
    attack   worst
    linking    0.2
    prior
    """
    if not rows:
        return []
    heads = list(rows[0])
    cells = [heads, *([_write_cell(row[head]) for head in heads] for row in rows)]
    numeric = [all(isinstance(row[head], (int, float, type(None))) for row in rows) for head in heads]
    widths = [max(len(line[column]) for line in cells) for column in range(len(heads))]
    return [
        "  ".join(
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in cells
    ]


def write_html(caption: str, rows: Sequence[dict[str, Any]]) -> str:
    """Write rows as an HTML table for a notebook, which wraps long cells; everything is escaped."""
    import html

    if not rows:
        return f"<p>{html.escape(caption)}</p>"
    heads = "".join(f"<th>{html.escape(head)}</th>" for head in rows[0])
    lines = "".join(
        "<tr>" + "".join(f"<td>{html.escape(_write_value(value))}</td>" for value in row.values()) + "</tr>"
        for row in rows
    )
    return (
        f"<table><caption>{html.escape(caption)}</caption><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"
    )


def _write_cell(value: Any) -> str:
    text = _write_value(value)
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


def _write_value(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < LARGE else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
