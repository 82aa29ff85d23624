"""Step 1: a table, by path, by upload, or the demonstration; and how it stands."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from voile.errors import DataError, SpecError, VoileError
from voile.io.hierarchy_files import hierarchy_file_name
from voile.io.table_files import FILE_KINDS
from voile.web import received_files
from voile.web.access_control import Settings
from voile.web.jobs import wait_for
from voile.web.page_rendering import render_page
from voile.web.visits import Visit

PATIENCE = 4.0  # seconds that a click may take before the page shows progress instead
DEMO = "hospital.parquet"


class Load:
    """The addresses of the step."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    async def show(self, request: Request, visit: Visit) -> Response:
        found = await run_in_threadpool(received_files.list_tables, self.settings.folder)
        shown = await run_in_threadpool(_peek_of, visit) if request.query_params.get("rows") == "show" else None
        folder, most = self.settings.folder.resolve().name, self.settings.limit >> 20
        return render_page("load", visit, found=found[: received_files.SHOWN], folder=folder, most=most, rows=shown)

    async def take(self, request: Request, visit: Visit, form: FormData) -> Response:
        try:
            source = await self._source(visit, form)
        except VoileError as error:
            visit.problems = []
            visit.show_problem(error.as_json())
            return RedirectResponse("/", 303)
        reading = _reading(form)
        columns = [name.strip() for name in str(form.get("columns", "")).replace("\n", ",").split(",") if name.strip()]
        _begin_anew(visit, source, reading)
        job = visit.start_job(
            "inspect", "Looking at the table", {"source": source["path"], "read": reading, "columns": columns}
        )
        await wait_for(job, PATIENCE)
        return RedirectResponse("/", 303)

    async def rows(self, request: Request, visit: Visit, form: FormData) -> Response:
        """The first rows: shown only when asked for, since somebody may look over a shoulder."""
        if visit.inspection is None or visit.worker.busy:
            return RedirectResponse("/", 303)
        hidden = [name for name, role in visit.roles().items() if role == "identifier"]
        usable = [column["name"] for column in visit.inspection["columns"] if column["kind"] != "none"]
        asked = {"source": visit.source["path"], "read": visit.spec.get("read", {}), "names": usable, "hidden": hidden}
        job = await wait_for(visit.start_job("peek", "Reading the first rows", asked), PATIENCE)
        return RedirectResponse("/?rows=show#rows" if job.state == "done" else "/", 303)

    async def _source(self, visit: Visit, form: FormData) -> dict[str, Any]:
        how = form.get("how")
        if how == "demo":
            return {"how": "demo", "name": DEMO, "path": str(await run_in_threadpool(_demo, visit.folder))}
        if how == "upload":
            file = form.get("file")
            if not isinstance(file, UploadFile) or not file.filename:
                raise SpecError("No file was chosen.", code="spec.file", hint="Choose a file first.")
            return {"how": "upload", "name": Path(file.filename).name, "path": str(await _kept(visit, file))}
        text = str(form.get("path", "")).strip()
        if not text:
            raise SpecError("No path was given.", code="spec.file", hint="Choose a file of the list, or type a path.")
        place = received_files.resolve_inside(self.settings.folder, text)
        name = str(place.relative_to(self.settings.folder.resolve()))
        return {"how": "path", "name": name, "path": str(place)}


def _peek_of(visit: Visit) -> dict[str, Any] | None:
    job = visit.worker.job
    return job.result if job is not None and job.task == "peek" and job.state == "done" else None


def _demo(folder: Path) -> Path:
    from voile.datasets import hospital

    hospital().write_parquet(folder / DEMO)
    return folder / DEMO


async def _kept(visit: Visit, file: UploadFile) -> Path:
    """The upload in the private folder, under its own name as far as that is harmless."""
    name = Path(file.filename or "").name
    if Path(name).suffix.lower() not in FILE_KINDS:
        known = ", ".join(sorted(FILE_KINDS))
        raise DataError("This kind of file cannot be read.", code="data.format", hint=f"Known are {known}.")
    place = visit.folder / "upload"
    await run_in_threadpool(shutil.rmtree, place, ignore_errors=True)
    place.mkdir(mode=0o700)
    target = place / hierarchy_file_name(Path(name).stem).removesuffix(".csv")
    target = target.with_name(target.name[:100] + Path(name).suffix.lower())
    with target.open("xb") as out:
        await run_in_threadpool(shutil.copyfileobj, file.file, out)
    return target


def _reading(form: FormData) -> dict[str, Any]:
    found: dict[str, Any] = {}
    sign = {"tab": "\t", "comma": ",", "semicolon": ";", "bar": "|"}.get(str(form.get("delimiter", "")))
    if sign:
        found["delimiter"] = sign
    encoding = str(form.get("encoding", "")).strip()
    if encoding:
        found["encoding"] = encoding
    null = [text.strip() for text in str(form.get("null", "")).split("|") if text.strip()]
    if null:
        found["null_values"] = null
    return found


def _begin_anew(visit: Visit, source: dict[str, Any], reading: dict[str, Any]) -> None:
    visit.source, visit.spec = source, {"read": reading} if reading else {}
    visit.draft = {}
    visit.forget("inspection", "marking", "row_limits", "forecast", "comparison", "closer_look", "publication")
