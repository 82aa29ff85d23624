"""Every form that is saved is a step of the open project. A form from a page that is older than the project changes
nothing: the visitor is told, and can send it once more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from voile.errors import VoileError
from voile.flow.project.project import Project
from voile.web.access_control import Handler, Poster
from voile.web.jobs import wait_for
from voile.web.page_rendering import render_page, render_part
from voile.web.steps.project_table import take_up
from voile.web.visits import Visit

LONG = 60.0  # seconds to wait for a table before a form is sent once more
OWN_FIELDS = ("csrf", "state", "once_more")


def show_saved(handler: Handler) -> Handler:
    """Save what has been decided or found since the last page, then show this one."""

    async def show(request: Request, visit: Visit) -> Response:
        visit.collect_result()
        if not visit.unsaved:
            await run_in_threadpool(save_step, visit)
        return await handler(request, visit)

    return show


def save_form(handler: Poster) -> Poster:
    """Take a form, and save what it says in the project, if it comes from the newest state."""

    async def take(request: Request, visit: Visit, form: FormData) -> Response:
        visit.collect_result()
        live = form.get("live") == "yes"
        if form.get("once_more") and _is_same_table(visit, form):
            await _take_newest(visit)
        problem = await run_in_threadpool(_find_conflict, visit, form)
        if problem and not (form.get("once_more") and _is_same_table(visit, form)):
            if live:
                return render_part("promise_meaning", visit=visit, forecast=None, problems=[problem])
            return _show_conflict(request, visit, form, problem)
        if visit.has_found and not visit.unsaved:
            await run_in_threadpool(save_step, visit)
        answer = await handler(request, visit, form)
        if not live:
            visit.collect_result()
            await run_in_threadpool(save_step, visit)
        return answer

    return take


def save_step(visit: Visit) -> None:
    """Save what is asked of the table as a step of the project; what was only found in the file is no step."""
    project, asked = visit.project, list_asked(visit.spec)
    if project is None or not visit.source or not project.tables:
        return
    try:
        if not visit.has_found:
            visit.project = project.change(asked)
        elif visit.inspection is not None:
            visit.project = project.amend(asked)
    except VoileError as error:
        visit.unsaved = error.as_json()
    else:
        visit.unsaved, visit.has_found = None, False


def list_asked(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a spec without empty parts.

    >>> list_asked({"schema": {"quasi": ["age"], "hierarchies": {}}, "policy": []})
    {'schema': {'quasi': ['age']}}
    """
    parts = {
        part: {key: value for key, value in content.items() if value not in ([], {}, None)}
        if isinstance(content, Mapping)
        else content
        for part, content in spec.items()
    }
    return {part: content for part, content in parts.items() if content}


def _find_conflict(visit: Visit, form: FormData) -> Mapping[str, Any] | None:
    """Say why a form cannot be saved: its page is older than the project, or the project has changed elsewhere."""
    sent = form.get("state")
    if isinstance(sent, str) and sent != visit.state():
        message = "This page is older than the project: another tab has changed it, or opened another one."
        return {"message": message, "hint": "Nothing was lost or overwritten.", "code": "data.project-stale"}
    if visit.project is None:
        return None
    try:
        if Project.open(visit.project.name, visit.project.folder.parent).revision == visit.project.revision:
            return None
    except VoileError as error:
        return error.as_json()
    message = f"The project {visit.project.name!r} was changed elsewhere meanwhile, by another browser or process."
    return {"message": message, "hint": "Nothing was lost or overwritten.", "code": "data.project-stale"}


def _show_conflict(request: Request, visit: Visit, form: FormData, problem: Mapping[str, Any]) -> Response:
    """Show the form's problem, with a button that sends it once more where that has a meaning."""
    fields = [(key, value) for key, value in form.multi_items() if isinstance(value, str) and key not in OWN_FIELDS]
    if request.url.path in ("/", "/earlier") or not _is_same_table(visit, form):
        fields = []  # files cannot be sent again by themselves, and what was said of one table is not true of another
    answer = render_page("conflict", visit, conflict=problem, path=request.url.path, fields=fields)
    answer.status_code = 409
    return answer


def _is_same_table(visit: Visit, form: FormData) -> bool:
    """Whether a form is about the table that is open now."""
    return str(form.get("state", "")).partition(":")[2] == visit.state().partition(":")[2] != ""


async def _take_newest(visit: Visit) -> None:
    """Take up the newest state of the project, if it is another one, and wait until its table has been looked at."""
    assert visit.project is not None
    try:
        newest = await run_in_threadpool(Project.open, visit.project.name, visit.project.folder.parent)
    except VoileError as error:
        visit.unsaved = error.as_json()
        return
    if newest.revision != visit.project.revision:
        visit.project = newest
        job = take_up(visit)
        if job is not None:
            await wait_for(job, LONG)
            visit.collect_result()
