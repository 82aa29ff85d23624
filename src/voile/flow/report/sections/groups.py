"""How the groups look: their sizes in figures and as a histogram."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from voile.flow.report.charts import bin_sizes, draw_histogram, draw_widths
from voile.flow.report.subject import Subject


def fill(subject: Subject) -> dict[str, Any]:
    return {"groups": describe_groups(subject)}


def describe_groups(subject: Subject) -> dict[str, Any]:
    """Sizes in figures and bins. The tables of a broken release may not even say what is in a group.

    `people` is how many people there are at least. `unit` says what the other figures count (people only where every
    row was found to be one, else rows), how many rows there are, and how many of them a person may have.
    """
    rows, sizes, unit = subject.rows, subject.group_sizes, subject.unit
    counted = {"counts": unit.noun, "total": rows, "words": unit.describe(), **unit.as_json()}
    if rows is None or sizes is None:
        empty = dict.fromkeys(("people", "groups", "smallest", "median", "largest"))
        return {"unit": counted, **empty, "histogram": []}
    filled = len(sizes) > 0
    return {
        "unit": counted,
        "people": unit.fewest_people(rows),
        "groups": len(sizes),
        "smallest": int(sizes.min()) if filled else None,
        "median": float(np.median(sizes)) if filled else None,
        "largest": int(sizes.max()) if filled else None,
        "histogram": bin_sizes(sizes),
    }


def draw(content: Mapping[str, Any]) -> dict[str, Any]:
    bins = content["groups"]["histogram"]
    return {"sizes": draw_widths(partial(draw_histogram, bins, content["groups"]["unit"]["counts"]))} if bins else {}
