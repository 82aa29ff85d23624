"""Whether every value that a published cell lists occurs in its box: what the certificate says of the recoding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def lists_what_occurs(method: Mapping[str, Any]) -> bool:
    """Whether a method shows, for each group, exactly the values that occur in it (of numbers and dates: the ends).

    >>> lists_what_occurs({"name": "mask", "anonymizer": {"name": "mondrian", "recoding": "tight"}})
    True
    >>> lists_what_occurs({"name": "full-domain"})
    False
    """
    inner = [method[knob] for knob in ("anonymizer", "grouping", "newcomers") if isinstance(method.get(knob), Mapping)]
    if inner:
        return all(map(lists_what_occurs, inner))
    cuts = method.get("name") == "accounted-cuts" and method.get("grouping") == "mondrian"
    return cuts or (method.get("name") in ("mondrian", "cluster") and method.get("recoding") == "tight")


def is_shown_by_level(entry: Mapping[str, Any]) -> bool:
    """Whether the publisher limits the levels of a column, which is then shown by the labels of its hierarchy."""
    return not {"finest", "coarsest"}.isdisjoint(entry.get("steering", {}))


def may_have_grown(method: Mapping[str, Any]) -> bool:
    """Whether rows of earlier releases stand among the rows: values may have come up after their cells were written."""
    return method.get("name") == "append"
