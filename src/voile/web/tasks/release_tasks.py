"""Tasks about a release: compare the methods, look closely at one of them, write the folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from voile.adversaries.private_file import PrivateFile
from voile.attacks.base import Attack
from voile.errors import FIXED_BEFOREHAND
from voile.flow.audit.audit import audit
from voile.flow.compare.compare import compare as compare_methods
from voile.flow.compare.comparison import Comparison
from voile.flow.compare.comparison_charts import draw_frontier
from voile.flow.explore.distributions import distributions, draw_distribution
from voile.flow.guide.packing import READ_ME, list_published, pack
from voile.flow.measure.measure import measure
from voile.flow.prepare.safe_harbor import EDITION, write_checklist
from voile.flow.preview.preview import preview as preview_release
from voile.flow.report import charts
from voile.flow.report.report import report
from voile.flow.verify.verify import verify
from voile.measures.base import Measure
from voile.methods.base import Method
from voile.models.r_robustness import describe_own_exceptions
from voile.plugins.registry import build_plugin
from voile.tables.secret_key import Key
from voile.web.tasks.project_tasks import record
from voile.web.tasks.session_data import (
    Payload,
    Progress,
    learn_priors,
    make_release,
    memory,
    open_history,
    read_data,
    read_task_request,
)


def compare(payload: Payload, progress: Progress) -> dict[str, Any]:
    """Try the methods; share each trial as soon as it finishes."""
    data, request = read_data(payload), read_task_request(payload)
    plugins: dict[str, list[Any] | None] = {}
    for family in ("methods", "attacks", "measures"):
        entries = payload.get(family)
        plugins[family] = [build_plugin(family, entry["name"], _knobs(entry)) for entry in entries] if entries else None
    comparison = compare_methods(
        data,
        request.policy,
        cast("list[Method] | None", plugins["methods"]),
        cast("list[Attack] | None", plugins["attacks"]),
        cast("list[Measure] | None", plugins["measures"]),
        adversary=payload.get("adversary") or None,
        progress=progress,
        so_far=lambda partial: progress.share(_add_chart(partial)),
        key=Key(bytes.fromhex(payload["key"])),
        store=payload["store"],
        by=payload.get("by") or None,
        allow_lost=bool(payload.get("allow_lost")),
        after=open_history(payload).releases,
        ledger=open_history(payload).ledger,
    )
    return _add_chart(comparison)


def _add_chart(comparison: Comparison) -> dict[str, Any]:
    chart = charts.draw_widths(lambda width: draw_frontier(comparison, width)) if comparison.frontier() else None
    return {**comparison.as_json(), "frontier_chart": chart}


def _knobs(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != "name"}


def look(payload: Payload, progress: Progress) -> dict[str, Any]:
    """Look at one method in detail: the success of attacks, and each column, before and after publishing."""
    data, release = read_data(payload), make_release(payload, progress)
    progress(2, 4, "Attacking the release")
    _attack_release(payload)
    progress(3, 4, "Drawing the columns before and after")
    columns = [
        {
            "column": item.column,
            "role": item.role,
            "moved": item.moved,
            "lost": item.lost,
            "chart": draw_distribution(item),
        }
        for item in distributions(data, release)
    ]
    verdict = verify(release, after=open_history(payload).releases, ledger=memory.ledger)
    return {**report(release, memory.audit, verdict=verdict).as_json(), "distributions": columns}


def preview(payload: Payload, progress: Progress) -> dict[str, Any]:
    """Show what the release would show, beside rows of the table: the release that is published afterwards."""
    data, release = read_data(payload), make_release(payload, progress)
    progress(3, 4, "Putting rows side by side")
    shown = preview_release(data, release, key=memory.key)
    charts_by_column = [draw_distribution(item) for item in shown.distributions]
    return {**shown.as_json(), "charts": charts_by_column}


def _attack_release(payload: Payload) -> None:
    """Attack the release in memory, together with the earlier ones."""
    assert memory.release is not None
    after = open_history(payload).releases
    memory.audit = audit(memory.release, read_data(payload), after=after, ledger=memory.ledger)


def publish(payload: Payload, progress: Progress) -> dict[str, Any]:
    """Write the release, verify the written folder, and zip it. The report is written elsewhere: it holds statistics of
    the original table, and recipients need none of it."""
    data, release = read_data(payload), make_release(payload, progress)
    folder, archive = Path(payload["place"]), Path(payload["zip"])
    if memory.audit is None:
        progress(1, 5, "Attacking the release for the report")
        _attack_release(payload)
    progress(2, 5, "Measuring the loss for the report")
    losses = measure(data, release)
    progress(3, 5, "Writing the folder")
    ends = read_task_request(payload).ends
    release.save(folder, format=payload["format"], force=bool(payload.get("force")), ends=ends)
    progress(4, 5, "Verifying the folder")
    assert memory.key is not None
    kept = PrivateFile(release.digest, memory.key, learn_priors(payload)).save(payload["private"])
    verdict = verify(folder, private=kept, after=open_history(payload).releases, ledger=memory.ledger)
    if memory.ledger is not None:
        memory.ledger.save(payload["new_ledger"])
    page = report(release, memory.audit, losses, verdict, **payload.get("decision", {}))
    page.save(payload["page"])
    pack(folder, archive, name=payload["name"], force=True)
    withheld = int(release.dictionary.get("withheld", 0))
    facts: dict[str, Any] = {
        "people": release.people,
        "groups": release.groups,
        "withheld": withheld,
        "dropped": data.dropped,
    }
    facts |= {"left_out": data.count_left_out(), "counted": verdict.unit.count(release.people)}
    facts |= {"after": len(payload.get("after", ())), "ledger": _count_ledger()}
    facts |= {**release.counted, "exceptions": describe_own_exceptions(release)}
    rules = payload["spec"].get("prepare", {}).get("safe_harbor", {})
    facts |= {"checklist": write_checklist(rules) if rules else [], "edition": EDITION}
    if payload.get("project"):
        ledger = Path(payload["new_ledger"]) if memory.ledger is not None else None
        facts["recorded"] = record(payload, folder, ledger)
    facts["note"] = FIXED_BEFOREHAND if release.certificate.names_algorithm else ""
    return {
        **facts,
        "verdict": verdict.as_json(),
        "files": list_published(folder),
        "guide": READ_ME,
        "bytes": archive.stat().st_size,
    }


def _count_ledger() -> int | None:
    """Count the people whom the ledger lists, if there is one."""
    return None if memory.ledger is None else len(memory.ledger.people)
