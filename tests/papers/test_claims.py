"""Claims: how a printed value and ours are compared, and what is wrong with a claim itself."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from voile.errors import DataError
from voile.papers.claim import Claim, check_claim

FRAME = pl.DataFrame({"x": [1]})


@pytest.mark.parametrize(
    ("printed", "ours", "more", "verdict"),
    [
        (0.36, 0.3649, {}, "agrees"),
        (0.36, 0.3679, {}, "differs"),  # rounded to the printed digits it is 0.37
        ("0.40", 0.404, {}, "agrees"),  # a text keeps the digits that a number loses
        ("0.40", 0.409, {}, "differs"),
        (2, 2, {}, "agrees"),
        (2, 2.6, {}, "differs"),
        (0.5, 0.56, {"within": 0.1}, "agrees"),
        (0.5, 0.61, {"within": 0.1}, "differs"),
        ("2/3", "2/3", {}, "agrees"),
        ("2/3", "1/2", {}, "differs"),
        ("rises", True, {}, "agrees"),
        ("rises", False, {}, "differs"),
        (0.5, None, {}, "differs"),
        ("at most 0.5", 0.4, {"agrees": lambda printed, ours: ours <= 0.5}, "agrees"),
        ("at most 0.5", 0.6, {"agrees": lambda printed, ours: ours <= 0.5}, "differs"),
    ],
)
def test_the_verdict(printed: Any, ours: Any, more: dict[str, Any], verdict: str) -> None:
    assert check_claim(Claim("here", "something", printed, lambda frame: ours, **more), FRAME).verdict == verdict


@pytest.mark.parametrize(
    ("ours", "because", "complaint"),
    [(1, "", ""), (2, "of a misprint", ""), (2, "", "no reason is given"), (1, "of a misprint", "ours agrees")],
)
def test_a_difference_needs_a_reason_and_an_agreement_none(ours: int, because: str, complaint: str) -> None:
    claim = check_claim(Claim("here", "one", 1, lambda frame: ours, because=because), FRAME)
    assert complaint in claim.needs_attention
    assert bool(claim.needs_attention) is bool(complaint)


def test_a_number_is_not_compared_with_words() -> None:
    with pytest.raises(DataError, match="a number is compared with a text"):
        check_claim(Claim("here", "few", "few", lambda frame: 0.3), FRAME)
