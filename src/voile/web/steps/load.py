"""Step 1: load a table by path, by upload or the demo table, and show how many people stand out."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from voile.errors import DataError, SpecError, VoileError
from voile.flow.project.project import Project
from voile.io.table_files import FILE_KINDS
from voile.tables.schema import ROLES
from voile.web import received_files
from voile.web.access_control import Settings
from voile.web.form_labels import LABELS
from voile.web.jobs import wait_for
from voile.web.page_rendering import render_page
from voile.web.private_storage import EARLIER, PUBLISHED, TABLE, TRIALS, PrivateStorage, is_plain_name, shorten_name
from voile.web.steps.project_table import find_step, load_table
from voile.web.steps.wishes import read_pairs, read_preparation
from voile.web.visits import Visit

PATIENCE = 4.0  # seconds that a click may take before the page shows a progress bar
DEMO = "hospital.parquet"


class Load:
    """The addresses of the step."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    async def show(self, request: Request, visit: Visit) -> Response:
        if visit.returning and not visit.worker.busy:
            visit.returning = False
            if (step := find_step(visit)) != "/":
                return RedirectResponse(step, 303)
        tables = await run_in_threadpool(received_files.list_tables, self.settings.folder)
        rows = await run_in_threadpool(_first_rows, visit) if request.query_params.get("rows") == "show" else None
        folder, megabytes = self.settings.folder.resolve().name, self.settings.limit >> 20
        tables = tables[: received_files.SHOWN]
        projects = await run_in_threadpool(Project.list_names, self.settings.projects) if not visit.project else []
        shown = {"tables": tables, "folder": folder, "megabytes": megabytes, "rows": rows, "projects": projects}
        return render_page("load", visit, **shown)

    async def take(self, request: Request, visit: Visit, form: FormData) -> Response:
        try:
            reading, preparation = _read_options(form), read_preparation(form)
            source = await self._find_source(visit, form)
        except VoileError as error:
            visit.problems = []
            visit.show_problem(error.as_json())
            return RedirectResponse("/", 303)
        columns = [name.strip() for name in str(form.get("columns", "")).replace("\n", ",").split(",") if name.strip()]
        if visit.project is not None:
            visit.problems, visit.returning = [], False
            try:
                await load_table(visit, form, source, {"read": reading, "prepare": preparation}, columns)
            except VoileError as error:
                visit.show_problem(error.as_json())
            return RedirectResponse("/", 303)
        _start_over(visit, source, reading, preparation)
        await run_in_threadpool(_delete_results, visit.storage)
        payload = {"source": source["path"], "read": reading, "prepare": preparation, "columns": columns}
        await wait_for(visit.start_job("inspect", "Looking at the table", payload), PATIENCE)
        return RedirectResponse("/", 303)

    async def estimate(self, request: Request, visit: Visit, form: FormData) -> Response:
        """Inspect the table again, with what is to be estimated about the population, under the roles so far."""
        if visit.inspection is None or visit.worker.busy:
            return RedirectResponse("/", 303)
        size = str(form.get("population", "")).replace(",", "").strip()
        if size and not re.fullmatch("[0-9]{1,12}", size):
            message = f"“{LABELS['population']}” must be a whole number."
            visit.show_problem({"message": message, "hint": "E.g. 40000.", "code": "spec.population"})
            return RedirectResponse("/", 303)
        schema = visit.spec.get("schema", {})
        payload = {**visit.inspection["asked"], "read": visit.spec.get("read", {})}
        payload |= {"population": int(size or 0), "special_uniques": bool(form.get("special_uniques"))}
        payload |= {"roles": {part: schema[part] for part in (*ROLES, "person", "rows_are") if schema.get(part)}}
        await wait_for(visit.start_job("inspect", "Estimating the risk in the population", payload), PATIENCE)
        return RedirectResponse("/#anonymity", 303)

    async def rows(self, request: Request, visit: Visit, form: FormData) -> Response:
        """Show the first rows, only on request, since somebody may be looking over the visitor's shoulder."""
        if visit.inspection is None or visit.worker.busy:
            return RedirectResponse("/", 303)
        hidden = [name for name, role in visit.roles().items() if role == "identifier"]
        usable = [column["name"] for column in visit.inspection["columns"] if column["kind"] != "none"]
        payload = {
            "source": visit.source["path"],
            "read": visit.spec.get("read", {}),
            "prepare": visit.spec.get("prepare", {}),
            "names": usable,
            "hidden": hidden,
        }
        job = await wait_for(visit.start_job("peek", "Reading the first rows", payload), PATIENCE)
        return RedirectResponse("/?rows=show#rows" if job.state == "done" else "/", 303)

    async def _find_source(self, visit: Visit, form: FormData) -> dict[str, Any]:
        how = form.get("how")
        if how == "demo":
            place = await run_in_threadpool(_write_demo, visit.storage)
            return {"how": "demo", "name": DEMO, "path": str(place / DEMO)}
        if how == "upload":
            file = form.get("file")
            if not isinstance(file, UploadFile) or not file.filename:
                raise SpecError("No file was chosen.", code="spec.file", hint="Choose a file first.")
            return await _save_upload(visit, file)
        text = str(form.get("path", "")).strip()
        if not text:
            raise SpecError("No path was given.", code="spec.file", hint="Choose a file from the list, or type a path.")
        path = received_files.resolve_inside(self.settings.folder, text)
        name = str(path.relative_to(self.settings.folder.resolve()))
        return {"how": "path", "name": name, "path": str(path)}


