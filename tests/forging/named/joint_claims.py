"""Forgeries of claims that span releases: which releases, against whom, and what they require."""

from __future__ import annotations

from forging.forgery import Forgery
from forging.named.registry import LATER, forges


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


@forges(LATER)
def a_joint_claim_that_covers_the_algorithm(f: Forgery) -> None:
    claim = f.claim("sequential")
    claim["adversary"]["knows"] = [*claim["adversary"]["knows"], "algorithm"]
    claim["not_covered"] = []
