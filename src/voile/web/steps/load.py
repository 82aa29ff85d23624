"""Step 1: load a table by path, by upload or the demo table, and show how many people stand out."""

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

PATIENCE = 4.0  # seconds that a click may take before the page shows a progress bar
DEMO = "hospital.parquet"


class Load:
    """The addresses of the step."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    async def show(self, request: Request, visit: Visit) -> Response:
        tables = await run_in_threadpool(received_files.list_tables, self.settings.folder)
        rows = await run_in_threadpool(_first_rows, visit) if request.query_params.get("rows") == "show" else None
        folder, megabytes = self.settings.folder.resolve().name, self.settings.limit >> 20
        tables = tables[: received_files.SHOWN]
        return render_page("load", visit, tables=tables, folder=folder, megabytes=megabytes, rows=rows)

    async def take(self, request: Request, visit: Visit, form: FormData) -> Response:
        try:
            source = await self._find_source(visit, form)
        except VoileError as error:
            visit.problems = []
            visit.show_problem(error.as_json())
            return RedirectResponse("/", 303)
        reading = _read_options(form)
        columns = [name.strip() for name in str(form.get("columns", "")).replace("\n", ",").split(",") if name.strip()]
        _start_over(visit, source, reading)
        job = visit.start_job(
            "inspect", "Looking at the table", {"source": source["path"], "read": reading, "columns": columns}
        )
        await wait_for(job, PATIENCE)
        return RedirectResponse("/", 303)

    async def rows(self, request: Request, visit: Visit, form: FormData) -> Response:
        """Show the first rows, only on request, since somebody may be looking over the visitor's shoulder."""
        if visit.inspection is None or visit.worker.busy:
            return RedirectResponse("/", 303)
        hidden = [name for name, role in visit.roles().items() if role == "identifier"]
        usable = [column["name"] for column in visit.inspection["columns"] if column["kind"] != "none"]
        payload = {
            "source": visit.source["path"],
            "read": visit.spec.get("read", {}),
            "names": usable,
            "hidden": hidden,
        }
        job = await wait_for(visit.start_job("peek", "Reading the first rows", payload), PATIENCE)
        return RedirectResponse("/?rows=show#rows" if job.state == "done" else "/", 303)

    async def _find_source(self, visit: Visit, form: FormData) -> dict[str, Any]:
        how = form.get("how")
        if how == "demo":
            return {"how": "demo", "name": DEMO, "path": str(await run_in_threadpool(_write_demo, visit.folder))}
        if how == "upload":
            file = form.get("file")
            if not isinstance(file, UploadFile) or not file.filename:
                raise SpecError("No file was chosen.", code="spec.file", hint="Choose a file first.")
            return {"how": "upload", "name": Path(file.filename).name, "path": str(await _save_upload(visit, file))}
        text = str(form.get("path", "")).strip()
        if not text:
            raise SpecError("No path was given.", code="spec.file", hint="Choose a file from the list, or type a path.")
        path = received_files.resolve_inside(self.settings.folder, text)
        name = str(path.relative_to(self.settings.folder.resolve()))
        return {"how": "path", "name": name, "path": str(path)}


def _first_rows(visit: Visit) -> dict[str, Any] | None:
    job = visit.worker.job
    return job.result if job is not None and job.task == "peek" and job.state == "done" else None


def _write_demo(folder: Path) -> Path:
    from voile.datasets import hospital

    hospital().write_parquet(folder / DEMO)
    return folder / DEMO


async def _save_upload(visit: Visit, file: UploadFile) -> Path:
    """Save an upload in the private folder, under its own name as far as that is safe."""
    name = Path(file.filename or "").name
    if Path(name).suffix.lower() not in FILE_KINDS:
        extensions = ", ".join(sorted(FILE_KINDS))
        raise DataError(
            "This kind of file cannot be read.", code="data.format", hint=f"It must end in one of {extensions}."
        )
    folder = visit.folder / "upload"
    await run_in_threadpool(shutil.rmtree, folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    target = folder / hierarchy_file_name(Path(name).stem).removesuffix(".csv")
    target = target.with_name(target.name[:100] + Path(name).suffix.lower())
    with target.open("xb") as out:
        await run_in_threadpool(shutil.copyfileobj, file.file, out)
    return target


def _read_options(form: FormData) -> dict[str, Any]:
    options: dict[str, Any] = {}
    delimiter = {"tab": "\t", "comma": ",", "semicolon": ";", "bar": "|"}.get(str(form.get("delimiter", "")))
    if delimiter:
        options["delimiter"] = delimiter
    encoding = str(form.get("encoding", "")).strip()
    if encoding:
        options["encoding"] = encoding
    null = [text.strip() for text in str(form.get("null", "")).split("|") if text.strip()]
    if null:
        options["null_values"] = null
    return options


def _start_over(visit: Visit, source: dict[str, Any], reading: dict[str, Any]) -> None:
    visit.source, visit.spec = source, {"read": reading} if reading else {}
    visit.draft = {}
    visit.forget("inspection", "marking", "row_limits", "forecast", "comparison", "closer_look", "publication")
