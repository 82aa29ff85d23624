"""Part of step 1: the earlier releases of the people in the table, and the ledger that was kept with them."""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from voile.errors import SpecError, VoileError
from voile.web.forms import read_index
from voile.web.jobs import wait_for
from voile.web.private_storage import EARLIER, shorten_name
from voile.web.steps.load import PATIENCE
from voile.web.visits import Visit

MOST_RELEASES = 100
BACK = "/#earlier"


async def change(request: Request, visit: Visit, form: FormData) -> Response:
    """Add or remove earlier releases or their ledger. All of them are verified together after each change; what does
    not fit changes nothing."""
    if visit.inspection is None:
        return RedirectResponse("/", 303)
    visit.worker.cancel()  # it may be reading the files that are about to be deleted
    visit.collect_result()
    try:
        await run_in_threadpool(_sweep, visit)
        payload = await _read_change(visit, form)
    except VoileError as error:
        visit.problems = []
        visit.show_problem(error.as_json())
        return RedirectResponse(BACK, 303)
    if not payload["releases"] and not payload.get("ledger"):
        visit.problems = []
        visit.forget("earlier", "comparison", "closer_look", "preview", "publication")
        await run_in_threadpool(visit.storage.empty, EARLIER)
        return RedirectResponse(BACK, 303)
    payload |= visit.name_project()
    task = "keep_earlier" if "project" in payload else "open_earlier"
    await wait_for(visit.start_job(task, "Verifying the earlier releases", payload), PATIENCE)
    visit.collect_result()
    return RedirectResponse(BACK, 303)


def _sweep(visit: Visit) -> None:
    """Delete files of a change that was cancelled."""
    held = visit.list_earlier()
    held_paths = {*held.get("after", ()), held.get("ledger")}
    for path in visit.storage.find_place(EARLIER).iterdir():
        if str(path) not in held_paths:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


async def _read_change(visit: Visit, form: FormData) -> dict[str, Any]:
    """Read the form: the releases and the ledger as they would be after the change."""
    now = visit.earlier or {"releases": [], "ledger": None}
    releases = [{"place": entry["place"], "name": entry["name"]} for entry in now["releases"]]
    payload: dict[str, Any] = {"releases": releases} | {k: v for k, v in visit.list_earlier().items() if k == "ledger"}
    how = form.get("how")
    if visit.project is not None and (how != "add" or releases):
        message = "The earlier releases and their ledger belong to the project."
        hint = "Take its last release back if nobody has received it."
        raise SpecError(message, code="spec.form", hint=hint)
    if how == "clear":
        return {"releases": []}
    if how == "forget-ledger":
        return {"releases": releases, "taken_out": [payload["ledger"]] if "ledger" in payload else []}
    if how == "remove":
        number = read_index(form.get("number"), len(releases))
        if number is None:
            raise SpecError("There is no such release.", code="spec.form", hint="Reload the page.")
        return {**payload, "taken_out": [releases.pop(number)["place"]]}
    if how == "start-ledger":
        if releases:
            raise SpecError(
                "A ledger starts with the first release.",
                code="spec.ledger",
                hint="Choose the ledger that was kept with the earlier releases, or publish without one.",
            )
        path = str(visit.storage.find_place(EARLIER) / _name_ledger())
        return {"releases": [], "ledger": path, "start_ledger": True, "sent": [path]}
    return await _save_uploads(visit, form, payload)


def _name_ledger() -> str:
    """Make a new name for the file of a ledger, so that it is never taken for another one."""
    return f"ledger-{secrets.token_hex(8)}.json"


async def _save_uploads(visit: Visit, form: FormData, payload: dict[str, Any]) -> dict[str, Any]:
    """Store what was sent beside what is there: zips of later releases, or a ledger, or both."""
    zips = [file for file in form.getlist("releases") if isinstance(file, UploadFile) and file.filename]
    ledgers = [file for file in form.getlist("ledger") if isinstance(file, UploadFile) and file.filename]
    if not zips and not ledgers:
        raise SpecError("No file was chosen.", code="spec.file", hint="Choose the zips, or the ledger, first.")
    if len(payload["releases"]) + len(zips) > MOST_RELEASES or len(ledgers) > 1:
        hint = "Publish longer series at the command line."
        message = f"There may be {MOST_RELEASES} earlier releases and one ledger."
        raise SpecError(message, code="spec.file", hint=hint)
    named = [(f"{secrets.token_hex(8)}.zip", file) for file in zips]
    named += [(_name_ledger(), file) for file in ledgers]
    contents = [(name, file.file, file.size or 0) for name, file in named]
    place = await run_in_threadpool(visit.storage.add_files, EARLIER, contents)
    paths = [place / name for name, _ in named]
    added = [
        {"zip": str(path), "place": str(path.with_suffix("")), "name": shorten_name(Path(file.filename or "").name)}
        for path, file in zip(paths, zips, strict=False)
    ]
    sent = [str(path) for path in paths] + [entry["place"] for entry in added]
    change = {**payload, "releases": [*payload["releases"], *added], "sent": sent}
    if ledgers:
        change["taken_out"] = [payload["ledger"]] if "ledger" in payload else []
        change["ledger"] = str(paths[-1])
    return {**change, "room": await run_in_threadpool(visit.storage.measure_room)}
