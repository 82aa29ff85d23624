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
from voile.web.steps import compare, earlier, mark, promise, publish, receive
from voile.web.steps.load import Load
from voile.web.steps.publish import Publish
from voile.web.steps.receive import Receive
from voile.web.visits import Visit, Visits

STATIC = Path(__file__).parent / "static"


def make_app(settings: Settings, plugins: Sequence[str] = (), visits: Visits | None = None) -> ASGIApp:
    """Make the workbench as an ASGI application."""
    visits = visits or Visits(settings.private, plugins, settings.visits, settings.quota)
    door = Door(settings, visits)
    load, publishing, receiving = Load(settings), Publish(settings), Receive(settings)
    pages = {
        "/": load.show,
        "/mark": mark.show,
        "/tree/{number}": mark.show_tree,
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
        "/job": _job,
    }
    actions = {
        "/": load.take,
        "/rows": load.rows,
        "/estimate": load.estimate,
        "/earlier": earlier.change,
        "/mark": mark.save,
        "/people": mark.compare_limits,
        "/people/choose": mark.choose_limit,
        "/tree/{number}": mark.save_tree,
        "/promise": promise.save,
        "/compare": compare.begin,
        "/compare/look": compare.look,
        "/publish": publishing.begin,
        "/publish/preview": publishing.preview,
        "/receive": receiving.take,
        "/receive/count": receive.count,
        "/receive/cross": receive.cross,
        "/receive/complete": receive.complete,
        "/job/cancel": _cancel,
    }
    routes: list[Route | Mount] = [Route(path, door.get(handler), methods=["GET"]) for path, handler in pages.items()]
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
    return RedirectResponse(
        back if back in ("/", "/mark", "/promise", "/compare", "/publish", "/receive") else "/", 303
    )
