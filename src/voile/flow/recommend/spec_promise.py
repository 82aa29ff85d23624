"""The promise of a first spec.toml: a recommendation by the columns of an inspection whose role is clear."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from voile.errors import SpecError
from voile.flow.explore.inspection import Inspection
from voile.flow.read.read import read
from voile.flow.recommend.audiences import find_audience
from voile.flow.recommend.recommend import recommend
from voile.flow.recommend.recommendation import Recommendation
from voile.tables.schema import Schema


def recommend_draft(source: Any, inspection: Inspection, audience: str, reading: Mapping[str, Any]) -> Recommendation:
    """Recommend a promise for a table that was inspected, with the suggested roles; undecided columns are left out."""
    find_audience(audience)
    roles, person = inspection.roles(), inspection.suggested_person
    if not roles["quasi"]:
        raise SpecError(
            "No column is suggested as known to others, so there is nothing to recommend a promise by.",
            code="spec.audience",
            hint="Write the file without an audience, decide the roles, and ask for a recommendation then.",
        )
    named: dict[str, Any] = {role: [name for name in names if name != person] for role, names in roles.items()}
    whole: dict[str, Any] = {"person": person} if person else {"rows_are": "people"} if inspection.repeats else {}
    return recommend(read(source, Schema(**named, **whole, missing="value"), **reading), audience)
