"""What the labels of a hierarchy mean to somebody who has never seen the table.

A published label must not need the table's own values to explain it. Below a label of the user's own file lie the
leaves that the file lists, whether they occur or not; the beginning of a code states its characters; a period or a
range states its ends (label_ends.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from voile.releases.cells.label_ends import Ends
from voile.tables.value_text import format_value, parse_values

CHARACTERS = 10  # estimates take a character that is not shown as one of this many


def declared_ends(leaves: Sequence[str], dtype: pl.DataType) -> Ends | None:
    """Return the least and the greatest of declared leaves, as far as they are values of this type."""
    listed = pl.DataFrame({"text": pl.Series(leaves, dtype=pl.String)})
    listed = listed.with_columns(value=parse_values(listed["text"], dtype)).drop_nulls("value").sort("value")
    return (listed["text"][0], listed["text"][-1]) if listed.height else None


def declared_values(leaves: Iterable[str], dtype: pl.DataType) -> list[str]:
    """Return the declared leaves that are values of this type, as such values are written."""
    texts = list(dict.fromkeys(leaves))
    if dtype == pl.String or isinstance(dtype, pl.Enum):
        return texts
    values = parse_values(pl.Series(texts, dtype=pl.String), dtype)
    return [
        text for text, value in zip(texts, values, strict=True) if value is not None and format_value(value) == text
    ]


def is_prefix(label: str) -> bool:
    """Whether a label can be the beginning of a code, with a star for each further character."""
    return len(label) > 1 and label.endswith("*")


def match_prefix(label: str, texts: Iterable[str]) -> list[int]:
    """Return the positions of the texts that begin as the label says, and are as long as it is.

    >>> match_prefix("12**", ["1234", "12*", "1300", "12**"])
    [0, 3]
    """
    beginning = label.rstrip("*")
    return [place for place, text in enumerate(texts) if len(text) == len(label) and text.startswith(beginning)]


def prefix_share(label: str, texts: Iterable[str]) -> float:
    """Return the share of a label's codes that is among these texts, every hidden character taken as one of ten."""
    hidden = len(label) - len(label.rstrip("*"))
    return min(len(match_prefix(label, set(texts))) / float(CHARACTERS) ** hidden, 1.0)
