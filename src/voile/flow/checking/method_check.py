"""Check the method that a certificate names: it must exist, make such releases, and have the stated knobs; and whether
its claims cover an adversary who knows it."""

from __future__ import annotations

import json

from voile.errors import VoileError
from voile.methods.base import CoversAlgorithm, Method, ShowsItsKnobs, covers_algorithm
from voile.models.claimed_model import claimed_model
from voile.models.policy import Policy
from voile.plugins.registry import as_plain_value, build_plugin, free_texts, narrow_type
from voile.releases.certificate import Certificate, is_same_json
from voile.releases.dictionary import ALTERED_VALUE
from voile.releases.release import Release
from voile.results import Answer, Checked


def check_method(release: Release) -> Checked | None:
    """Return what is wrong with the stated method; None if nothing is."""
    stated = dict(release.certificate.method)
    name = stated.get("name")
    if not isinstance(name, str):
        return _broken("It names no method.")
    try:
        method = stated_method(release.certificate)
    except (VoileError, KeyError, TypeError, ValueError, ArithmeticError) as error:
        reason = error.message if isinstance(error, VoileError) else f"The knobs of {name!r} cannot be read."
        return _broken(f"{reason} If a plug-in defines the method, load the plug-in first.")
    entries = release.dictionary["columns"]
    if method.produces != release.shape:
        return _broken(f"{name} makes {method.produces} releases, and this one is {release.shape}.")
    if not is_same_json(as_plain_value(method), stated):
        return _broken(f"It does not state every knob of {name!r} as the method would.")
    indicators = [entry["domain"].get("values") for entry in entries if "indicator" in entry]
    if indicators != ([[*method.indicator_labels]] if method.indicator_labels else []):
        return _broken(f"The column that shows protected values or others is not marked as {name!r} marks it.")
    if method.removes_values != any(entry["cell"] == ALTERED_VALUE for entry in entries):
        return _broken(f"The dictionary does not say of altered values what {name!r} does to them.")
    chosen = any("tails" in entry.get("steering", {}) for entry in entries)
    if (
        chosen
        and claims_cover_algorithm(release.certificate)
        and any(c.get("column") for c in release.certificate.claims)
    ):
        return _broken(f"{name} covers who knows the algorithm, and bounds were chosen by sensitive values.")
    published = {str(entry["name"]) for entry in entries}
    problems = ["names a column that is not published"] if set(free_texts(method)) - published else []
    problems += method.contradictions(release) if isinstance(method, ShowsItsKnobs) else []
    return _broken(f"{name} {', and '.join(problems)}.") if problems else None


def claims_cover_algorithm(certificate: Certificate) -> bool:
    """Return whether the stated method, under the stated models, covers an adversary who knows the algorithm. What
    cannot be read covers nobody."""
    try:
        method = stated_method(certificate)
        if not isinstance(method, CoversAlgorithm):
            return False
        distinct = {
            json.dumps([claim["model"], claim["parameters"], claim["unit"]]): claim for claim in certificate.claims
        }
        return covers_algorithm(method, Policy(*map(claimed_model, distinct.values())))
    except (VoileError, KeyError, TypeError, ValueError, ArithmeticError):
        return False


def stated_method(certificate: Certificate) -> Method:
    """Build the method that a certificate names, with its knobs."""
    knobs = {knob: value for knob, value in certificate.method.items() if knob != "name"}
    return narrow_type(Method, build_plugin("methods", str(certificate.method["name"]), knobs))


def _broken(detail: str) -> Checked:
    return Checked("method", Answer.BROKEN, detail)
