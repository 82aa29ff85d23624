"""Forgeries of certificate.json and dictionary.json: keys that nobody reads, and keys that occur twice."""

from __future__ import annotations

from forging.forgery import Forgery
from forging.named.registry import (
    AGAIN,
    BOX,
    BUCKET,
    LISTS,
    MASKED,
    ROBUST,
    SAMPLE,
    WEIGHT,
    forges,
)

ALL = (BOX, BUCKET, LISTS, SAMPLE, AGAIN)
SECRET = "Bob Smith of 12 High Street has HIV"


# keys that nobody reads -----------------------------------------------------------------------------------------------
@forges(*ALL)
def an_unknown_key_in_the_certificate(f: Forgery) -> None:
    f.certificate["comment"] = SECRET


@forges(*ALL)
def an_unknown_key_in_a_claim(f: Forgery) -> None:
    f.claims[0]["comment"] = SECRET


@forges(BOX)
def a_stronger_bound_under_another_key(f: Forgery) -> None:
    f.claims[0]["guaranteed_bound"] = "1/5000"


@forges(BOX)
def an_unknown_key_in_an_adversary(f: Forgery) -> None:
    f.claims[0]["adversary"]["comment"] = SECRET


@forges(BOX)
def an_unknown_key_in_the_unit_of_a_claim(f: Forgery) -> None:
    f.claims[0]["unit"]["comment"] = SECRET


@forges(*ALL)
def an_unknown_key_in_the_dictionary(f: Forgery) -> None:
    f.dictionary["comment"] = SECRET


@forges(*ALL)
def an_unknown_key_in_an_entry(f: Forgery) -> None:
    f.dictionary["columns"][0]["comment"] = SECRET


@forges(BOX, BUCKET)
def an_unknown_key_in_a_domain(f: Forgery) -> None:
    f.dictionary["columns"][0]["domain"]["comment"] = SECRET


@forges(BOX)
def an_unknown_key_in_the_unit(f: Forgery) -> None:
    f.dictionary["unit"]["comment"] = SECRET


@forges(BOX, BUCKET)
def microdata_in_the_dictionary(f: Forgery) -> None:
    f.dictionary["rows"] = [["Bob Smith", 34, "HIV"]]


@forges(BOX)
def primary_in_a_shape_without_one(f: Forgery) -> None:
    f.dictionary["primary"] = SECRET


@forges(BOX)
def a_channel_in_a_shape_without_one(f: Forgery) -> None:
    f.entry("disease")["keep"] = 0.1


@forges(BOX)
def findings_that_nobody_finds(f: Forgery) -> None:
    f.claims[0]["found"] = {"worst_belief": 0.0001}


@forges(ROBUST, MASKED, SAMPLE)
def findings_of_a_claim_that_needs_more(f: Forgery) -> None:
    f.claims[0]["found"] = {"comment": SECRET}


@forges(BOX, BUCKET)
def an_unknown_parameter(f: Forgery) -> None:
    f.claims[0]["parameters"]["comment"] = SECRET


@forges(BOX, BUCKET, LISTS)
def an_unknown_knob_of_the_method(f: Forgery) -> None:
    f.certificate["method"]["comment"] = SECRET


@forges(BOX)
def a_text_as_a_knob(f: Forgery) -> None:
    f.certificate["method"]["recoding"] = SECRET


@forges(BOX)
def a_nested_object_as_a_knob(f: Forgery) -> None:
    f.certificate["method"]["recoding"] = {"tight": SECRET}


@forges(BOX, BUCKET, LISTS)
def a_changed_explanation_of_a_cell(f: Forgery) -> None:
    """The words say what a cell stands for; these say something else."""
    f.dictionary["columns"][0]["cell"] = "noise: this value belongs to nobody"


@forges(WEIGHT)
def a_changed_meaning_of_a_weight(f: Forgery) -> None:
    f.entry("share")["means"] = SECRET


# keys twice -----------------------------------------------------------------------------------------------------------
@forges(BOX)
def a_bound_stated_twice(f: Forgery) -> None:
    """Some readers take the first one, 1/5000, others the last."""
    f.certificate_text = lambda text: text.replace('"bound": "1/3"', '"bound": "1/5000", "bound": "1/3"', 1)


@forges(BOX)
def a_parameter_stated_twice(f: Forgery) -> None:
    f.certificate_text = lambda text: text.replace('"k": 3', '"k": 5000, "k": 3', 1)


@forges(BOX, BUCKET)
def claims_stated_twice(f: Forgery) -> None:
    f.certificate_text = lambda text: text.replace('"claims":', f'"claims": ["{SECRET}"], "claims":', 1)


@forges(BOX)
def a_domain_stated_twice(f: Forgery) -> None:
    f.dictionary_text = lambda text: text.replace(
        '"domain":', '"domain": {"values": [], "missing": true}, "domain":', 1
    )


@forges(BOX)
def columns_stated_twice(f: Forgery) -> None:
    f.dictionary_text = lambda text: text.replace('"columns":', '"columns": [], "columns":', 1)


@forges(BOX)
def a_key_twice_with_an_escape(f: Forgery) -> None:
    """`bo\\u0075nd` is `bound`."""
    f.certificate_text = lambda text: text.replace('"bound"', '"bo\\u0075nd": "1/5000", "bound"', 1)


@forges(BOX)
def a_file_listed_twice(f: Forgery) -> None:
    f.certificate_text = lambda text: text.replace('"table.parquet":', '"table.parquet": "sha256:00", "table.parquet":')


@forges(BOX, LISTS)
def findings_of_which_there_are_none(f: Forgery) -> None:
    f.certificate["claims"][0]["found"] = {}
