"""Projects: list, make, open, rename, delete, export and import them; switch between their tables; undo and redo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from voile.errors import SpecError, VoileError
from voile.flow.project.project import Project
from voile.web.access_control import Poster, Settings
from voile.web.jobs import wait_for
from voile.web.page_rendering import render_page
from voile.web.private_storage import EXPORTED
from voile.web.steps.project_table import LOOKING, take_up
from voile.web.steps.saved_steps import list_asked
from voile.web.visits import Visit

EXPORT_BYTES = 4 << 20
STEPS = ("/", "/mark", "/promise", "/compare", "/publish", "/receive", "/projects")


class Projects:
    """The addresses of the page."""

    def __init__(self, settings: Settings) -> None:
        self.home = settings.projects

    async def show(self, request: Request, visit: Visit) -> Response:
        projects = await run_in_threadpool(self.list_projects)
        home = await run_in_threadpool(self._describe_home)
        return render_page("projects", visit, projects=projects, home=home, exported=visit.exported)

    def list_projects(self) -> list[dict[str, Any]]:
        """List all projects; of one that cannot be opened, why."""
        return [self._describe(name) for name in Project.list_names(self.home)]

    def _describe(self, name: str) -> dict[str, Any]:
        try:
            project = Project.open(name, self.home)
        except VoileError as error:
            return {"name": name, "fault": error.as_json()}
        releases = [release for table in project.tables for release in table.releases]
        tables = [table.name for table in project.tables]
        return {"name": name, "fault": None, "tables": tables, "releases": len(releases), "current": project.current}

    def _describe_home(self) -> str:
        from voile.flow.project.project_folder import find_home

        return str(find_home(self.home).resolve())

    async def create(self, request: Request, visit: Visit, form: FormData) -> Response:
        """Make a project and open it. A table that is open without a project becomes its first."""

        def make() -> Project:
            project = Project.create(str(form.get("name", "")).strip(), self.home)
            if visit.project is not None or not visit.source:
                return project
            how = visit.source["how"]
            keep: Any = "path" if how == "path" else "copy" if how == "demo" or form.get("keep") else "fingerprint"
            return project.add_table(visit.source["path"], list_asked(visit.spec), visit.source["name"], keep)

        had_table = visit.project is None and bool(visit.source)
        made = await run_in_threadpool(make)
        if had_table:
            visit.project, visit.has_found, visit.source["table"] = made, False, visit.source["name"]
            return RedirectResponse("/", 303)
        return await self._open(visit, made)

    async def open(self, request: Request, visit: Visit, form: FormData) -> Response:
        project = await run_in_threadpool(Project.open, str(form.get("name", "")), self.home)
        return await self._open(visit, project)

    async def _open(self, visit: Visit, project: Project) -> Response:
        visit.problems, visit.project, visit.source = [], project, {}
        return await _look(visit, check=True)

    async def close(self, request: Request, visit: Visit, form: FormData) -> Response:
        _leave(visit)
        return RedirectResponse("/projects", 303)

    async def rename(self, request: Request, visit: Visit, form: FormData) -> Response:
        name, wanted = str(form.get("name", "")), str(form.get("new", "")).strip()
        renamed = await run_in_threadpool(lambda: Project.open(name, self.home).rename(wanted))
        if visit.project is not None and visit.project.name == name:
            visit.project = renamed
            return await _look(visit, back="/projects")
        return RedirectResponse("/projects", 303)

    async def delete(self, request: Request, visit: Visit, form: FormData) -> Response:
        name = str(form.get("name", ""))
        if not form.get("sure"):
            hint = "Tick the box beside the button, if you are sure."
            raise SpecError(f"The project {name!r} was not deleted.", code="spec.form", hint=hint)
        await run_in_threadpool(lambda: Project.open(name, self.home).delete())
        if visit.project is not None and visit.project.name == name:
            _leave(visit)
        return RedirectResponse("/projects", 303)

    async def export(self, request: Request, visit: Visit, form: FormData) -> Response:
        """Write the project to a file without data, say what was left out, and offer the file."""
        name = str(form.get("name", ""))
        path = await run_in_threadpool(visit.storage.empty, EXPORTED) / "project.toml"
        left_out = await run_in_threadpool(lambda: Project.open(name, self.home).export(path))
        visit.exported = {"name": name, "left_out": left_out}
        return RedirectResponse("/projects#exported", 303)

    async def download(self, request: Request, visit: Visit) -> Response:
        path = visit.storage.find_place(EXPORTED) / "project.toml"
        if visit.exported is None or not path.is_file():
            return RedirectResponse("/projects", 303)
        return FileResponse(path, filename=f"{visit.exported['name']}.toml", media_type="application/toml")

    async def take_import(self, request: Request, visit: Visit, form: FormData) -> Response:
        """Make a project from a file that a colleague exported, and open it."""
        file = form.get("file")
        if not isinstance(file, UploadFile) or not file.filename:
            raise SpecError("No file was chosen.", code="spec.file", hint="Choose a file first.")
        content = await file.read(EXPORT_BYTES + 1)
        if len(content) > EXPORT_BYTES:
            hint = "Choose the file that a colleague exported."
            raise SpecError("This file is too large for a project.", code="spec.file", hint=hint)
        path = await run_in_threadpool(visit.storage.empty, EXPORTED) / "import.toml"
        visit.exported = None
        path.write_bytes(content)
        name = str(form.get("name", "")).strip()
        return await self._open(visit, await run_in_threadpool(Project.import_from, path, name, self.home))


def answer_problems(handler: Poster, back: str = "/projects") -> Poster:
    """Show the problem of a form on the page that it came from."""

    async def take(request: Request, visit: Visit, form: FormData) -> Response:
        try:
            return await handler(request, visit, form)
        except VoileError as error:
            visit.problems = []
            visit.show_problem(error.as_json())
            return RedirectResponse(back, 303)

    return take


async def select(request: Request, visit: Visit, form: FormData) -> Response:
    """Switch to another table of the project."""
    return await _step(visit, lambda project: project.select(str(form.get("table", ""))), check=True)


async def undo(request: Request, visit: Visit, form: FormData) -> Response:
    return await _step(visit, lambda project: project.undo(), back=_read_back(form))


async def redo(request: Request, visit: Visit, form: FormData) -> Response:
    return await _step(visit, lambda project: project.redo(), back=_read_back(form))


async def add_again(request: Request, visit: Visit, form: FormData) -> Response:
    """Take the file of the current table as it is now."""
    return await _step(visit, lambda project: project.add_table(project.find_file(), name=project.current))


async def start_ledger(request: Request, visit: Visit, form: FormData) -> Response:
    return await _step(visit, lambda project: project.start_ledger(), back="/#earlier")


async def take_back(request: Request, visit: Visit, form: FormData) -> Response:
    """Forget the last release, which nobody has received."""
    return await _step(visit, lambda project: project.take_back_release(), back="/#earlier")


async def save(request: Request, visit: Visit, form: FormData) -> Response:
    """Save what could not be saved before, as a step on top of the newest state."""

    def save_on_top(project: Project) -> Project:
        newest = Project.open(project.name, project.folder.parent)
        return newest.change(list_asked(visit.spec), project.current)

    if visit.project is not None and visit.source:
        visit.project, visit.unsaved = await run_in_threadpool(save_on_top, visit.project), None
    return RedirectResponse(_read_back(form), 303)


async def _step(visit: Visit, change: Callable[[Project], Project], back: str = "", check: bool = False) -> Response:
    if visit.project is None:
        return RedirectResponse("/projects", 303)
    visit.project = await run_in_threadpool(change, visit.project)
    visit.problems = []
    return await _look(visit, back, check)


async def _look(visit: Visit, back: str = "", check: bool = False) -> Response:
    job = await run_in_threadpool(lambda: take_up(visit, check=check))
    visit.returning = not back
    if job is not None:
        await wait_for(job, LOOKING)
    return RedirectResponse(back or "/", 303)


def _leave(visit: Visit) -> None:
    """Close the project: the next table is loaded without one."""
    visit.project, visit.source = None, {}
    visit.spec, visit.unsaved, visit.problems = {}, None, []
    visit.worker.cancel()
    visit.collect_result()
    visit.problems = []
    visit.forget("inspection", "earlier", "marking", "row_limits", "forecast")
    visit.forget("comparison", "closer_look", "preview", "publication")


def _read_back(form: FormData) -> str:
    back = str(form.get("back", ""))
    return back if back in STEPS else ""
