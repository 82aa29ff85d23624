"""Step 3: every method against every attack, and one of them in detail."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from voile.adversaries.presets import presets
from voile.errors import SpecError
from voile.web.forms import cards, typed
from voile.web.jobs import settled
from voile.web.pages import page, part
from voile.web.visitor import Desk

SOON = 1.0


async def show(request: Request, desk: Desk) -> Response:
    desk.collect()
    if not desk.spec.get("policy") or not desk.marked:
        return RedirectResponse("/promise", 303)
    offered = {family: cards(family) for family in ("methods", "attacks", "measures")}
    known = [(one.name, one.title, one.story) for one in presets().values()]
    return page("compare", desk, **offered, presets=known, **_results(desk))


async def found(request: Request, desk: Desk) -> Response:
    """What there is of the comparison so far: fetched by the page while it runs."""
    return part("compare_found", desk=desk, **_results(desk))


def _results(desk: Desk) -> dict[str, Any]:
    """The comparison, or what a running one has found by now."""
    job = desk.worker.job
    running = job is not None and job.running and job.task == "compare"
    shown = job.found if job is not None and running else desk.compared
    said = {card.name: card.headline for family in ("methods", "measures") for card in cards(family)}
    return {"found": shown, "running": running, "said": said, "matrix": matrix(shown), "chosen": chosen(desk)}


async def begin(request: Request, desk: Desk, form: FormData) -> Response:
    if not desk.spec.get("policy") or not desk.marked:
        return RedirectResponse("/promise", 303)
    try:
        asked = {family: typed(family, form) for family in ("methods", "attacks", "measures")}
    except SpecError as error:
        desk.problems = []
        desk.complain(error.as_json())
        return RedirectResponse("/compare", 303)
    told: dict[str, Any] = {
        "by": str(form.get("by", "")),
        "adversary": [name for name in presets() if form.get(f"adversary.{name}")],
    }
    told |= {"store": str(desk.folder / "trials"), "key": desk.key}  # what was cancelled goes on where it stopped
    desk.forget("compared", "looked", "published")
    job = desk.begin("compare", "Comparing the methods", desk.payload(**asked, **told))
    await settled(job, SOON)
    return RedirectResponse("/compare", 303)


async def look(request: Request, desk: Desk, form: FormData) -> Response:
    """Take one row of the comparison, and see what it does to each column."""
    trials = (desk.compared or {}).get("trials", [])
    number = str(form.get("trial", ""))
    if not number.isdigit() or int(number) >= len(trials) or trials[int(number)]["fault"]:
        return RedirectResponse("/compare", 303)
    desk.spec["method"] = _knobs(trials[int(number)]["method"])
    desk.forget("looked", "published")
    await settled(desk.begin("look", "Looking closer", desk.payload()), SOON)
    return RedirectResponse("/compare#closer", 303)


def _knobs(method: dict[str, Any]) -> dict[str, Any]:
    """A method as a spec tells it: empty knobs left out."""
    return {key: value for key, value in method.items() if value not in (None, [], {})}


def chosen(desk: Desk) -> int | None:
    """The trial whose method is chosen now."""
    trials = (desk.compared or {}).get("trials", [])
    return next((n for n, one in enumerate(trials) if _knobs(one["method"]) == desk.spec.get("method")), None)


def matrix(found: dict[str, Any] | None) -> list[str]:
    """The attacks of a comparison, those inside the promise first: the rows of its matrix."""
    reached = [item for trial in (found or {}).get("trials", []) for item in trial["reached"]]
    shown = [item for item in reached if item["worst"] is not None]
    return list(dict.fromkeys(item["title"] for item in sorted(shown, key=lambda item: not item["inside"])))
