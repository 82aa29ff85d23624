"""Step 2, second half: the promise to the people in the table, and the adversary it holds against."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from voile.errors import SpecError
from voile.flow.recommend.needs import sort_by_need
from voile.web.forms import fill_form, make_cards, read_form, read_index
from voile.web.jobs import wait_for
from voile.web.page_rendering import render_page, render_part
from voile.web.steps.load import PATIENCE
from voile.web.visits import Visit


async def show(request: Request, visit: Visit) -> Response:
    visit.collect_result()
    if not visit.marking:
        return RedirectResponse("/mark", 303)
    cards, chosen = {card.name: card for card in make_cards("models")}, find_recommendation(visit) or _find_equal(visit)
    return render_page(
        "promise",
        visit,
        needs=[(need, [cards[name] for name in names]) for need, names in sort_by_need(cards)],
        chosen=chosen["audience"]["name"] if chosen else None,
        values=_form_values(visit),
        secret=_secret_columns(visit),
    )


def find_recommendation(visit: Visit) -> dict[str, Any] | None:
    """Return the recommendation that was chosen, if its promise still is. Whoever chose the same promise by hand did
    not choose its reasons."""
    recommended: list[dict[str, Any]] = (visit.marking or {}).get("recommendations", [])
    chosen = (visit.draft.get("audience"), visit.spec.get("policy"))
    return next((item for item in recommended if (item["audience"]["name"], item["policy"]) == chosen), None)


def _find_equal(visit: Visit) -> dict[str, Any] | None:
    """Return the recommendation that a step of a project equals, which does not say how its promise was chosen."""
    recommended: list[dict[str, Any]] = (visit.marking or {}).get("recommendations", [])
    policy, steering = visit.spec.get("policy"), visit.spec["schema"].get("steering", {})
    equal = (item for item in recommended if item["policy"] == policy and item["steering"].items() <= steering.items())
    return next(equal, None) if visit.project and "audience" not in visit.draft else None


def _form_values(visit: Visit) -> dict[str, str]:
    """Return the values of the form: as they were typed, or else as the spec has them."""
    if visit.draft.get("promise"):
        return dict(pair for pair in visit.draft.items() if pair[0] != "promise")
    return fill_form("models", visit.spec.get("policy", ()))


def _secret_columns(visit: Visit) -> list[str]:
    return list(visit.spec["schema"].get("sensitive", ()))


async def save(request: Request, visit: Visit, form: FormData) -> Response:
    """Save the promise of the form. With `live`, return only the part of the page that describes it."""
    live = form.get("live") == "yes"
    if not visit.marking:
        return RedirectResponse("/mark", 303)
    try:
        policy = _find_proposal(visit, form) or _read_policy(form)
        steered = _steer_columns(visit, str(form.get("audience")))
    except SpecError as error:
        if live:
            problems = error.as_json().get("problems") or [error.as_json()]
            return render_part("promise_meaning", visit=visit, forecast=None, problems=problems)
        visit.problems, visit.draft = [], {"promise": "typed", **{key: str(form[key]) for key in form}}
        visit.show_problem(error.as_json())
        return RedirectResponse("/promise", 303)
    if steered or policy != visit.spec.get("policy"):
        visit.spec["policy"], visit.draft = policy, {"audience": ""}
        visit.spec.pop("method", None)
        visit.forget("row_limits", "forecast", "comparison", "closer_look", "preview", "publication")
    if form.get("audience"):
        visit.draft["audience"] = str(form["audience"])
    job = await wait_for(visit.start_job("promise", "Checking what can be kept", visit.payload()), PATIENCE)
    visit.collect_result()
    if not live:
        return RedirectResponse("/promise#said", 303)
    problems, visit.problems = visit.problems, []
    forecast = visit.forecast if job.state == "done" else None
    return render_part("promise_meaning", visit=visit, forecast=forecast, problems=problems)


def _find_proposal(visit: Visit, form: FormData) -> list[dict[str, Any]] | None:
    """Return the policy that a button proposes: that of an audience, or one instead of a promise out of reach."""
    recommended = {item["audience"]["name"]: item["policy"] for item in (visit.marking or {})["recommendations"]}
    fault = (visit.forecast or {}).get("fault") or {}
    alternatives = fault.get("alternatives", [])
    number = read_index(form.get("alternative"), len(alternatives))
    found = recommended.get(str(form.get("audience"))) if number is None else alternatives[number]["policy"]
    return [dict(entry) for entry in found] if found else None


def _steer_columns(visit: Visit, audience: str) -> bool:
    """Take the wishes for columns that are recommended for an audience; return whether that changes anything."""
    recommended = {item["audience"]["name"]: item["steering"] for item in (visit.marking or {})["recommendations"]}
    schema = visit.spec["schema"]
    steering = {**schema.get("steering", {}), **recommended.get(audience, {})}
    if steering == schema.get("steering", {}):
        return False
    visit.spec["schema"] = {**schema, "steering": steering}
    return True


def _read_policy(form: FormData) -> list[dict[str, Any]]:
    entries = read_form("models", form)
    if not entries:
        raise SpecError("Nothing is promised yet.", code="spec.form", hint="Choose at least one promise.")
    return [{"model": entry.pop("name"), **entry} for entry in entries]
