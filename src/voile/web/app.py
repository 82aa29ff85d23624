"""The addresses and their handlers. Every address but the static files goes through the door."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from starlette.applications import Starlette
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from voile.web.access_control import Door, Guard, Settings, error_handlers
from voile.web.page_rendering import render_error
from voile.web.steps import compare, earlier, mark, promise, publish, receive, tree
from voile.web.steps import projects as project_steps
from voile.web.steps.load import Load
from voile.web.steps.projects import Projects, answer_problems
from voile.web.steps.publish import Publish
from voile.web.steps.receive import Receive
from voile.web.steps.saved_steps import save_form, show_saved
from voile.web.visits import Visit, Visits

STATIC = Path(__file__).parent / "static"


def make_app(settings: Settings, plugins: Sequence[str] = (), visits: Visits | None = None) -> ASGIApp:
    """Make the workbench as an ASGI application."""
    visits = visits or Visits(settings.private, plugins, settings.visits, settings.quota)
    door = Door(settings, visits)
    load, publishing, receiving, projects = Load(settings), Publish(settings), Receive(settings), Projects(settings)
    pages = {
        "/": load.show,
        "/mark": mark.show,
        "/tree/{number}": tree.show,
        "/promise": promise.show,
        "/compare": compare.show,
        "/compare/found": compare.show_results,
        "/publish": publishing.show,
        "/publish/release.zip": publish.download,
        "/publish/spec.toml": publish.spec,
        "/publish/report": publish.report,
        "/publish/report.html": publish.download_report,
        "/publish/report.json": publish.download_report,
        "/publish/report.pdf": publish.download_report,
        "/publish/private.json": publish.download_private,
        "/publish/ledger.json": publish.download_ledger,
        "/receive": receiving.show,
        "/receive/guide": receive.show_guide,
        "/receive/completions": receive.download,
        "/projects": projects.show,
        "/projects/export.toml": projects.download,
        "/job": _job,
    }
    steps = {  # forms that change what is asked of a table: each is saved in the open project
        "/": load.take,
        "/earlier": earlier.change,
        "/mark": mark.save,
        "/people/choose": mark.choose_limit,
        "/tree/{number}": tree.save,
        "/promise": promise.save,
        "/compare/look": compare.look,
        "/publish": publishing.begin,
        "/projects/table": answer_problems(project_steps.select),
        "/projects/undo": answer_problems(project_steps.undo),
        "/projects/redo": answer_problems(project_steps.redo),
        "/projects/again": answer_problems(project_steps.add_again, "/"),
        "/projects/start-ledger": answer_problems(project_steps.start_ledger, "/"),
        "/projects/take-back": answer_problems(project_steps.take_back, "/"),
    }
    actions = {
        "/rows": load.rows,
        "/estimate": load.estimate,
        "/people": mark.compare_limits,
        "/compare": compare.begin,
        "/publish/preview": publishing.preview,
        "/receive": receiving.take,
        "/receive/count": receive.count,
        "/receive/cross": receive.cross,
        "/receive/complete": receive.complete,
        "/projects/create": answer_problems(projects.create),
        "/projects/open": answer_problems(projects.open),
        "/projects/close": answer_problems(projects.close),
        "/projects/rename": answer_problems(projects.rename),
        "/projects/delete": answer_problems(projects.delete),
        "/projects/export": answer_problems(projects.export),
        "/projects/import": answer_problems(projects.take_import),
        "/projects/save": answer_problems(project_steps.save),
        "/job/cancel": _cancel,
    } | {path: save_form(handler) for path, handler in steps.items()}
    routes: list[Route | Mount] = [
        Route(path, door.get(handler if path == "/job" else show_saved(handler)), methods=["GET"])
        for path, handler in pages.items()
    ]
    routes += [Route(path, door.post(handler), methods=["POST"]) for path, handler in actions.items()]
    routes.append(Mount("/static", StaticFiles(directory=STATIC)))

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        visits.warm()
        yield
        visits.close()

    inner = Starlette(routes=routes, lifespan=lifespan, exception_handlers=error_handlers(render_error))
    return Guard(inner, settings, render_error)


async def _job(request: Request, visit: Visit) -> Response:
    """Return the state of the running job, which the page polls."""
    job = visit.worker.job
    return JSONResponse(job.as_json() if job else {"state": "none"})


async def _cancel(request: Request, visit: Visit, form: FormData) -> Response:
    visit.worker.cancel()
    back = str(form.get("back", "/"))
    return RedirectResponse(back if back in project_steps.STEPS else "/", 303)
