"""Step 3: every method against every attack, and one of them in detail."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from voile.adversaries.presets import presets
from voile.errors import SpecError
from voile.web.forms import make_cards, read_form
from voile.web.jobs import wait_for
from voile.web.page_rendering import render_page, render_part
from voile.web.visits import Visit

SOON = 1.0


async def show(request: Request, visit: Visit) -> Response:
    visit.collect_result()
    if not visit.spec.get("policy") or not visit.marking:
        return RedirectResponse("/promise", 303)
    offered = {family: make_cards(family) for family in ("methods", "attacks", "measures")}
    known = [(one.name, one.title, one.story) for one in presets().values()]
    return render_page("compare", visit, **offered, presets=known, **_results(visit))


async def found(request: Request, visit: Visit) -> Response:
    """What there is of the comparison so far: fetched by the page while it runs."""
    return render_part("compare_found", visit=visit, **_results(visit))


def _results(visit: Visit) -> dict[str, Any]:
    """The comparison, or what a running one has found by now."""
    job = visit.worker.job
    running = job is not None and job.running and job.task == "compare"
    shown = job.partial if job is not None and running else visit.comparison
    said = {card.name: card.headline for family in ("methods", "measures") for card in make_cards(family)}
    return {"found": shown, "running": running, "said": said, "matrix": matrix(shown), "chosen": chosen(visit)}


async def begin(request: Request, visit: Visit, form: FormData) -> Response:
    if not visit.spec.get("policy") or not visit.marking:
        return RedirectResponse("/promise", 303)
    try:
        asked = {family: read_form(family, form) for family in ("methods", "attacks", "measures")}
    except SpecError as error:
        visit.problems = []
        visit.show_problem(error.as_json())
        return RedirectResponse("/compare", 303)
    told: dict[str, Any] = {
        "by": str(form.get("by", "")),
        "adversary": [name for name in presets() if form.get(f"adversary.{name}")],
    }
    told |= {"store": str(visit.folder / "trials"), "key": visit.key}  # what was cancelled goes on where it stopped
    visit.forget("comparison", "closer_look", "publication")
    job = visit.start_job("compare", "Comparing the methods", visit.payload(**asked, **told))
    await wait_for(job, SOON)
    return RedirectResponse("/compare", 303)


async def look(request: Request, visit: Visit, form: FormData) -> Response:
    """Take one row of the comparison, and see what it does to each column."""
    trials = (visit.comparison or {}).get("trials", [])
    number = str(form.get("trial", ""))
    if not number.isdigit() or int(number) >= len(trials) or trials[int(number)]["fault"]:
        return RedirectResponse("/compare", 303)
    visit.spec["method"] = _knobs(trials[int(number)]["method"])
    visit.forget("closer_look", "publication")
    await wait_for(visit.start_job("look", "Looking closer", visit.payload()), SOON)
    return RedirectResponse("/compare#closer", 303)


def _knobs(method: dict[str, Any]) -> dict[str, Any]:
    """A method as a spec tells it: empty knobs left out."""
    return {key: value for key, value in method.items() if value not in (None, [], {})}


def chosen(visit: Visit) -> int | None:
    """The trial whose method is chosen now."""
    trials = (visit.comparison or {}).get("trials", [])
    return next((n for n, one in enumerate(trials) if _knobs(one["method"]) == visit.spec.get("method")), None)


def matrix(found: dict[str, Any] | None) -> list[str]:
    """The attacks of a comparison, those inside the promise first: the rows of its matrix."""
    reached = [item for trial in (found or {}).get("trials", []) for item in trial["reached"]]
    shown = [item for item in reached if item["worst"] is not None]
    return list(dict.fromkeys(item["title"] for item in sorted(shown, key=lambda item: not item["inside"])))
