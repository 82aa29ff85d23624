"""Forgeries of what the certificate says: a claim in other words, the method, the tool, the format, withheld people."""

from __future__ import annotations

import re
from typing import Any

from forging.forgery import Forgery
from forging.named.registry import (
    AGAIN,
    BOX,
    BOX_CSV,
    BUCKET,
    LISTS,
    PEOPLE,
    SAMPLE,
    forges,
)

ALL = (BOX, BUCKET, LISTS, SAMPLE, AGAIN)
SECRET = "Bob Smith of 12 High Street has HIV"


# the same claim in other words ----------------------------------------------------------------------------------------
def _claim_more(f: Forgery, value: Any, bound: str) -> None:
    claim = f.claim("k-anonymity")
    claim["parameters"]["k"], claim["bound"] = value, bound
    claim["promise"] = claim["promise"].replace("1/3", bound).replace("at least 2", f"at least {value}")


@forges(BOX, BOX_CSV)
def a_larger_k(f: Forgery) -> None:
    _claim_more(f, 5000, "1/5000")
    f.claim("k-anonymity")["promise"] = re.sub(r"at least \d+", "at least 4999", f.claim("k-anonymity")["promise"])


@forges(BOX)
def a_bound_with_decimals(f: Forgery) -> None:
    f.claim("k-anonymity")["bound"] = "1/3.0"


@forges(BOX)
def a_bound_in_other_digits(f: Forgery) -> None:
    f.claim("k-anonymity")["bound"] = "1/٣"


@forges(BOX)
def a_bound_with_an_invisible_character(f: Forgery) -> None:
    f.claim("k-anonymity")["bound"] = "1/3\u200b"


@forges(BOX)
def a_bound_that_is_not_reduced(f: Forgery) -> None:
    f.claim("k-anonymity")["bound"] = "2/6"


@forges(BOX)
def a_k_in_text(f: Forgery) -> None:
    f.claim("k-anonymity")["parameters"]["k"] = "3"


@forges(BOX)
def a_k_in_other_digits(f: Forgery) -> None:
    f.claim("k-anonymity")["parameters"]["k"] = "٣"


@forges(BOX)
def a_k_in_superscript(f: Forgery) -> None:
    f.claim("k-anonymity")["parameters"]["k"] = "³"


@forges(BOX)
def a_k_with_a_fraction(f: Forgery) -> None:
    f.claim("k-anonymity")["parameters"]["k"] = 3.0


@forges(BOX)
def a_parameter_that_is_true(f: Forgery) -> None:
    f.claim("k-anonymity")["parameters"]["k"] = True


@forges(BOX)
def a_promise_with_more_words(f: Forgery) -> None:
    f.claims[0]["promise"] += " " + SECRET


@forges(BOX)
def another_name_of_the_adversary(f: Forgery) -> None:
    f.claims[0]["adversary"]["name"] = "anybody at all"


@forges(BOX)
def an_adversary_who_knows_more(f: Forgery) -> None:
    f.claims[0]["adversary"]["knows"].append("algorithm")


@forges(BOX, BUCKET)
def claims_against_the_algorithm_by_a_method_that_looks_at_values(f: Forgery) -> None:
    for claim in f.claims:
        claim["adversary"]["knows"].append(
            "algorithm"
        )  # last in the list of what a neighbour may know, as it should be
        claim["not_covered"] = []


@forges(BOX, BUCKET)
def nobody_who_is_not_covered(f: Forgery) -> None:
    for claim in f.claims:
        claim["not_covered"] = []


@forges(BOX, BUCKET)
def a_claim_about_fewer_columns(f: Forgery) -> None:
    f.claims[-1]["quasi"] = f.claims[-1]["quasi"][:1]


@forges(BOX)
def a_claim_about_columns_in_another_order(f: Forgery) -> None:
    f.claims[0]["quasi"].reverse()


@forges(BOX, BUCKET)
def no_claims(f: Forgery) -> None:
    f.certificate["claims"] = []


