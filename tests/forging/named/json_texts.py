"""Forgeries of the text of the documents: JSON that libraries read in different ways."""

from __future__ import annotations

import re

from forging.forgery import Forgery
from forging.named.registry import (
    BOX,
    BUCKET,
    forges,
)

SECRET = "Bob Smith of 12 High Street has HIV"


# texts ----------------------------------------------------------------------------------------------------------------
@forges(BOX)
def a_byte_order_mark(f: Forgery) -> None:
    f.certificate_text = lambda text: "\ufeff" + text


@forges(BOX)
def a_dictionary_in_another_encoding(f: Forgery) -> None:
    f.dictionary_text = lambda text: text.encode("utf-16")


@forges(BOX)
def text_that_is_not_utf8(f: Forgery) -> None:
    f.certificate_text = lambda text: text.encode().replace(b"voile", b"vo\xefle")


@forges(BOX)
def a_lone_surrogate(f: Forgery) -> None:
    f.dictionary_text = lambda text: text.replace('"Bern"', '"Bern\\ud800"')


@forges(BOX)
def not_a_number_in_json(f: Forgery) -> None:
    f.dictionary_text = lambda text: text.replace('"withheld": 0', '"withheld": NaN')


@forges(BOX)
def infinity_in_json(f: Forgery) -> None:
    f.dictionary_text = lambda text: re.sub(r'"max": \d+', '"max": Infinity', text, count=1)


@forges(BOX)
def a_number_beyond_all_floats(f: Forgery) -> None:
    f.dictionary_text = lambda text: re.sub(r'"max": \d+', '"max": 1e999', text, count=1)


@forges(BOX, BUCKET)
def a_whole_number_with_a_point(f: Forgery) -> None:
    """Nobody rules out 0.0 values: a reader that counts them expects a whole number."""
    f.claims[0]["adversary"]["excludes"] = 0.0


@forges(BOX)
def text_after_the_document(f: Forgery) -> None:
    f.certificate_text = lambda text: text + SECRET


@forges(BOX)
def deep_json(f: Forgery) -> None:
    f.certificate_text = lambda text: text.replace('"tool":', '"more": ' + "[" * 100_000 + "]" * 100_000 + ', "tool":')


@forges(BOX)
def deep_json_in_a_method(f: Forgery) -> None:
    f.certificate_text = lambda text: text.replace('"recoding":', '"x": ' + "[" * 900 + "]" * 900 + ', "recoding":')


@forges(BOX)
def a_number_of_many_digits(f: Forgery) -> None:
    f.certificate_text = lambda text: text.replace('"k": 3', '"k": 3' + "0" * 5000)


@forges(BOX)
def a_list_in_place_of_the_certificate(f: Forgery) -> None:
    f.certificate = [f.certificate]


@forges(BOX)
def a_list_in_place_of_the_dictionary(f: Forgery) -> None:
    f.dictionary = [f.dictionary]


@forges(BOX)
def null_in_place_of_each_part(f: Forgery) -> None:
    f.dictionary["columns"][0]["domain"] = None


@forges(BOX)
def a_document_of_twenty_megabytes(f: Forgery) -> None:
    f.certificate["comment"] = "x" * 20_000_000


@forges(BOX)
def a_message_in_blanks(f: Forgery) -> None:
    bits = "".join(f"{byte:08b}" for byte in SECRET.encode())
    f.certificate_text = lambda text: text + bits.replace("0", " ").replace("1", "\t")


@forges(BOX)
def blanks_between_the_words_of_the_dictionary(f: Forgery) -> None:
    f.dictionary_text = lambda text: text.replace(": ", ":  ", 1)


@forges(BOX)
def letters_that_are_escaped_without_need(f: Forgery) -> None:
    f.certificate_text = lambda text: text.replace("voile", "v\\u006file", 1)


@forges(BOX)
def digits_that_nobody_needs(f: Forgery) -> None:
    f.certificate_text = lambda text: text.replace('"k": 3', '"k": 3.0e0', 1)
