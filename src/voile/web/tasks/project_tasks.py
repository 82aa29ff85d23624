"""Tasks of a project: look at a table again as far as it was asked about, and record what was published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from voile.errors import VoileError
from voile.flow.project.project import Project
from voile.web.tasks.history_tasks import describe_history, open_earlier
from voile.web.tasks.session_data import Payload, Progress
from voile.web.tasks.table_tasks import inspect, mark, promise


def reopen(payload: Payload, progress: Progress) -> dict[str, Any]:
    """Look at a table as it was left: the table itself, its earlier releases, its roles, its promise. What fails ends
    it there, and is said."""
    found: dict[str, Any] = {"inspection": payload.get("inspection")}
    try:
        _look_again(payload, progress, found)
    except VoileError as error:
        if found["inspection"] is None:
            raise
        found["problem"] = {**error.as_json(), "kind": type(error).__name__}
    return found


def _look_again(payload: Payload, progress: Progress, found: dict[str, Any]) -> None:
    project, spec = payload["project"], payload["spec"]
    if payload.get("check"):
        progress(0, 5, "Checking that the table is the one that the project knows")
        Project.open(project["name"], project["home"]).check_table(project["table"])
    if found["inspection"] is None:
        progress(1, 5, "Looking at the table")
        asked = {key: spec.get(key, {}) for key in ("read", "prepare")}
        asked |= {"source": payload["source"], "columns": payload.get("columns", [])}
        found["inspection"] = {**inspect(asked, _silent), "asked": asked}
    read = {**found["inspection"]["reading"]["spec"], **spec.get("read", {})}
    progress(2, 5, "Verifying the earlier releases")
    earlier = list_project_history(project)
    found["earlier"] = earlier
    after = [release["place"] for release in earlier["releases"]] if earlier else []
    history: dict[str, Any] = {"after": after} if after else {}
    history |= {"ledger": earlier["ledger"]["path"]} if earlier and earlier["ledger"] else {}
    asked = {**payload, **history, "spec": {**spec, **({"read": read} if read else {})}}
    if spec.get("schema"):
        progress(3, 5, "Reading the marked columns")
        found["marking"] = mark({**asked, "repeats": found["inspection"]["repeats"]}, _silent)
    if spec.get("schema") and spec.get("policy"):
        progress(4, 5, "Checking what can be kept")
        found["forecast"] = promise(asked, _silent)


class _Silent:
    """A progress that is not shown: the task around it shows its own."""

    def __call__(self, done: int, total: int, what: str) -> None: ...

    def share(self, partial: Any) -> None: ...


_silent = _Silent()


def record(payload: Payload, folder: Path, ledger: Path | None) -> dict[str, Any]:
    """Record a release that was written to a folder, with copies of it and of its ledger, for the next release."""
    place = payload["project"]
    project = Project.open(place["name"], place["home"])
    kept = project.keep_release(folder, ledger, place["table"], earlier=place["earlier"])
    where = kept.folder / kept.find_table(place["table"]).releases[-1].folder
    history = list_project_history(place)
    return {"before": project.revision, "folder": str(where.parent), "history": history}


def keep_earlier(payload: Payload, progress: Progress) -> dict[str, Any]:
    """Open the earlier releases that were sent, and keep copies of them in the project, with their ledger."""
    opened, place = open_earlier(payload, progress), payload["project"]
    project = kept = Project.open(place["name"], place["home"])
    for number, release in enumerate(opened["releases"], 1):
        ledger = opened["ledger"] if number == len(opened["releases"]) else None
        sent = Path(ledger["path"]) if ledger else None
        kept = kept.keep_release(release["place"], sent, place["table"], earlier=number - 1)
    history = list_project_history(place)
    return {**opened, "recorded": {"before": project.revision, "folder": str(kept.folder), "history": history}}


def list_project_history(place: Payload) -> dict[str, Any] | None:
    """Verify the earlier releases that a project knows of a table, and describe them and their ledger."""
    project = Project.open(place["name"], place["home"])
    table, history = project.find_table(place["table"]), project.list_history(place["table"])
    if not history["after"] and not history["ledger"]:
        return None
    names = [f"release {number} of {release.on}" for number, release in enumerate(table.releases, 1)]
    entries = [{"place": folder, "name": name} for folder, name in zip(history["after"], names, strict=True)]
    return describe_history(entries, history["ledger"])
