"""The table of the open project: load it, switch to another one, and look at it again as it was left."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from voile.errors import VoileError
from voile.web.jobs import Job, wait_for
from voile.web.private_storage import EARLIER, PUBLISHED, TRIALS
from voile.web.visits import Visit

LOOKING = 8.0  # seconds until the page shows progress instead: several results are read together
RESULTS = ("earlier", "marking", "row_limits", "forecast", "comparison", "closer_look", "preview", "publication")


async def load_table(
    visit: Visit, form: FormData, source: dict[str, Any], asked: dict[str, Any], columns: list[str]
) -> None:
    """Add a table that was chosen to the project, or name the file of one of its tables anew: then roles, promise and
    releases stay. An upload is kept as a file only if the form says so."""
    assert visit.project is not None
    known = {table.name: table for table in visit.project.tables}
    name = str(form.get("table")) if form.get("table") in known else source["name"]
    earlier = known.get(name)
    keep: Literal["path", "copy", "fingerprint"] = "path" if source["how"] == "path" else "fingerprint"
    if source["how"] == "demo" or (source["how"] == "upload" and form.get("keep")):
        keep = "copy"
    spec = {part: content for part, content in asked.items() if content}
    if earlier is not None:
        held = visit.project.read_spec(name)
        spec = {**held, **{part: {**held.get(part, {}), **content} for part, content in spec.items()}}
    project = await run_in_threadpool(visit.project.add_table, source["path"], spec, name, keep)
    visit.project, table = project, project.find_table()
    visit.source = {**source, "table": name}
    job = take_up(visit, columns=columns)
    if earlier is not None and earlier.fingerprint not in ("", table.fingerprint):
        message = f"The file of {name!r} is another one than before."
        visit.show_problem({"message": message, "hint": "Its roles, promise and releases stay.", "code": "note"})
    if job is not None:
        await wait_for(job, LOOKING)


def take_up(visit: Visit, *, check: bool = False, columns: list[str] | None = None) -> Job | None:
    """Take up the current table of the project as it was left: what is asked of it, and a job that looks at it again.
    None if the table has no file here."""
    assert visit.project is not None
    visit.worker.cancel()
    visit.collect_result()  # otherwise a result about another table might be stored later
    for kind in (TRIALS, PUBLISHED, EARLIER):
        visit.storage.empty(kind)
    before = visit.source, visit.spec.get("read", {}), visit.spec.get("prepare", {})
    inspection = visit.inspection
    visit.forget("inspection", *RESULTS)
    visit.draft, visit.trees, visit.unsaved, visit.has_found = {}, {}, None, False
    visit.source, visit.spec = {}, {}
    if not visit.project.tables:
        return None
    table = visit.project.find_table()
    try:
        visit.spec = visit.project.read_spec()
    except VoileError as error:
        visit.show_problem(error.as_json())
        return None
    visit.source = _find_source(visit, before[0])
    if not visit.source:
        return None
    same = (visit.source, visit.spec.get("read", {}), visit.spec.get("prepare", {})) == before
    more = {"inspection": inspection} if same and not check else {}
    payload = visit.payload(check=check and bool(table.path), columns=columns or [], **more)
    return visit.start_job("reopen", f"Opening {table.name}", payload)


def _find_source(visit: Visit, before: dict[str, Any]) -> dict[str, Any]:
    """Return the file of the current table; nothing if it was neither kept nor sent in this visit."""
    assert visit.project is not None
    table = visit.project.find_table()
    if not table.path:
        is_here = before.get("table") == table.name and Path(before["path"]).is_file()
        return before if is_here else {}
    how = "path" if Path(table.path).is_absolute() else "kept"
    return {"how": how, "name": table.name, "path": str(visit.project.find_file()), "table": table.name}


def find_step(visit: Visit) -> str:
    """Return the address of the step at which a table was left."""
    if visit.inspection is None or not visit.spec.get("schema"):
        return "/"
    if not visit.marking or not visit.spec.get("policy"):
        return "/mark" if not visit.marking else "/promise"
    return "/compare" if not visit.spec.get("method") else "/publish"
