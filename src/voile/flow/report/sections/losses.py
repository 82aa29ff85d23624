"""What analysts lose: every measure with its parts, and one chart of the loss by column."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from voile.flow.report.charts import draw_bars, draw_widths
from voile.flow.report.subject import Subject


def fill(subject: Subject) -> dict[str, Any]:
    return {"losses": [item.as_json() for item in subject.losses.items] if subject.losses is not None else None}


def draw(content: Mapping[str, Any]) -> dict[str, Any]:
    """Bars for the first measure whose parts are columns."""
    columns = {column["name"] for column in content["columns"]}
    shown = next((item for item in content["losses"] or [] if has_column_parts(item["parts"], columns)), None)
    if shown is None:
        return {}
    losses = {name: loss or 0.0 for name, loss in shown["parts"].items()}
    return {"bars": draw_widths(partial(draw_bars, losses)), "bars_of": shown["measure"]}


def has_column_parts(parts: Mapping[str, float | None], columns: Collection[str]) -> bool:
    """Whether the parts of a loss are several columns, each between 0 and 1."""
    fit = all(name in columns and 0 <= (loss or 0.0) <= 1 for name, loss in parts.items())
    return fit and len(parts) > 1
