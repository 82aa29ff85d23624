"""Limits: what is not promised, as far as the claims and the columns tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from voile.flow.report.sections import columns, promises
from voile.flow.report.subject import Subject
from voile.tables.unit import Unit


def fill(subject: Subject) -> dict[str, Any]:
    attacked = bool(subject.audit and subject.audit.findings)
    claims, described = promises.fill(subject)["promises"], columns.fill(subject)["columns"]
    listed = "Only the listed attacks were run; another one could still succeed."
    ran = listed if attacked else "No attack was run for this report."
    return {"limits": [*list_limits(claims, described, subject.unit), ran]}


def list_limits(claims: Sequence[Mapping[str, Any]], columns: Sequence[Mapping[str, str]], unit: Unit) -> list[str]:
    """List what claims do not promise."""
    covered, against = {claim["column"] for claim in claims}, {item for claim in claims for item in claim["knows"]}
    other = [column["name"] for column in columns if column["role"] == "other"]
    bare = [column["name"] for column in columns if column["role"] == "sensitive" and column["name"] not in covered]
    limits = [
        "Every promise depends on the choice of the quasi-identifier. If an adversary knows a column about people that "
        "has another role here, the promise does not account for it.",
        _describe_people(unit),
    ]
    if any(claim["limits"] == "identity" for claim in claims):
        limits.append(
            "A limit on identity, such as k-anonymity, does not protect shared values: if everybody in a group has the "
            "same value, it is known for each of them without finding anybody's row."
        )
    if bare:
        limits.append(f"No claim limits what can be believed about the sensitive {name_columns(bare)}.")
    if other:
        limits.append(f"Published unchanged, with no claim about it: the {name_columns(other)}.")
    open_claims = [str(claim["model"]) for claim in claims if "algorithm" not in claim["knows"]]
    if open_claims:
        what = "Nothing here holds" if "algorithm" not in against else f"{_name_models(open_claims)} does not hold"
        limits.append(
            f"{what} against someone who knows the algorithm and reasons about why it grouped people as it did (a "
            "minimality attack)."
        )
    if "corruption" not in against:
        limits.append("Nothing here holds against someone who knows the sensitive values of other people in the table.")
    limits.append(
        "Each promise is about this release alone. A second release of the same people can be combined with it, and "
        "together they may reveal more than either."
    )
    return limits


def _describe_people(unit: Unit) -> str:
    """What the promise says about people rests on how many rows each of them has."""
    if unit.rows > 1:
        return (
            f"A person may have up to {unit.rows} rows, and the promise takes them as unrelated. It does not hold "
            "against someone who knows how many rows a person has and that these rows agree, as with a chronic disease."
        )
    if unit.checked:
        return (
            "That every row is a different person is the publisher's word: they checked it with a column that is not "
            "published."
        )
    return (
        "Every row is taken as a different person, and the publisher did not check it. If somebody has several rows, "
        "the promise holds for each row, but not for the person."
    )


def _name_models(models: Sequence[str]) -> str:
    return f"The promise of {' and of '.join(dict.fromkeys(models))}"


def name_columns(columns: Sequence[str]) -> str:
    """A few names in full; of many, the first ones."""
    listed = ", ".join(f"'{name}'" for name in columns[:6])
    more = f" and {len(columns) - 6} more" if len(columns) > 6 else ""
    return f"column{'' if len(columns) == 1 else 's'} {listed}{more}"
