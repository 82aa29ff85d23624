"""Render pages from templates. Every text is escaped; only drawings, which the server makes itself, are not."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any

import jinja2
import markupsafe
from starlette.responses import HTMLResponse, Response

from voile.flow.report.page_rendering import bound, finish_text, number, percent, risk
from voile.tables import schema
from voile.tables.roles.role_guessing import UNSURE
from voile.tables.unit import Unit
from voile.version import __version__
from voile.web.form_labels import CHOICES, LABELS
from voile.web.private_storage import shorten_name
from voile.web.visits import Visit

STEPS = (
    ("load", "/", "Load"),
    ("mark", "/mark", "Mark"),
    ("promise", "/promise", "Promise"),
    ("compare", "/compare", "Compare"),
    ("publish", "/publish", "Publish"),
    ("receive", "/receive", "For recipients"),
)
ROLES = {**{role: LABELS[role] for role in schema.ROLES}, "": "leave it out", UNSURE: "not sure: please decide"}
KINDS = {
    "categorical": "categories",
    "ordered": "categories in order",
    "numeric": "numbers",
    "date": "dates",
    "none": "not usable",
}

_pages = jinja2.Environment(
    loader=jinja2.PackageLoader("voile.web", "pages"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
    finalize=finish_text,
)


def plural(count: int, word: str, many: str = "") -> str:
    """Write a count with its noun: `1 person`, `2 people`, `1,000 rows`."""
    return f"{count:,} {word if count == 1 else many or word + 's'}"


def count_unit(count: int, unit: Mapping[str, Any]) -> str:
    """`2 people` where every row is known to be a person, else `2 rows`."""
    return plural(count, "person", "people") if are_people(unit) else plural(count, "row")


def are_people(unit: Mapping[str, Any]) -> bool:
    """Whether every row is known to be a person of its own."""
    known = Unit.parse(unit)
    return known.checked and known.rows == 1


def heat(value: float | None) -> int:
    """Return the colour class of a share, 0 to 10."""
    return round(10 * min(max(value or 0.0, 0.0), 1.0))


def article(noun: str) -> str:
    """`a neighbour`, `an informed neighbour`."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def prose(text: str) -> markupsafe.Markup:
    """Escape a paragraph of a docstring, and show what stands in backticks as code."""
    return markupsafe.Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(markupsafe.escape(text))))


_pages.filters.update(percent=percent, number=number, bound=bound, risk=risk, plural=plural, heat=heat)
_pages.filters.update(quoted=shlex.quote)
_pages.filters.update(article=article, prose=prose, count_unit=count_unit, are_people=are_people, short=shorten_name)
_pages.globals.update(bar=_pages.get_template("parts.html").module)
_pages.globals.update(labels=LABELS, choices=CHOICES, roles=ROLES, kinds=KINDS, steps=STEPS, version=__version__)


def open_steps(visit: Visit) -> set[str]:
    """Return the steps that can be opened now."""
    steps = {"load", "receive"}
    steps |= {"mark"} if visit.inspection else set()
    steps |= {"promise"} if visit.marking else set()
    steps |= {"compare", "publish"} if visit.marking and visit.spec.get("policy") else set()
    return steps


def render_page(template: str, visit: Visit, /, **content: Any) -> Response:
    """Render a step, with the parts of every page: the current step, the running job, the problems."""
    job, here = visit.collect_result(), template.split("_")[0]
    visit.problem_step = visit.problem_step or here
    context: Mapping[str, Any] = {
        "here": here,
        "visit": visit,
        "ready": open_steps(visit),
        "job": job if job is not None and job.running else None,
        "problems": visit.problems if visit.problem_step == here else [],
        **content,
    }
    return HTMLResponse(_pages.get_template(f"{template}.html").render(**context))


def render_part(template: str, /, **content: Any) -> Response:
    """Render a part of a page."""
    return HTMLResponse(_pages.get_template(f"{template}.html").render(**content))


def render_error(status: int, message: str, hint: str) -> Response:
    """Render a page with nothing but an error and a hint."""
    return HTMLResponse(_pages.get_template("error.html").render(message=message, hint=hint), status_code=status)
