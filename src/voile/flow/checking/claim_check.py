"""Check one claim: it must be readable, follow from its own model, and hold in the published tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from voile.errors import DataError, PolicyError, SpecError, VoileError
from voile.flow.checking.method_check import stated_method
from voile.methods.base import FormsGroupsAgain, complete_promise
from voile.methods.refusals import AccountsForRefusals
from voile.models.abilities import NamesValues
from voile.models.base import Model
from voile.models.claimed_model import claimed_model
from voile.models.evidence import Evidence
from voile.models.kinds import PriorModel, counts_sizes
from voile.models.policy import make_claim
from voile.releases.certificate import Certificate, is_same_json
from voile.releases.release import Release
from voile.releases.strict_reading.shown_values import lists_value
from voile.results import Answer, Checked
from voile.tables.group_counts import Counts, sizes_only
from voile.tables.value_text import count_lookalikes


@dataclass(frozen=True)
class ClaimCheck:
    """What checking a claim gave, and what the model finds beyond its bound."""

    check: Checked
    findings: Mapping[str, Any] = field(default_factory=dict)


def check_claim(
    release: Release,
    claim: Mapping[str, Any],
    tallies: Mapping[str, Counts],
    sizes: np.ndarray,
    evidence: Evidence,
    covers_algorithm: bool,
) -> ClaimCheck:
    """Check a claim on the counts of a release, or of a piece of one. `covers_algorithm` says whether the method that
    made the release covers an adversary who knows it."""
    try:
        model, column = claimed_model(claim), claim["column"]
    except PolicyError as error:
        unknown = error.code == "policy.unknown-model"
        hint = " If a plug-in defines this model, load the plug-in first." if unknown else ""
        return _broken(f"claim {claim.get('model')!r}", error.message + hint)
    except (KeyError, TypeError, ValueError, SpecError):
        return _broken("claim", "It cannot be read.")
    title = claim_title(model, column)
    if release.shape not in model.shapes or (release.unit.rows > 1 and not release.serves_several_rows):
        return _broken(title, f"It has no meaning for a {release.shape} release.")
    counts = sizes_only(sizes) if counts_sizes(model) else tallies.get(str(column))
    if counts is None:
        return _broken(title, "It is about a column that is not published as sensitive.")
    if getattr(getattr(model, "requirement", None), "column", None) not in (None, column):
        return _broken(title, "What it requires is about another column.")
    if _shows_no_values(release, column) and not isinstance(model, PriorModel):
        return _broken(title, f"It counts values, and {column!r} only shows which of them are protected.")
    try:
        different = _differences(model, claim, counts, release, covers_algorithm)
        if different:
            return _broken(title, f"Its {', '.join(different)} does not follow from the model and the method.")
        checked = _check_counts(model, title, release, counts, evidence)
        return _check_groups(checked, model, release, evidence) if covers_algorithm else checked
    except (VoileError, KeyError) as error:
        return _broken(title, str(error))


def _shows_no_values(release: Release, column: object) -> bool:
    """Whether a column tells protected values from others, perhaps not for everybody, and shows no values."""
    return any("indicator" in entry for entry in release.described("sensitive") if entry["name"] == column)


def _broken(title: str, detail: str) -> ClaimCheck:
    return ClaimCheck(Checked(title, Answer.BROKEN, detail))


def _differences(
    model: Model, claim: Mapping[str, Any], counts: Counts, release: Release, covers_algorithm: bool
) -> list[str]:
    """List the parts of a claim that are not what its model would state, given the method that made the release."""
    model.check(counts.column)
    if isinstance(model, NamesValues) and _names_odd_values(model, release, claim["column"]):
        return ["list of protected values"]
    quasi = [str(entry["name"]) for entry in release.described("quasi")]
    several = "quasi_sets" in release.dictionary
    claimed = make_claim(model, counts.column, quasi, release.unit, one_of_several=several)
    expected = (claimed.against_algorithm() if covers_algorithm else claimed).as_json()
    expected["promise"] = complete_promise(stated_method(release.certificate), release, expected["promise"])
    different = [part for part in expected if not is_same_json(expected[part], claim.get(part))]
    return different + (["found"] if _has_odd_findings(model, claim) else [])


def _names_odd_values(model: Model, release: Release, column: object) -> bool:
    """Whether protected values are not declared, or a reader cannot tell them apart."""
    values = getattr(model, "protected_values", ())
    return bool(find_undeclared(model, release, column)) or count_lookalikes(["", *values]) > 0


def find_undeclared(model: Model, release: Release, column: object) -> list[str]:
    """List the protected values of a model that the dictionary does not declare and no cell shows. Where cells only say
    whether a value is a protected one, the claim alone says which values these are."""
    values = getattr(model, "protected_values", ())
    entry = next((entry for entry in release.described("sensitive") if entry["name"] == column), None)
    if entry is None or entry.get("indicator"):
        return []
    return [value for value in values if not lists_value(entry, value)]


def _has_odd_findings(model: Model, claim: Mapping[str, Any]) -> bool:
    """Whether a claim states no finding as findings, one that its model does not have, or one that is no
    probability."""
    if "found" not in claim:
        return False
    findings = claim["found"]
    return (
        not isinstance(findings, Mapping)
        or not findings
        or not all(
            name in model.findings and type(value) in (int, float) and 0 <= value <= 1
            for name, value in findings.items()
        )
    )


def _check_counts(model: Model, title: str, release: Release, counts: Counts, evidence: Evidence) -> ClaimCheck:
    result = model.verify(release, counts, evidence)
    repeatable = model.basis == "process" or result.by_republishing
    if result.answer is Answer.NEEDS and repeatable and evidence.republish is not None:
        try:
            return ClaimCheck(Checked(title, *check_by_republishing(release, evidence.republish)))
        except DataError as error:
            if error.code != "data.ledger":
                raise
    findings = dict(result.found) if result.answer is Answer.HOLDS else {}
    return ClaimCheck(Checked(title, result.answer, result.detail, result.counted), findings)


def _check_groups(checked: ClaimCheck, model: Model, release: Release, evidence: Evidence) -> ClaimCheck:
    """Where a claim covers an adversary who knows the algorithm, say how it is known that the method ran as stated."""
    if checked.check.answer is not Answer.HOLDS or model.basis == "process":
        return checked
    method, note = stated_method(release.certificate), " That no value was looked at is taken from the stated method."
    if isinstance(method, AccountsForRefusals):
        if evidence.republish is not None:
            return ClaimCheck(
                Checked(checked.check.what, *check_by_republishing(release, evidence.republish)), checked.findings
            )
        note = " That refusals were accounted for is taken from the stated method; the table and the key confirm it."
    if isinstance(method, FormsGroupsAgain) and isinstance(model, PriorModel):
        prior = evidence.prior(getattr(model, "prior", None))
        if method.forms_same_groups(release, replace(model, prior=prior)):  # type: ignore[call-arg]
            note = " The groups follow from the statistics alone."
        elif evidence.republish is not None:
            answer, detail = check_by_republishing(release, evidence.republish)
            return replace(checked, check=replace(checked.check, answer=answer, detail=detail))
        else:
            note = " But whether the groups follow from the statistics alone only the table and the key can tell."
            return ClaimCheck(replace(checked.check, answer=Answer.NEEDS, detail=checked.check.detail + note))
    return replace(checked, check=replace(checked.check, detail=checked.check.detail + note))


def check_by_republishing(release: Release, republish: Callable[[Certificate], Release]) -> tuple[Answer, str]:
    """Publish again and compare: random draws cannot be seen in a release, but the table and the key repeat them."""
    again = republish(release.certificate)
    tables = {name: table.cast(pl.String) for name, table in again.drop_ends().items()}
    same = tables.keys() == release.tables.keys() and all(
        tables[name].equals(table.cast(pl.String)) for name, table in release.drop_ends().items()
    )
    if same:
        return Answer.HOLDS, "Publishing again with this table and key gives the same release."
    return Answer.BROKEN, "Publishing again with this table and key gives another release."


def claim_title(model: Model, column: object) -> str:
    """Name a claim for a reader: the model with its parameters, and the column."""
    knobs = ", ".join(
        f"{key}={_brief(value)}" for key, value in model.parameters().items() if value not in (None, [], {}, "")
    )
    return f"{model.name} ({knobs})" + (f" of {column!r}" if column else "")


def _brief(value: object) -> object:
    """Shorten a parameter for a reader: a model within a model to its name, a digest to its first letters."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key}={_brief(item)}" for key, item in value.items() if key != "name" and item is not None)
        return f"{value['name']} ({inner})" if "name" in value else f"({inner})"
    if isinstance(value, list):
        return [_brief(item) for item in value]
    return value[:15] if isinstance(value, str) and value.startswith("sha256:") else value
