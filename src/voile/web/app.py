"""Which address leads where. Every one but the static files goes through the door."""

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

from voile.web.access_control import Door, Guard, Settings, answers
from voile.web.pages import oops
from voile.web.steps import compare, mark, promise, publish, receive
from voile.web.steps.load import Load
from voile.web.steps.publish import Publish
from voile.web.steps.receive import Receive
from voile.web.visitor import Desk, Desks

STATIC = Path(__file__).parent / "static"


def make_app(settings: Settings, plugins: Sequence[str] = ()) -> ASGIApp:
    """The whole workbench as an ASGI application."""
    desks = Desks(settings.private, plugins)
    door = Door(settings, desks, oops)
    load, publishing, receiving = Load(settings), Publish(settings), Receive(settings)
    seen = {
        "/": load.show,
        "/mark": mark.show,
        "/tree/{number:int}": mark.tree,
        "/promise": promise.show,
        "/compare": compare.show,
        "/compare/found": compare.found,
        "/publish": publishing.show,
        "/publish/release.zip": publish.download,
        "/publish/spec.toml": publish.spec,
        "/publish/report": publish.report,
        "/receive": receiving.show,
        "/job": _job,
    }
    done = {
        "/": load.take,
        "/rows": load.rows,
        "/mark": mark.save,
        "/tree/{number:int}": mark.save_tree,
        "/promise": promise.save,
        "/compare": compare.begin,
        "/compare/look": compare.look,
        "/publish": publishing.begin,
        "/receive": receiving.take,
        "/receive/count": receive.count,
        "/job/cancel": _cancel,
    }
    routes: list[Route | Mount] = [Route(path, door.get(handler), methods=["GET"]) for path, handler in seen.items()]
    routes += [Route(path, door.post(handler), methods=["POST"]) for path, handler in done.items()]
    routes.append(Mount("/static", StaticFiles(directory=STATIC)))

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        desks.warm()
        yield
        desks.close()

    inner = Starlette(routes=routes, lifespan=lifespan, exception_handlers=answers(settings, oops))
    return Guard(inner, settings, oops)


async def _job(request: Request, desk: Desk) -> Response:
    """What is running: asked again and again by the page."""
    job = desk.worker.job
    return JSONResponse(job.as_json() if job else {"state": "none"})


async def _cancel(request: Request, desk: Desk, form: FormData) -> Response:
    desk.worker.cancel()
    back = str(form.get("back", "/"))
    return RedirectResponse(
        back if back in ("/", "/mark", "/promise", "/compare", "/publish", "/receive") else "/", 303
    )
