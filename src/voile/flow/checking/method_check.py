"""Check the method that a certificate names: it must exist, make such releases, and have the stated knobs."""

from __future__ import annotations

from voile.errors import VoileError
from voile.methods.base import Method, ShowsItsKnobs
from voile.plugins.registry import as_plain_value, build_plugin, free_texts, narrow_type
from voile.releases.certificate import is_same_json
from voile.releases.release import Release
from voile.results import Answer, Checked


def check_method(release: Release) -> Checked | None:
    """Return what is wrong with the stated method; None if nothing is."""
    stated = dict(release.certificate.method)
    name, knobs = stated.get("name"), {knob: value for knob, value in stated.items() if knob != "name"}
    if not isinstance(name, str):
        return _broken("It names no method.")
    try:
        method = narrow_type(Method, build_plugin("methods", name, knobs))
    except (VoileError, KeyError, TypeError, ValueError, ArithmeticError) as error:
        reason = error.message if isinstance(error, VoileError) else f"The knobs of {name!r} cannot be read."
        return _broken(f"{reason} If a plug-in defines the method, load the plug-in first.")
    entries = release.dictionary["columns"]
    if method.produces != release.shape:
        return _broken(f"{name} makes {method.produces} releases, and this one is {release.shape}.")
    if not is_same_json(as_plain_value(method), stated):
        return _broken(f"It does not state every knob of {name!r} as the method would.")
    if (getattr(method, "publish", None) == "indicator") != any("indicator" in entry for entry in entries):
        return _broken(f"The column that shows protected values or others is not marked as {name!r} marks it.")
    published = {str(entry["name"]) for entry in entries}
    problems = ["names a column that is not published"] if set(free_texts(method)) - published else []
    problems += method.contradictions(release) if isinstance(method, ShowsItsKnobs) else []
    return _broken(f"{name} {', and '.join(problems)}.") if problems else None


def _broken(detail: str) -> Checked:
    return Checked("method", Answer.BROKEN, detail)