def _first_rows(visit: Visit) -> dict[str, Any] | None:
    job = visit.worker.job
    return job.result if job is not None and job.task == "peek" and job.state == "done" else None


def _write_demo(storage: PrivateStorage) -> Path:
    from voile.datasets import hospital

    content = io.BytesIO()
    hospital().write_parquet(content)
    size = content.tell()
    content.seek(0)
    return storage.replace_files(TABLE, [(DEMO, content, size)])


async def _save_upload(visit: Visit, file: UploadFile) -> dict[str, Any]:
    """Save an upload in the private folder, under its own name as far as that is safe."""
    shown = Path(file.filename or "").name
    suffix = Path(shown).suffix.lower()
    if suffix not in FILE_KINDS:
        extensions = ", ".join(sorted(FILE_KINDS))
        raise DataError(
            "This kind of file cannot be read.", code="data.format", hint=f"It must end in one of {extensions}."
        )
    name = shown if is_plain_name(shown) and not shown.startswith(".") else f"table{suffix}"
    visit.worker.cancel()  # it may be reading the file that is about to be deleted
    place = await run_in_threadpool(visit.storage.replace_files, TABLE, [(name, file.file, file.size or 0)])
    return {"how": "upload", "name": shorten_name(name), "path": str(place / name)}


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
    sheet = str(form.get("sheet", "")).strip()
    if sheet:
        options["sheet"] = sheet
    convert = read_pairs(form, "convert")
    if convert:
        options["convert"] = convert
    merge = [name.strip() for name in str(form.get("merge", "")).split("|") if name.strip()]
    if merge:
        options["merge"] = merge
    return options


def _start_over(visit: Visit, source: dict[str, Any], reading: dict[str, Any], preparation: dict[str, Any]) -> None:
    """Take up another table, and forget everything about the last one."""
    visit.worker.cancel()
    visit.collect_result()  # otherwise a result about the last table might be stored later
    parts = {"read": reading, "prepare": preparation}
    visit.source, visit.spec = source, {part: content for part, content in parts.items() if content}
    visit.draft, visit.trees = {}, {}
    visit.forget(
        "inspection",
        "earlier",
        "marking",
        "row_limits",
        "forecast",
        "comparison",
        "closer_look",
        "preview",
        "publication",
    )


def _delete_results(storage: PrivateStorage) -> None:
    for kind in (TRIALS, PUBLISHED, EARLIER):
        storage.empty(kind)
