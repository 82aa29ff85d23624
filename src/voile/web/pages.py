"""Pages from templates. Every text is escaped; drawings are the server's own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import jinja2
from starlette.responses import HTMLResponse, Response

from voile.flow.report.page_rendering import bound, number, percent, risk
from voile.tables import schema
from voile.version import __version__
from voile.web.form_labels import CHOICES, LABELS
from voile.web.visitor import Desk

STEPS = (
    ("load", "/", "Load"),
    ("mark", "/mark", "Mark"),
    ("promise", "/promise", "Promise"),
    ("compare", "/compare", "Compare"),
    ("publish", "/publish", "Publish"),
    ("receive", "/receive", "For recipients"),
)
ROLES = {**{role: LABELS[role] for role in schema.ROLES}, "": "leave it out"}
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
)


def plural(count: int, word: str, many: str = "") -> str:
    """`1 person`, `2 people`, `1,000 rows`."""
    return f"{count:,} {word if count == 1 else many or word + 's'}"


def heat(value: float | None) -> int:
    """A class of colour for a share, 0 to 10."""
    return round(10 * min(max(value or 0.0, 0.0), 1.0))


_pages.filters.update(percent=percent, number=number, bound=bound, risk=risk, plural=plural, heat=heat)
_pages.globals.update(
    labels=LABELS, choices=CHOICES, roles=ROLES, kinds=KINDS, steps=STEPS, version=__version__, infinite=math.inf
)


def ready(desk: Desk) -> set[str]:
    """The steps that can be opened now."""
    done = {"load", "receive"}
    done |= {"mark"} if desk.seen else set()
    done |= {"promise"} if desk.marked else set()
    done |= {"compare", "publish"} if desk.marked and desk.spec.get("policy") else set()
    return done


def page(template: str, desk: Desk, /, **content: Any) -> Response:
    """A step, with what every page shows: where one is, what is running, what went wrong."""
    job, here = desk.collect(), template.split("_")[0]
    desk.where = desk.where or here
    shown: Mapping[str, Any] = {
        "here": here,
        "desk": desk,
        "ready": ready(desk),
        "job": job if job is not None and job.running else None,
        "problems": desk.problems if desk.where == here else [],
        **content,
    }
    return HTMLResponse(_pages.get_template(f"{template}.html").render(**shown))


def part(template: str, /, **content: Any) -> Response:
    """A piece of a page."""
    return HTMLResponse(_pages.get_template(f"{template}.html").render(**content))


def oops(status: int, message: str, hint: str) -> Response:
    """A page for who cannot be helped further."""
    return HTMLResponse(_pages.get_template("oops.html").render(message=message, hint=hint), status_code=status)
