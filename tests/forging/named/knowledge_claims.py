"""Forgeries of claims against somebody who knows more: other sensitive values, how values are disturbed, or other
releases."""

from __future__ import annotations

from typing import Any

import voile as vl
from forging.forgery import Forgery
from forging.named.registry import APART, CAPPED, COLLEAGUE, EPSILON, INDICATOR, LATER, LATER_CSV, LISTS, forges
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


# label differential privacy -------------------------------------------------------------------------------------------
def _claim_epsilon(f: Forgery, epsilon: Any, **knobs: Any) -> None:
    claim, model = f.claim("label-differential-privacy"), vl.LabelDifferentialPrivacy(float(epsilon), **knobs)
    claim["parameters"] |= {"epsilon": epsilon, **knobs}
    claim["bound"], claim["promise"] = str(model.bound()), model.promise(claim["column"])


@forges(EPSILON)
def a_smaller_epsilon(f: Forgery) -> None:
    _claim_epsilon(f, 1.5)


@forges(EPSILON)
def an_epsilon_that_lasts_for_more_releases(f: Forgery) -> None:
    _claim_epsilon(f, 2.0, releases=3)


@forges(EPSILON)
def an_epsilon_in_text(f: Forgery) -> None:
    f.claim("label-differential-privacy")["parameters"]["epsilon"] = "2.0"


@forges(EPSILON)
def an_epsilon_beyond_all_bounds(f: Forgery) -> None:
    f.claim("label-differential-privacy")["parameters"]["epsilon"] = 1e308


@forges(EPSILON)
def people_who_stay_in_a_single_release(f: Forgery) -> None:
    f.claim("label-differential-privacy")["parameters"]["stayers"] = 30


@forges(EPSILON)
def earlier_releases_without_people_who_stay(f: Forgery) -> None:
    claim = f.claim("label-differential-privacy")
    claim["parameters"]["earlier"] = ["sha256:" + "0" * 64]
    model = vl.LabelDifferentialPrivacy(2.0, earlier=tuple(claim["parameters"]["earlier"]))
    claim["promise"], claim["adversary"] = model.promise(claim["column"]), model.adversary().as_json()


@forges(EPSILON)
def a_larger_p_than_epsilon_allows(f: Forgery) -> None:
    f.certificate["method"]["p"] = 0.99
    f.entry("disease")["keep"] = 0.99


@forges(EPSILON)
def quasi_identifiers_that_are_covered_too(f: Forgery) -> None:
    f.claim("label-differential-privacy")["not_covered"] = []


@forges(INDICATOR, CAPPED)
def diversity_of_a_column_that_shows_no_values(f: Forgery) -> None:
    """The cells only tell protected values from others, and with a cap not even that of everybody: "not shown" would be
    counted as a value of its own."""
    model = vl.LDiversity(l=2, form="distinct")
    claim = {key: part for key, part in f.claims[0].items() if key != "found"}
    claim |= make_claim(model, None).as_json() | {key: claim[key] for key in ("column", "quasi", "unit")}
    claim |= {"parameters": {"l": 2, "form": "distinct", "c": None}, "promise": model.promise("disease")}
    f.certificate["claims"].append(claim)


# claims that span releases: which ones, against whom, and what they require ------------------------------------------
@forges(LATER)
def a_joint_claim_about_no_release(f: Forgery) -> None:
    """The claim would hold without looking at anything, and still speaks of an earlier release."""
    f.claim("sequential")["parameters"]["earlier"] = []


@forges(LATER)
def a_joint_claim_about_something_that_is_no_release(f: Forgery) -> None:
    """Nobody can ever have it, so nobody could ever say that the claim is broken."""
    f.claim("sequential")["parameters"]["earlier"] = ["the release of last year"]


@forges(LATER)
def a_joint_claim_that_counts_more_releases_than_it_names(f: Forgery) -> None:
    claim = f.claim("sequential")
    claim["promise"] = claim["promise"].replace("the earlier release", "the 7 earlier releases")


@forges(LATER)
def rates_that_the_claim_does_not_cover(f: Forgery) -> None:
    """The parameters leave known rates out, and the words promise them."""
    f.claim("sequential")["parameters"]["known_rates"] = False


@forges(LATER)
def a_gap_that_is_not_mentioned(f: Forgery) -> None:
    claim = f.claim("sequential")
    claim["parameters"]["known_rates"] = False
    claim["promise"] = claim["promise"].replace(", and also for an adversary who knows how common the values are", "")


@forges(LATER)
def a_stronger_requirement_of_several_releases(f: Forgery) -> None:
    """No group is that diverse, whatever the other releases show."""
    claim = f.claim("sequential")
    claim["parameters"]["requirement"]["l"], claim["bound"] = 5, "1/5"
    claim["promise"] = claim["promise"].replace("1/2", "1/5")


@forges(LATER, LATER_CSV)
def a_requirement_of_another_column(f: Forgery) -> None:
    """Nobody could say what is required, and whoever lacks the ledger would wait for it."""
    f.claim("sequential")["parameters"]["requirement"]["column"] = "city"


@forges(LATER)
def a_joint_claim_that_covers_the_algorithm(f: Forgery) -> None:
    claim = f.claim("sequential")
    claim["adversary"]["knows"] = [*claim["adversary"]["knows"], "algorithm"]
    claim["not_covered"] = []
