"""Methods tried, one of them looked at, and the folder written."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from voile.attacks.base import Attack
from voile.flow.audit.audit import audit
from voile.flow.compare.compare import compare as comparing
from voile.flow.compare.comparison import Comparison
from voile.flow.compare.comparison_charts import draw_frontier
from voile.flow.explore.distributions import beside, distributions
from voile.flow.measure.measure import measure
from voile.flow.report import charts
from voile.flow.report.report import report
from voile.flow.verify.verify import verify
from voile.io import release_folder
from voile.measures.base import Measure
from voile.methods.base import Method
from voile.plugins.registry import build_plugin
from voile.tables.secret_key import Key
from voile.web.tasks.session_data import Payload, Tell, data_of, memory, release_of, request_of


def compare(payload: Payload, tell: Tell) -> dict[str, Any]:
    data, asked = data_of(payload), request_of(payload)
    chosen: dict[str, list[Any] | None] = {}
    for family in ("methods", "attacks", "measures"):
        listed = payload.get(family)
        chosen[family] = [build_plugin(family, one["name"], _knobs(one)) for one in listed] if listed else None
    found = comparing(
        data,
        asked.policy,
        cast("list[Method] | None", chosen["methods"]),
        cast("list[Attack] | None", chosen["attacks"]),
        cast("list[Measure] | None", chosen["measures"]),
        adversary=payload.get("adversary") or None,
        progress=tell,
        so_far=lambda comparison: tell.found(_drawn(comparison)),
        key=Key(bytes.fromhex(payload["key"])),
        store=payload["store"],
        by=payload.get("by") or None,
    )
    return _drawn(found)


def _drawn(found: Comparison) -> dict[str, Any]:
    drawn = charts.draw_widths(lambda width: draw_frontier(found, width)) if found.frontier() else None
    return {**found.as_json(), "frontier_chart": drawn}


def _knobs(told: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in told.items() if key != "name"}


def look(payload: Payload, tell: Tell) -> dict[str, Any]:
    """One method in detail: what attacks reach before and after, and each column before and after."""
    data, release = data_of(payload), release_of(payload, tell)
    tell(2, 4, "Attacking it")
    found = audit(release, data)
    tell(3, 4, "Drawing the columns before and after")
    drawn = [
        {"column": one.column, "role": one.role, "moved": one.moved, "chart": beside(one)}
        for one in distributions(data, release)
    ]
    memory.audit = found
    return {**report(release, found).as_json(), "distributions": drawn}


def publish(payload: Payload, tell: Tell) -> dict[str, Any]:
    """Write the release and its report, verify what was written, and pack it."""
    data, release = data_of(payload), release_of(payload, tell)
    place, packed = Path(payload["place"]), Path(payload["zip"])
    if memory.audit is None:
        tell(1, 5, "Attacking it, for the report")
        memory.audit = audit(release, data)
    tell(2, 5, "Measuring what is lost, for the report")
    losses = measure(data, release)
    tell(3, 5, "Writing the folder")
    release.save(place, format=payload["format"], force=bool(payload.get("force")))
    tell(4, 5, "Verifying what was written")
    verdict = verify(place, prior=request_of(payload).policy.learn(data.columns, data.rows).priors())
    page = report(release, memory.audit, losses, verdict)
    page.save(payload["page"])
    listed = [*release_folder.read_documents(place).certificate["files"], release_folder.CERTIFICATE]
    if payload["with_report"]:
        page.save(place / release_folder.REPORTS[0])
        listed += release_folder.REPORTS
    _pack(packed, place, sorted(listed), payload["name"])
    withheld = int(release.dictionary.get("withheld", 0))
    facts = {"people": release.people, "groups": release.groups, "withheld": withheld, "dropped": data.dropped}
    return {**facts, "verdict": verdict.as_json(), "files": sorted(listed), "bytes": packed.stat().st_size}


def _pack(packed: Path, place: Path, listed: Sequence[str], name: str) -> None:
    """Only what was published: whatever else lies in the folder, perhaps the table itself, stays there."""
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in listed:
            # a fixed date: when a file was made tells nothing
            entry = zipfile.ZipInfo(f"{name}/{file}", (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            with (place / file).open("rb") as source, archive.open(entry, "w") as target:
                shutil.copyfileobj(source, target)
