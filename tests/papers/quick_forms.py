"""The quick form of a paper, whole, and the verdicts of the committed gallery beside its own."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from voile.papers.gallery import read_claims
from voile.papers.paper import papers
from voile.papers.reproduce import reproduce

COMMITTED = Path(__file__).parents[2] / "docs" / "reproduction"
ADULT = Path(__file__).parents[3] / "shared" / "data" / "adult.csv"


def reproduce_quickly(paper: str, out: Path) -> dict[str, pl.DataFrame]:
    """Compute every item of a paper in the quick form; those that need the Adult table only where it is at hand."""
    at_hand = [item for item in papers()[paper].items if item.table != "adult" or ADULT.is_file()]
    needs_adult = any(item.table == "adult" for item in at_hand)
    names = [item.name for item in at_hand]
    return reproduce(paper, names, out=out, data=ADULT if needs_adult else None, quick=True)


def list_changed_verdicts(paper: str, out: Path) -> list[str]:
    """List the claims whose verdict in a quick form is not the committed one; a quick form must have some claims."""
    by = ["item", "where", "says"]
    ours, committed = (read_claims(place).filter(pl.col("paper") == paper) for place in (out, COMMITTED))
    assert ours.height
    both = ours.join(committed.select(*by, committed="verdict"), on=by, how="left", maintain_order="left")
    changed = both.filter(pl.col("verdict").ne_missing(pl.col("committed")))
    return [f"{row['item']}, {row['says']}: {row['verdict']}, was {row['committed']}" for row in changed.to_dicts()]
