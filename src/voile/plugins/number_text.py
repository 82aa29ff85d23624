"""Numbers in text that comes from outside: a spec, a flag, a form, a certificate, a file.

Their length and exponent are bounded. Exact arithmetic with 1e99999999 would not end, and a number that does not fit 64
bits fits no array.
"""

from __future__ import annotations

import re
from fractions import Fraction

LONGEST = 2000  # characters; exact bounds of a certificate are fractions with long terms
LARGEST_EXPONENT = 400
LARGEST = 2**63 - 1
_NUMBER = re.compile(r"[+-]?(?:\d+/\d+|(?:\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d{1,4}))?)", re.ASCII)


def parse_fraction(text: str) -> Fraction:
    """Parse a decimal number or a fraction exactly; ValueError if the text is neither, or is out of bounds.

    >>> parse_fraction("0.3"), parse_fraction(" 1/4 "), parse_fraction("2e-1")
    (Fraction(3, 10), Fraction(1, 4), Fraction(1, 5))
    >>> parse_fraction("1e99999999")
    Traceback (most recent call last):
    ...
    ValueError: not a number of bounded size
    """
    match = _NUMBER.fullmatch(text.strip()) if len(text) <= LONGEST else None
    if match is None or abs(int(match[1] or 0)) > LARGEST_EXPONENT:
        raise ValueError("not a number of bounded size")
    try:
        return Fraction(match[0])
    except ZeroDivisionError:
        raise ValueError("a fraction with denominator 0") from None


def parse_whole(text: str) -> int:
    """Parse a whole number of 64 bits; ValueError if the text is none.

    >>> parse_whole(" +7")
    7
    """
    if len(text) > LONGEST or not re.fullmatch(r"[+-]?\d+", text.strip(), re.ASCII):
        raise ValueError("not a whole number")
    number = int(text)
    if not fits_64_bits(number):
        raise ValueError("not a number of 64 bits")
    return number


def parse_number(text: str) -> float:
    """Parse a number or a fraction as a float; ValueError if the text is none, or is out of bounds.

    >>> parse_number("1/4")
    0.25
    """
    try:
        return float(parse_fraction(text))
    except OverflowError:
        raise ValueError("not a number of bounded size") from None


def fits_64_bits(number: int) -> bool:
    """Whether an array can hold a whole number."""
    return abs(number) <= LARGEST