@forges(BOX)
def a_claim_of_an_unknown_model(f: Forgery) -> None:
    f.claims[0]["model"] = "perfect-privacy"


@forges(BOX)
def a_claim_in_another_spelling(f: Forgery) -> None:
    f.claims[0]["model"] = "K-Anonymity"


@forges(PEOPLE)
def a_unit_of_one_row_in_the_claims_only(f: Forgery) -> None:
    for claim in f.claims:
        claim["unit"] = {"of": "person", "rows": 1, "basis": "assumed"}


@forges(BOX)
def a_unit_of_other_kind(f: Forgery) -> None:
    for place in (*f.claims, f.dictionary):
        place["unit"] = {"of": "household", "rows": 1, "basis": "assumed"}


@forges(BOX)
def a_unit_with_an_unknown_basis(f: Forgery) -> None:
    for place in (*f.claims, f.dictionary):
        place["unit"]["basis"] = SECRET


@forges(BOX)
def a_unit_of_a_fraction_of_a_row(f: Forgery) -> None:
    for place in (*f.claims, f.dictionary):
        place["unit"]["rows"] = 0.5


@forges(BOX)
def a_unit_of_no_rows(f: Forgery) -> None:
    for place in (*f.claims, f.dictionary):
        place["unit"]["rows"] = 0


@forges(BOX)
def no_unit_at_all(f: Forgery) -> None:
    for place in (*f.claims, f.dictionary):
        del place["unit"]


# method, tool, format -------------------------------------------------------------------------------------------------
@forges(*ALL)
def a_method_that_does_not_exist(f: Forgery) -> None:
    f.certificate["method"] = {"name": "differential-privacy", "epsilon": 0.1}


@forges(BOX)
def a_method_of_another_shape(f: Forgery) -> None:
    f.certificate["method"] = {"name": "anatomy"}


@forges(*ALL)
def a_method_without_a_name(f: Forgery) -> None:
    f.certificate["method"] = {}


@forges(BOX, BUCKET)
def a_tool_that_does_not_exist(f: Forgery) -> None:
    f.certificate["tool"] = "certified by the data protection office"


@forges(BOX)
def a_tool_with_more_words(f: Forgery) -> None:
    f.certificate["tool"] += " " + SECRET


@forges(BOX)
def a_format_in_text(f: Forgery) -> None:
    f.certificate["format"] = str(f.certificate["format"])


@forges(BOX)
def a_format_with_a_fraction(f: Forgery) -> None:
    f.certificate["format"] = float(f.certificate["format"])


@forges(BOX)
def a_format_that_is_true(f: Forgery) -> None:
    f.certificate["format"] = True


@forges(BOX)
def no_format(f: Forgery) -> None:
    del f.certificate["format"]


@forges(BOX)
def an_unknown_format(f: Forgery) -> None:
    f.certificate["format"] = 99


@forges(BOX)
def another_format_of_the_dictionary(f: Forgery) -> None:
    f.dictionary["format"] = 99


@forges(BOX)
def no_format_of_the_dictionary(f: Forgery) -> None:
    del f.dictionary["format"]


@forges(BOX)
def a_dictionary_whose_format_is_true(f: Forgery) -> None:
    f.dictionary["format"] = True


# withheld -------------------------------------------------------------------------------------------------------------
@forges(*ALL)
def a_negative_number_of_withheld_people(f: Forgery) -> None:
    f.dictionary["withheld"] = -5


@forges(BOX)
def withheld_that_is_true(f: Forgery) -> None:
    f.dictionary["withheld"] = True


@forges(BOX)
def withheld_with_a_fraction(f: Forgery) -> None:
    f.dictionary["withheld"] = 1.5


@forges(BOX)
def withheld_in_text(f: Forgery) -> None:
    f.dictionary["withheld"] = SECRET


@forges(BOX)
def no_number_of_withheld_people(f: Forgery) -> None:
    del f.dictionary["withheld"]


@forges(BOX)
def more_withheld_people_than_anybody_counts(f: Forgery) -> None:
    f.dictionary["withheld"] = 10**400
