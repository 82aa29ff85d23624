"""Step 5, for people who receive a release: verify it, and run COUNT queries on it."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from voile.errors import SpecError, VoileError
from voile.web import received_files
from voile.web.access_control import Settings
from voile.web.jobs import wait_for
from voile.web.page_rendering import render_page
from voile.web.steps.load import PATIENCE
from voile.web.visits import Visit

HOW = {
    "is": "is",
    "least": "is at least",
    "most": "is at most",
    "between": "is between (a|b)",
}
CONDITIONS = 3  # conditions in the form


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
        visit.forget("reception")
        visit.counts = []
        await wait_for(visit.start_job("receive", "Verifying the release", payload), PATIENCE)
        return RedirectResponse("/receive#verdict", 303)

    async def _find_release(self, visit: Visit, form: FormData) -> dict[str, Any]:
        how = form.get("how")
        if how == "own" and visit.publication is not None:
            return {"place": visit.publication["asked"]["place"], "name": "The release that you just published"}
        if how == "upload":
            file = form.get("file")
            if not isinstance(file, UploadFile) or not file.filename:
                raise SpecError("No zip was chosen.", code="spec.file", hint="Choose the zip of a release first.")
            archive = visit.folder / f"{secrets.token_hex(8)}.zip"
            with archive.open("xb") as out:
                await run_in_threadpool(shutil.copyfileobj, file.file, out)
            return {"zip": str(archive), "place": str(visit.folder / secrets.token_hex(8)), "name": file.filename}
        if how == "files":
            return await _save_files(visit, [file for file in form.getlist("files") if isinstance(file, UploadFile)])
        text = str(form.get("path", "")).strip()
        if not text:
            raise SpecError("No release was named.", code="spec.file", hint="Choose a folder or a zip.")
        path = received_files.resolve_inside(self.settings.folder, text)
        name = str(path.relative_to(self.settings.folder.resolve()))
        if path.suffix.lower() == ".zip":
            return {"zip": str(path), "place": str(visit.folder / secrets.token_hex(8)), "name": name}
        return {"place": str(path), "name": name}


async def _save_files(visit: Visit, files: Sequence[UploadFile]) -> dict[str, Any]:
    """Save the files of an uploaded folder in one folder, under their own names."""
    names = [Path(file.filename or "").name for file in files]
    if not any(names) or len(set(names)) < len(names):
        raise SpecError("No release folder was chosen.", code="spec.file", hint="Choose the folder of one release.")
    folder = visit.folder / secrets.token_hex(8)
    folder.mkdir(mode=0o700)
    for name, file in zip(names, files, strict=True):
        if name not in ("", ".", ".."):
            with (folder / name).open("xb") as out:
                await run_in_threadpool(shutil.copyfileobj, file.file, out)
    return {"place": str(folder), "name": Path(files[0].filename or "").parts[0]}


async def count(request: Request, visit: Visit, form: FormData) -> Response:
    if visit.reception is None or visit.reception["broken"]:
        return RedirectResponse("/receive", 303)
    sql = str(form.get("sql", "")).strip()
    conditions = [condition for number in range(CONDITIONS) if (condition := _read_condition(form, number))]
    if not sql and not conditions:
        visit.problems = []
        visit.show_problem(
            {"message": "There is no condition.", "hint": "Choose a column and give a value.", "code": ""}
        )
        return RedirectResponse("/receive#count", 303)
    text = sql or " and ".join(f"{item['column']} {HOW[item['how']]} {item['value']}" for item in conditions)
    query: Any = sql or conditions
    payload = {"place": visit.reception["asked"]["place"], "query": query, "said": text}
    await wait_for(visit.start_job("count", "Counting", payload), PATIENCE)
    return RedirectResponse("/receive#count", 303)


def _read_condition(form: FormData, number: int) -> dict[str, str] | None:
    column, how, value = (str(form.get(f"{part}.{number}", "")).strip() for part in ("column", "how", "value"))
    return {"column": column, "how": how, "value": value} if column and value and how in HOW else None
