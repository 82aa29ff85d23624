"""Step 3: compare every method under every attack, and look at one of them in detail."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from voile.adversaries.presets import presets
from voile.errors import SpecError
from voile.web.forms import make_cards, read_form, read_index
from voile.web.jobs import wait_for
from voile.web.page_rendering import render_page, render_part
from voile.web.private_storage import TRIALS
from voile.web.visits import Visit

SOON = 0.4  # seconds to wait for a job that usually takes longer: progress is shown from half a second on


async def show(request: Request, visit: Visit) -> Response:
    visit.collect_result()
    if not visit.spec.get("policy") or not visit.marking:
        return RedirectResponse("/promise", 303)
    cards = {family: make_cards(family) for family in ("methods", "attacks", "measures")}
    adversaries = [(preset.name, preset.title, preset.story) for preset in presets().values()]
    return render_page("compare", visit, **cards, presets=adversaries, **_results(visit))


async def show_results(request: Request, visit: Visit) -> Response:
    """Return the results so far, which the page fetches while the comparison runs."""
    return render_part("compare_results", visit=visit, **_results(visit))


def _results(visit: Visit) -> dict[str, Any]:
    """Return the comparison, or the results so far of one that is running."""
    job = visit.worker.job
    running = job is not None and job.running and job.task == "compare"
    comparison = job.partial if job is not None and running else visit.comparison
    headlines = {card.name: card.headline for family in ("methods", "measures") for card in make_cards(family)}
    return {
        "comparison": comparison,
        "running": running,
        "headlines": headlines,
        "chosen_trial": _find_chosen_trial(visit),
    }


async def begin(request: Request, visit: Visit, form: FormData) -> Response:
    if not visit.spec.get("policy") or not visit.marking:
        return RedirectResponse("/promise", 303)
    try:
        entries = {family: read_form(family, form) for family in ("methods", "attacks", "measures")}
    except SpecError as error:
        visit.problems = []
        visit.show_problem(error.as_json())
        return RedirectResponse("/compare", 303)
    options: dict[str, Any] = {
        "by": str(form.get("by", "")),
        "allow_lost": bool(form.get("allow_lost")),
        "adversary": [name for name in presets() if form.get(f"adversary.{name}")],
    }
    options |= {"store": str(visit.storage.find_place(TRIALS)), "key": visit.key}  # to resume a cancelled comparison
    visit.forget("comparison", "closer_look", "preview", "publication")
    job = visit.start_job("compare", "Comparing the methods", visit.payload(**entries, **options))
    await wait_for(job, SOON)
    return RedirectResponse("/compare", 303)


async def look(request: Request, visit: Visit, form: FormData) -> Response:
    """Choose one row of the comparison, and show what its method does to each column."""
    trials = (visit.comparison or {}).get("trials", [])
    number = read_index(form.get("trial"), len(trials))
    if number is None or trials[number]["fault"]:
        return RedirectResponse("/compare", 303)
    visit.spec["method"] = _knobs(trials[number]["method"])
    visit.forget("closer_look", "preview", "publication")
    await wait_for(visit.start_job("look", "Looking closer", visit.payload()), SOON)
    return RedirectResponse("/compare#closer", 303)


def _knobs(method: dict[str, Any]) -> dict[str, Any]:
    """Return a method as a spec writes it, without empty knobs."""
    return {key: value for key, value in method.items() if value not in (None, [], {})}


def _find_chosen_trial(visit: Visit) -> int | None:
    """Find the trial whose method is the chosen one."""
    trials = (visit.comparison or {}).get("trials", [])
    return next((n for n, trial in enumerate(trials) if _knobs(trial["method"]) == visit.spec.get("method")), None)
