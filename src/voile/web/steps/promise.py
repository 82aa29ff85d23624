"""Step 2, second half: what is promised to the people in the table, and against whom."""

from __future__ import annotations

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from voile.errors import SpecError
from voile.web.forms import cards, filled, typed
from voile.web.jobs import settled
from voile.web.pages import page, part
from voile.web.steps.load import PATIENCE
from voile.web.visitor import Desk


async def show(request: Request, desk: Desk) -> Response:
    desk.collect()
    if not desk.marked:
        return RedirectResponse("/mark", 303)
    return page("promise", desk, cards=cards("models"), values=values(desk), secret=_secret(desk))


def values(desk: Desk) -> dict[str, str]:
    """The form as it is now: as it was typed, or what the spec says; else two promises to start from."""
    if desk.typed.get("promise"):
        return dict(pair for pair in desk.typed.items() if pair[0] != "promise")
    return filled("models", desk.spec.get("policy", ()))


def _secret(desk: Desk) -> list[str]:
    return list(desk.spec["schema"].get("sensitive", ()))


async def save(request: Request, desk: Desk, form: FormData) -> Response:
    """Understand the form. With `live` only a piece of the page is answered, so that it says at once what fits."""
    live = form.get("live") == "yes"
    if not desk.marked:
        return RedirectResponse("/mark", 303)
    try:
        chosen = typed("models", form)
        if not chosen:
            raise SpecError("Nothing is promised yet.", code="spec.form", hint="Choose at least one promise.")
    except SpecError as error:
        if live:
            return part("promise_said", foreseen=None, problems=error.as_json().get("problems") or [error.as_json()])
        desk.problems, desk.typed = [], {"promise": "typed", **{key: str(form[key]) for key in form}}
        desk.complain(error.as_json())
        return RedirectResponse("/promise", 303)
    policy = [{"model": one.pop("name"), **one} for one in chosen]
    if policy != desk.spec.get("policy"):
        desk.spec["policy"], desk.typed = policy, {}
        desk.spec.pop("method", None)
        desk.forget("foreseen", "compared", "looked", "published")
    job = await settled(desk.begin("promise", "Asking what can be kept", desk.payload()), PATIENCE)
    desk.collect()
    if not live:
        return RedirectResponse("/promise#said", 303)
    problems, desk.problems = desk.problems, []
    return part("promise_said", foreseen=desk.foreseen if job.state == "done" else None, problems=problems)
