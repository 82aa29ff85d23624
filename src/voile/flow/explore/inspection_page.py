"""The page of an inspection: column names, counts and statistics, never a cell."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from voile.flow.explore.anonymity import Anonymity
from voile.flow.report.charts import draw_bars, draw_histogram, draw_widths
from voile.flow.report.page_rendering import render
from voile.version import __version__

CAUSED = "share of the uniqueness"


def write_page(content: Mapping[str, Any], counted: str, anonymity: Anonymity | None) -> str:
    """Write the page from the JSON of an inspection; `counted` says whether people are counted or rows."""
    drawn: dict[str, Any] = {}
    if any(content["shares"].values()):
        drawn["shares"] = draw_widths(partial(draw_bars, content["shares"], title=CAUSED))
    bins = content["anonymity"]["histogram"] if content["anonymity"] else []
    if bins:
        drawn["sizes"] = draw_widths(partial(draw_histogram, bins, counted))
    contributions = (content["special_uniques"] or {}).get("contributions", {})
    if any(contributions.values()):
        drawn["contributions"] = draw_widths(partial(draw_bars, contributions, title="share of the scores"))
    diversities = [(item.column, item.kind, item.describe()) for item in anonymity.sensitive] if anonymity else []
    tool = f"voile {__version__}"
    return render(
        "inspection.html", "voile.flow.explore", **content, drawn=drawn, counted=counted, mixed=diversities, tool=tool
    )
