"""Nouns after numbers: one group, two groups."""

from __future__ import annotations


def count_noun(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, in the plural unless the number is 1.

    >>> count_noun(1, "earlier release"), count_noun(3, "earlier release"), count_noun(2, "person", "people")
    ('1 earlier release', '3 earlier releases', '2 people')
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def name_earlier(number: int) -> str:
    """Name all earlier releases that there are.

    >>> name_earlier(1), name_earlier(3)
    ('the earlier release', 'the 3 earlier releases')
    """
    return "the earlier release" if number == 1 else f"the {number} earlier releases"
