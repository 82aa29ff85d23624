"""Forgeries that count on arithmetic that wraps, rounds, or takes forever."""

from __future__ import annotations

import re
from typing import Any

from forging.forgery import Forgery
from forging.named.registry import AGAIN, BOX, BUCKET, LISTS, MASKED, ROBUST, SAMPLE, TREE, forges

HUGE = (2**31, 2**32 + 1, 2**53 + 1, 2**60, 2**62, 2**63 - 1, 2**63, 2**64, 2**64 + 1, 10**30, 10**400)


def _claim(f: Forgery, model: str, letter: str, value: Any) -> None:
    """State a claim of another number in all its words."""
    claim = f.claim(model)
    old = claim["parameters"][letter]
    claim["parameters"][letter] = value
    claim["bound"] = f"1/{value}"
    claim["promise"] = re.sub(rf"1/{old}\b", f"1/{value}", claim["promise"])


def _register() -> None:
    """Register one forgery for each model of counts and each huge number."""
    for number in HUGE:
        size = f"2_{number.bit_length() - 1}" if number < 10**30 else f"10_{len(str(number)) - 1}"
        extra = "" if number & (number - 1) == 0 or number > 2**65 else "_more" if number & 1 and number > 2**32 else ""

        def k(f: Forgery, number: int = number) -> None:
            _claim(f, "k-anonymity", "k", number)
            claim = f.claim("k-anonymity")
            claim["promise"] = re.sub(r"at least \d+", f"at least {number - 1}", claim["promise"])

        def l(f: Forgery, number: int = number) -> None:  # noqa: E743 - the letter of the literature
            _claim(f, "l-diversity", "l", number)

        def m(f: Forgery, number: int = number) -> None:
            _claim(f, "m-confidentiality", "m", number)

        def again(f: Forgery, number: int = number) -> None:
            _claim(f, "m-invariance", "m", number)

        def rows(f: Forgery, number: int = number) -> None:
            for place in (*f.claims, f.dictionary):
                place["unit"]["rows"] = number

        made = (("k", k, (BOX,)), ("l", l, (BOX, BUCKET)), ("m", m, (MASKED,)), ("again_m", again, (AGAIN,)))
        for letter, forge, folders in (*made, ("rows", rows, (BOX, BUCKET))):
            forge.__name__ = f"huge_{letter}_of_{size}{extra}"
            forges(*folders)(forge)


_register()


@forges(BUCKET)
def an_l_that_wraps_to_a_small_product(f: Forgery) -> None:
    """largest * l modulo 2^64 is small for this l."""
    _claim(f, "l-diversity", "l", 2**62)


@forges(TREE)
def a_t_that_takes_forever(f: Forgery) -> None:
    """As a fraction, this number has a hundred million digits."""
    f.claim("t-closeness")["parameters"]["t"] = "1e99999999"


@forges(TREE)
def a_small_t_that_takes_forever(f: Forgery) -> None:
    f.claim("t-closeness")["parameters"]["t"] = "1e-99999999"


@forges(LISTS)
def a_level_that_takes_forever(f: Forgery) -> None:
    f.claim("multi-diversity")["parameters"]["reached"] = {"disease": "1e-99999999"}


@forges(LISTS)
def a_level_of_a_million_digits(f: Forgery) -> None:
    f.claim("multi-diversity")["parameters"]["reached"] = {"disease": "1/" + "9" * 1_000_000}


@forges(ROBUST)
def an_r_that_takes_forever(f: Forgery) -> None:
    f.claim("r-robustness")["parameters"]["r"] = "1e99999999"


@forges(SAMPLE)
def a_rho_that_takes_forever(f: Forgery) -> None:
    f.claim("anti-corruption")["parameters"]["rho2"] = "1e-99999999"


@forges(SAMPLE)
def a_probability_that_is_no_number(f: Forgery) -> None:
    f.dictionary_text = lambda text: re.sub(r'"keep": [\d.e-]+', '"keep": NaN', text)


@forges(TREE)
def a_t_that_is_no_number(f: Forgery) -> None:
    f.certificate_text = lambda text: text.replace('"t": 0.6', '"t": NaN')


@forges(TREE)
def a_t_that_is_infinite(f: Forgery) -> None:
    f.certificate_text = lambda text: text.replace('"t": 0.6', '"t": Infinity')


@forges(TREE)
def a_t_that_is_smaller(f: Forgery) -> None:
    claim = f.claim("t-closeness")
    claim["parameters"]["t"] = 0.001
    claim["bound"] = "1/1000"
    claim["promise"] = claim["promise"].replace("0.6", "0.001").replace("3/5", "1/1000")


@forges(BOX)
def an_end_of_a_domain_beyond_all_integers(f: Forgery) -> None:
    f.entry("age")["domain"]["max"] = 10**400


@forges(BOX)
def an_end_of_a_domain_beyond_its_type(f: Forgery) -> None:
    f.entry("age")["domain"]["max"] = 2**64


@forges(BUCKET)
def a_list_of_numbers_beyond_their_type(f: Forgery) -> None:
    f.entry("age")["domain"] = {"values": [10**30], "missing": False}


@forges(BUCKET)
def a_list_of_numbers_and_texts(f: Forgery) -> None:
    f.entry("age")["domain"] = {"values": [1, "2"], "missing": False}


@forges(BUCKET)
def a_list_of_nested_values(f: Forgery) -> None:
    f.entry("city")["domain"]["values"] = [["Bern"], ["Lyon"], ["Oslo"]]


@forges(ROBUST)
def statistics_of_more_columns_than_anybody_counts(f: Forgery) -> None:
    f.claim("r-robustness")["parameters"]["max_columns"] = 2**62


@forges(ROBUST)
def statistics_that_come_from_nowhere(f: Forgery) -> None:
    f.claim("r-robustness")["parameters"]["source"] = None
