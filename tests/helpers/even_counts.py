"""The estimate that measures use: every cell spread evenly over the values that it may stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from voile.releases.queries.query import parse_query
from voile.releases.release import Release


def even_count(
    release: Release, query: str | Mapping[str, Any] | None = None, /, *, weighted: bool | None = None, **where: Any
) -> float:
    """Count the people who satisfy all conditions, as `Release.count` is asked, without completions."""
    return release.answer(release._weigh(parse_query(query, where), weighted))
