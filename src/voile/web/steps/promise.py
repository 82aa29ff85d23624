"""Step 2, second half: what is promised to the people in the table, and against whom."""

from __future__ import annotations

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from voile.errors import SpecError
from voile.web.forms import fill_form, make_cards, read_form
from voile.web.jobs import wait_for
from voile.web.page_rendering import render_page, render_part
from voile.web.steps.load import PATIENCE
from voile.web.visits import Visit


async def show(request: Request, visit: Visit) -> Response:
    visit.collect_result()
    if not visit.marking:
        return RedirectResponse("/mark", 303)
    return render_page("promise", visit, cards=make_cards("models"), values=values(visit), secret=_secret(visit))


def values(visit: Visit) -> dict[str, str]:
    """The form as it is now: as it was typed, or what the spec says; else two promises to start from."""
    if visit.draft.get("promise"):
        return dict(pair for pair in visit.draft.items() if pair[0] != "promise")
    return fill_form("models", visit.spec.get("policy", ()))


def _secret(visit: Visit) -> list[str]:
    return list(visit.spec["schema"].get("sensitive", ()))


async def save(request: Request, visit: Visit, form: FormData) -> Response:
    """Understand the form. With `live` only a piece of the page is answered, so that it says at once what fits."""
    live = form.get("live") == "yes"
    if not visit.marking:
        return RedirectResponse("/mark", 303)
    try:
        chosen = read_form("models", form)
        if not chosen:
            raise SpecError("Nothing is promised yet.", code="spec.form", hint="Choose at least one promise.")
    except SpecError as error:
        if live:
            return render_part(
                "promise_said", foreseen=None, problems=error.as_json().get("problems") or [error.as_json()]
            )
        visit.problems, visit.draft = [], {"promise": "typed", **{key: str(form[key]) for key in form}}
        visit.show_problem(error.as_json())
        return RedirectResponse("/promise", 303)
    policy = [{"model": one.pop("name"), **one} for one in chosen]
    if policy != visit.spec.get("policy"):
        visit.spec["policy"], visit.draft = policy, {}
        visit.spec.pop("method", None)
        visit.forget("row_limits", "forecast", "comparison", "closer_look", "publication")
    job = await wait_for(visit.start_job("promise", "Asking what can be kept", visit.payload()), PATIENCE)
    visit.collect_result()
    if not live:
        return RedirectResponse("/promise#said", 303)
    problems, visit.problems = visit.problems, []
    return render_part("promise_said", foreseen=visit.forecast if job.state == "done" else None, problems=problems)
