"""Step 5, for people who receive a release: verify it, count with it, and draw plain tables from it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from voile.errors import SpecError, VoileError
from voile.flow.guide.packing import READ_ME
from voile.io.release_folder import CERTIFICATE
from voile.web import received_files
from voile.web.access_control import Settings
from voile.web.jobs import wait_for
from voile.web.page_rendering import render_page
from voile.web.private_storage import NAME_BYTES, RECEIVED, is_plain_name, shorten_name
from voile.web.steps.load import PATIENCE
from voile.web.steps.publish import REPORT_POLICY
from voile.web.visits import Visit

HOW = {
    "is": "is",
    "least": "is at least",
    "most": "is at most",
    "between": "is between (a|b)",
}
CONDITIONS = 3  # conditions in the form
QUERY = 2_000  # characters of a query
UPLOADED_ZIP = "received.zip"
COMPLETED = "completed"  # where plain tables are stored
GUIDE = "guide"  # where the guide to a received release is stored


class Receive:
    """The addresses of the step."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    async def show(self, request: Request, visit: Visit) -> Response:
        visit.collect_result()
        releases = await run_in_threadpool(received_files.list_releases, self.settings.folder)
        releases = releases[: received_files.SHOWN]
        return render_page("receive", visit, releases=releases, how=HOW, condition_numbers=range(CONDITIONS))

    async def take(self, request: Request, visit: Visit, form: FormData) -> Response:
        try:
            payload = await self._find_release(visit, form)
        except VoileError as error:
            visit.problems = []
            visit.show_problem(error.as_json())
            return RedirectResponse("/receive", 303)
        payload["name"] = shorten_name(payload["name"])
        payload["guide"] = str(await run_in_threadpool(visit.storage.empty, GUIDE) / READ_ME)
        visit.counts = []
        visit.forget("cross_table", "completion")
        await wait_for(visit.start_job("receive", "Verifying the release", payload), PATIENCE)
        return RedirectResponse("/receive#verdict", 303)

    async def _find_release(self, visit: Visit, form: FormData) -> dict[str, Any]:
        how = form.get("how")
        if how == "own" and visit.publication is not None:
            await _replace_received(visit)
            return {"place": visit.publication["asked"]["place"], "name": "The release that you just published"}
        if how == "upload":
            file = form.get("file")
            if not isinstance(file, UploadFile) or not file.filename:
                raise SpecError("No zip was chosen.", code="spec.file", hint="Choose the zip of a release first.")
            place = await _replace_received(visit, [(UPLOADED_ZIP, file)])
            upload = {"zip": str(place / UPLOADED_ZIP), "delete_zip": True, "name": Path(file.filename).name}
            return {**upload, **await _find_room(visit, place)}
        if how == "files":
            return await _save_folder(visit, [file for file in form.getlist("files") if isinstance(file, UploadFile)])
        return await self._find_named_release(visit, str(form.get("path", "")).strip())

    async def _find_named_release(self, visit: Visit, text: str) -> dict[str, Any]:
        if not text:
            raise SpecError("No release was named.", code="spec.file", hint="Choose a folder or a zip.")
        path = received_files.resolve_inside(self.settings.folder, text)
        name = str(path.relative_to(self.settings.folder.resolve()))
        place = await _replace_received(visit)
        if path.suffix.lower() == ".zip":
            return {"zip": str(path), "name": name, **await _find_room(visit, place)}
        return {"place": str(path), "name": name}


async def _save_folder(visit: Visit, files: Sequence[UploadFile]) -> dict[str, Any]:
    """Save the files of an uploaded folder in one folder, under their own names. A guide that lies beside the release
    is left out."""
    paths = [(Path(file.filename or ""), file) for file in files]
    homes = {path.parent for path, _ in paths if path.name == CERTIFICATE}
    beside = [file for path, file in paths if path.name == READ_ME and path.parent not in homes]
    named = [(path.name, file) for path, file in paths if path.name and file not in beside]
    if not named or len({name for name, _ in named}) < len(named):
        raise SpecError("No release folder was chosen.", code="spec.file", hint="Choose the folder of one release.")
    if not all(is_plain_name(name) for name, _ in named):
        hint = f"The names in a release are printable and have at most {NAME_BYTES} bytes."
        raise SpecError("A file in this folder has a name that cannot be used.", code="spec.file", hint=hint)
    place = await _replace_received(visit, named)
    return {"place": str(place), "name": Path(named[0][1].filename or "").parts[0]}


