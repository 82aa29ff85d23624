"""Forgeries of claims against somebody who knows more: other sensitive values, or how values are disturbed."""

from __future__ import annotations

from typing import Any

import voile as vl
from forging.forgery import Forgery
from forging.named.registry import APART, COLLEAGUE, LISTS, forges
from voile.models.policy import make_claim


def _restate(claim: dict[str, Any], model: Any) -> None:
    """Let a claim say, in all its words, what a model would say about its column."""
    column = claim["column"]
    words = make_claim(model.for_column(column), None).as_json()
    claim["parameters"] = model.for_column(column).parameters()
    claim["promise"] = model.for_column(column).promise(column)
    for part in ("bound", "adversary", "not_covered"):
        claim[part] = words[part]


def _colleague_claims(f: Forgery) -> list[dict[str, Any]]:
    return [claim for claim in f.claims if "knowing" in claim["parameters"]]


@forges(LISTS)
def a_claim_against_a_colleague_whom_nobody_thought_of(f: Forgery) -> None:
    """The words are those of an honest claim, and the groups were not formed for it."""
    for claim in f.claims:
        _restate(claim, vl.MultiDiversity({"disease": 3, "ward": 2}, knowing=1, excluding=1, slack=0.0))


@forges(COLLEAGUE)
def a_smaller_slack(f: Forgery) -> None:
    for claim in _colleague_claims(f):
        _restate(claim, vl.MultiDiversity({"disease": 3, "ward": 3}, knowing=1, excluding=1, slack=0.0))


@forges(COLLEAGUE)
def a_slack_in_text(f: Forgery) -> None:
    for claim in _colleague_claims(f):
        claim["parameters"]["slack"] = "0.15"


@forges(COLLEAGUE)
def a_negative_slack(f: Forgery) -> None:
    for claim in _colleague_claims(f):
        claim["parameters"]["slack"] = -0.15


@forges(COLLEAGUE)
def more_known_columns_than_there_are(f: Forgery) -> None:
    for claim in _colleague_claims(f):
        _restate(claim, vl.MultiDiversity({"disease": 2, "ward": 2}, knowing=2, excluding=1, slack=0.15))


@forges(COLLEAGUE)
def nothing_known_in_the_parameters_only(f: Forgery) -> None:
    for claim in _colleague_claims(f):
        for name in ("knowing", "excluding", "slack"):
            del claim["parameters"][name]


@forges(LISTS)
def a_knowledge_of_nothing_written_out(f: Forgery) -> None:
    for claim in f.claims:
        claim["parameters"]["knowing"] = 0


@forges(LISTS, COLLEAGUE)
def adversaries_with_other_values_left_out(f: Forgery) -> None:
    for claim in f.claims:
        claim["not_covered"] = claim["not_covered"][:1]
        claim["adversary"]["knows"] = [*claim["adversary"]["knows"], "other_value"]


@forges(APART)
def a_level_that_lists_alone_do_not_bear_out(f: Forgery) -> None:
    """A list of six values seems to say 1/6; how common each is, it does not say."""
    primary = f.dictionary["primary"]
    claim = next(claim for claim in f.claims if claim["column"] != primary)
    _restate(claim, vl.MultiDiversity({claim["column"]: 2}, reached={claim["column"]: "1/3"}))
