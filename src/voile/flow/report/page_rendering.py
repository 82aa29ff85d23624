"""A page of its own: one HTML file with style and drawings inside, no script, no font, nothing to load."""

from __future__ import annotations

import math
import re
from functools import partial
from importlib import resources
from typing import Any

from voile.errors import hide_credentials
from voile.plugins.number_text import parse_number

HERE = "voile.flow.report"


def render(template: str, package: str = HERE, **content: Any) -> str:
    """Fill in a template of a package (or of this one), under the style that all pages share. Content is escaped."""
    import jinja2

    loader = jinja2.FunctionLoader(partial(_text, package))
    layout: Any = {"trim_blocks": True, "lstrip_blocks": True, "undefined": jinja2.StrictUndefined}
    page = jinja2.Environment(loader=loader, autoescape=True, finalize=finish_text, **layout)
    page.filters.update(percent=percent, number=number, bound=bound, risk=risk)
    return page.get_template(template).render(**content, style=_text(HERE, "style.css"))


def _text(package: str, name: str) -> str:
    own = resources.files(package).joinpath(name)
    return (own if own.is_file() else resources.files(HERE).joinpath(name)).read_text(encoding="utf-8")


def finish_text(value: Any) -> Any:
    """Hide the passwords of URLs in a text that a page shows. Drawings are left as they are: voile makes them."""
    return hide_credentials(value) if type(value) is str else value


def percent(share: float | None) -> str:
    """A share for a reader; what is not quite nothing or not quite all is not rounded to it.

    >>> [percent(share) for share in (0, 0.2, 1 / 3, 1 / 400, 0.00001, 0.99999, 1)]
    ['0 %', '20 %', '33.3 %', '0.25 %', 'under 0.01 %', 'over 99.9 %', '100 %']
    """
    if share is None:
        return "–"
    if 0 < share < 0.0001:
        return "under 0.01 %"
    if 0.999 < share < 1:
        return "over 99.9 %"
    return f"{100 * share:.{2 if share < 0.01 else 1}f}".rstrip("0").rstrip(".") + " %"


def number(value: float | None) -> str:
    """A number of any size with three digits that matter.

    >>> [number(value) for value in (400, 12345.6, 0.12345, 2.5)]
    ['400', '12,346', '0.123', '2.5']
    """
    if value is None or not math.isfinite(value):
        return "–"
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 0.001 else f"{value:.1e}"


def risk(value: float | None, limits: str) -> str:
    """A probability in percent, a distance as a number."""
    return number(value) if limits == "distance" else percent(value)


def bound(stated: str | None, limits: str) -> str:
    """A bound as the certificate states it, and what it comes to.

    >>> [bound("1/5", "identity"), bound("1/5", "distance"), bound("1", "belief")]
    ['1/5 = 20 %', '1/5 = 0.20', 'no limit']
    """
    if stated is None or not re.fullmatch(r"\d{1,18}(/0*[1-9]\d{0,17})?", stated):
        return stated or "–"  # a certificate from elsewhere may state anything
    value = parse_number(stated)
    if value >= 1:
        return "no limit"
    return f"{stated} = " + (f"{value:.2f}" if limits == "distance" else percent(value))