async def _replace_received(visit: Visit, files: Sequence[tuple[str, UploadFile]] = ()) -> Path:
    """Save the files that were received, in place of those that were received before."""
    visit.worker.cancel()  # it may be reading the files that are about to be deleted
    visit.collect_result()
    visit.forget("reception")
    contents = [(name, file.file, file.size or 0) for name, file in files]
    return await run_in_threadpool(visit.storage.replace_files, RECEIVED, contents)


async def _find_room(visit: Visit, place: Path) -> dict[str, Any]:
    """Return where a zip is unpacked, and how many bytes it may have there."""
    return {"place": str(place / "release"), "room": await run_in_threadpool(visit.storage.measure_room)}


async def count(request: Request, visit: Visit, form: FormData) -> Response:
    if visit.reception is None or visit.reception["broken"]:
        return RedirectResponse("/receive", 303)
    sql = str(form.get("sql", "")).strip()
    conditions = [condition for number in range(CONDITIONS) if (condition := _read_condition(form, number))]
    problem = None
    if not sql and not conditions:
        problem = {"message": "There is no condition.", "hint": "Choose a column and give a value.", "code": ""}
    elif max(len(sql), *(len(value) for condition in conditions for value in condition.values()), 0) > QUERY:
        hint = f"Write it in at most {QUERY:,} characters, or ask several questions."
        problem = {"message": "This query is too long.", "hint": hint, "code": ""}
    if problem:
        visit.problems = []
        visit.show_problem(problem)
        return RedirectResponse("/receive#count", 303)
    text = sql or " and ".join(map(_write_condition, conditions))
    query: Any = sql or conditions
    payload = {"place": visit.reception["asked"]["place"], "query": query, "said": text}
    await wait_for(visit.start_job("count", "Counting", payload), PATIENCE)
    return RedirectResponse("/receive#count", 303)


async def cross(request: Request, visit: Visit, form: FormData) -> Response:
    """Count every pair of values of two columns."""
    if visit.reception is None or visit.reception["broken"]:
        return RedirectResponse("/receive", 303)
    visit.forget("cross_table")
    payload = {"place": visit.reception["asked"]["place"]}
    payload |= {name: str(form.get(name, ""))[:QUERY] for name in ("first", "second")}
    await wait_for(visit.start_job("cross", "Counting pairs", payload), PATIENCE)
    return RedirectResponse("/receive#cross", 303)


async def complete(request: Request, visit: Visit, form: FormData) -> Response:
    """Draw plain tables for download."""
    if visit.reception is None or visit.reception["broken"]:
        return RedirectResponse("/receive", 303)
    visit.forget("completion")
    ending = "csv" if form.get("format") == "csv" else "parquet"
    place = await run_in_threadpool(visit.storage.empty, COMPLETED)
    draws = str(form.get("draws", ""))
    payload = {"place": visit.reception["asked"]["place"], "file": str(place / f"completions.{ending}")}
    payload["draws"] = int(draws) if draws.isdigit() and len(draws) < 4 else 0
    await wait_for(visit.start_job("complete", "Drawing plain tables", payload), PATIENCE)
    return RedirectResponse("/receive#complete", 303)


async def show_guide(request: Request, visit: Visit) -> Response:
    """Show the guide to the received release as a page of its own, without scripts."""
    visit.collect_result()
    page = Path((visit.reception or {}).get("asked", {}).get("guide", ""))
    if not page.is_file():
        return RedirectResponse("/receive", 303)
    return FileResponse(page, media_type="text/html", headers={"Content-Security-Policy": REPORT_POLICY})


async def download(request: Request, visit: Visit) -> Response:
    """Download the plain tables."""
    visit.collect_result()
    file = Path((visit.completion or {}).get("asked", {}).get("file", ""))
    if not file.is_file():
        return RedirectResponse("/receive", 303)
    return FileResponse(file, filename=file.name, media_type="application/octet-stream")


def _write_condition(condition: dict[str, str]) -> str:
    """Write a condition in words: `age is between 30 and 40`."""
    values = [value.strip() for value in condition["value"].split("|")]
    if condition["how"] == "between":
        return f"{condition['column']} is between {' and '.join(values)}"
    return f"{condition['column']} {HOW[condition['how']]} {' or '.join(values)}"


def _read_condition(form: FormData, number: int) -> dict[str, str] | None:
    column, how, value = (str(form.get(f"{part}.{number}", "")).strip() for part in ("column", "how", "value"))
    return {"column": column, "how": how, "value": value} if column and value and how in HOW else None
