"""Multi-diversity against somebody who knows other sensitive values of a person: the request, the words, the check."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from voile.adversaries.adversary import join_phrases
from voile.errors import PolicyError, parameter
from voile.models.base import Verification
from voile.models.evidence import Evidence
from voile.plugins.counted_nouns import count_noun
from voile.releases.release import Release
from voile.releases.row_matching.known_values import SETS, Allowance, count_exclusions
from voile.results import Answer
from voile.tables.schema import Columns

ROUNDING = 1e-9


def check_knowledge(owner: str, knowing: int, excluding: int, columns: Columns) -> None:
    """Raise PolicyError where there is not so much to know, or too much to look at."""
    others = max(len(columns.sensitive) - 1, 0)
    if knowing > others:
        raise PolicyError(
            f"{owner}: knowing = {knowing}, but there {'is' if others == 1 else 'are'} "
            f"{count_noun(others, 'other sensitive column')}.",
            code="policy.parameter",
            hint=f"Use {parameter('knowing', others)}." if others else "Mark more columns as sensitive.",
        )
    if not excluding:
        return
    widest = max((column.size for column in columns.sensitive), default=0)
    if not others or excluding >= widest:
        raise PolicyError(
            f"{owner}: excluding = {excluding} leaves no value of any other sensitive column.",
            code="policy.parameter",
            hint="Rule out fewer values, or mark more columns as sensitive.",
        )
    sets = count_exclusions(widest, excluding)
    if sets > SETS:
        raise PolicyError(
            f"{owner}: excluding = {excluding} of {widest} values makes {sets} sets, and at most {SETS} are looked at.",
            code="policy.parameter",
            hint="Rule out fewer values.",
        )


def promise_given(allowance: Allowance, column: str, bound: Fraction) -> str:
    """State what somebody who knows other values cannot believe."""
    number, further = allowance.knowing, "a further" if allowance.knowing else "another"
    known = "another sensitive column" if number == 1 else f"up to {number} other sensitive columns"
    values = "one value" if allowance.excluding == 1 else f"up to {allowance.excluding} values"
    phrases = [f"a person's value in {known}"] * bool(number)
    phrases += [f"{values} of {further} sensitive column that the person does not have"] * bool(allowance.excluding)
    return (
        f"Somebody who knows {join_phrases(phrases)} can link nobody to a value of {column!r} with probability above "
        f"{bound}, or more than {allowance.slack:g} above the share of that value among all rows of the table that "
        "agree with this, whichever is more, if all ways to match sensitive rows with people that fit the tables are "
        "equally likely."
    )


def verify_given(allowance: Allowance, release: Release, name: str, evidence: Evidence) -> Verification:
    """Check the beliefs of somebody who knows other values, in every group and for everything that may be known."""
    values = [len(np.unique(release.tallies[other].values)) for other in release.sensitive_names if other != name]
    too_many = any(count_exclusions(size, allowance.excluding) > SETS for size in values)
    if allowance.knowing > len(values) or not values or too_many:
        return Verification(Answer.BROKEN, "The release does not have that much to know or to rule out.")
    beliefs = release.beliefs_given(name, allowance, evidence.data)
    if beliefs is None:
        remark = "The table at hand is another one, or has other rows. " if evidence.data is not None else ""
        reason = "Which values occur together is not published; checking it needs the table."
        return Verification(Answer.NEEDS, remark + reason)
    failing = int((beliefs.excess > ROUNDING).sum())
    if failing:
        detail = f"Of {count_noun(release.groups, 'group')}, {failing} tell more to somebody who knows other values."
        return Verification(Answer.BROKEN, detail)
    largest = float(beliefs.largest.max(initial=0.0))
    groups = count_noun(release.groups, "group")
    detail = f"Counted in {groups} for everything that may be known: belief is at most {largest:.4f}"
    return Verification(
        Answer.HOLDS, f"{detail}, and where it is above 1/l, at most {allowance.slack:g} above the share in the table."
    )
