"""What voile does today is what it did when the pins were written. See `pins.py` for exceptions, `write.py` to rewrite.

A failure names the case and lists the fields that differ, with what was pinned and what is found.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from pinned.pins import EXCEPTIONS, cases, observed, pinned

CASES, PINNED = cases(), pinned()


def alike(one: Any, other: Any) -> bool:
    """Equal, floats but for the last digits."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, float) or isinstance(other, float):
        numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (one, other))
        return numbers and math.isclose(one, other, rel_tol=1e-8, abs_tol=1e-12)
    return type(one) is type(other) and one == other


def test_the_pins_are_of_these_cases() -> None:
    assert set(PINNED) == set(CASES), "run `python tests/pinned/write.py`"


def test_every_exception_names_a_case_and_a_reason() -> None:
    for case, fields in EXCEPTIONS.items():
        assert case in PINNED, f"{case!r} is no case any more"
        for field, reason in fields.items():
            assert field == "*" or field in PINNED[case], f"{case!r} has no field {field!r}"
            assert reason.strip(), f"{case!r}, {field!r}: why?"


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    before, now, excepted = PINNED.get(case, {}), observed(CASES[case]), EXCEPTIONS.get(case, {})
    different = [
        f"  {field}\n    pinned: {before.get(field)}\n    found:  {now.get(field)}"
        for field in {**before, **now}
        if not alike(before.get(field), now.get(field)) and field not in excepted and "*" not in excepted
    ]
    assert not different, f"{case}: {len(different)} fields differ\n" + "\n".join(different)
