"""The adversary's reasoning, counted: the three possibilities of the slides, and the general formula."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import Any

import polars as pl

from voile.papers.minimality.written_releases import credibility_global
from voile.papers.paper import Claim, Run

Q1, Q2, SICK, BORROWED = 2, 4, 2, 2  # people of each kind; "Yes" in the group Q; people with q2 in it


def possibilities(run: Run) -> pl.DataFrame:
    """List the tables behind the released e.g. 2, by how many with q1 have cancer, and which of them need a release.

    Group Q shows two Yes and two None, for both people with q1 and two people with q2.
    """
    rows = []
    for place, of_q1 in enumerate((2, 0, 1), 1):
        of_q2 = SICK - of_q1
        satisfied = 2 * of_q1 <= Q1 and 2 * of_q2 <= Q2
        rows.append(
            {
                "possibility": place,
                "yes_q1": of_q1,
                "yes_q2": of_q2,
                "assignments": comb(Q1, of_q1) * comb(BORROWED, of_q2),
                "satisfies": satisfied,
                "remains": not satisfied,
            }
        )
    frame = pl.DataFrame(rows)
    left = frame.filter(pl.col("remains"))
    people = int(left["assignments"].sum()) * Q1
    belief = Fraction(int((left["assignments"] * left["yes_q1"]).sum()), people)
    return frame.with_columns(belief_of_q1=pl.lit(float(belief)))


def _cell(possibility: int, column: str) -> Any:
    return lambda frame: frame.filter(pl.col("possibility") == possibility)[column][0]


def _word(possibility: int) -> Any:
    satisfied = _cell(possibility, "satisfies")
    return lambda frame: "satisfies" if satisfied(frame) else "does not satisfy"


POSSIBILITY_CLAIMS = (
    Claim("section 2.1", "Three tables are possible behind the release.", 3, lambda frame: frame.height),
    Claim("section 2.1, poss. 1", "Both q1 values are linked to Yes.", 2, _cell(1, "yes_q1")),
    Claim("section 2.1, poss. 1", "The table does not satisfy 2-diversity.", "does not satisfy", _word(1)),
    Claim("section 2.1, poss. 2", "Two q1 values are not linked to Yes.", 0, _cell(2, "yes_q1")),
    Claim("section 2.1, poss. 2", "Four q2 values are linked to two Yes.", 2, _cell(2, "yes_q2")),
    Claim("section 2.1, poss. 2", "The table satisfies 2-diversity: no need to generalize.", "satisfies", _word(2)),
    Claim("section 2.1, poss. 3", "Two q1 values are linked to one Yes.", 1, _cell(3, "yes_q1")),
    Claim("section 2.1, poss. 3", "Four q2 values are linked to one Yes.", 1, _cell(3, "yes_q2")),
    Claim("section 2.1, poss. 3", "The table satisfies 2-diversity: no need to generalize.", "satisfies", _word(3)),
    Claim(
        "section 2.1",
        "The original table must be possibility 1.",
        "1",
        lambda frame: ", ".join(map(str, frame.filter(pl.col("remains"))["possibility"])),
    ),
    Claim("section 2.1", "P(o is linked to Cancer | Knowledge) = 1", 1, lambda frame: frame["belief_of_q1"][0]),
    Claim(
        "section 2.1",
        "So the release is not m-confidential for m = 2: belief is above 1/l = 1/2.",
        "above 1/2",
        lambda frame: bool(frame["belief_of_q1"][0] > 1 / 2),
    ),
)


def global_recoding(run: Run) -> pl.DataFrame:
    """Compute the closed form for global recoding as fractions, and count the same worlds one by one."""
    rows = []
    for sizes, sensitive, least in (
        ([2, 4], 2, 2),
        ([2, 2, 4], 3, 2),
        ([5, 10], 4, 3),
        ([2, 3, 5], 4, 2),
        ([4, 4], 2, 2),
    ):
        formula, counted = credibility_global(sizes, sensitive, least), count_worlds(sizes, sensitive, least)
        for place, size in enumerate(sizes):
            after = formula[place] if formula else None
            rows.append(
                {
                    "groups": "+".join(map(str, sizes)),
                    "sensitive": sensitive,
                    "l": least,
                    "person_in_group_of": size,
                    "before": str(Fraction(sensitive, sum(sizes))),
                    "after": str(after),
                    "counted": str(counted[place] if counted else None),
                    "after_number": float(after) if after is not None else None,
                }
            )
    return pl.DataFrame(rows)


def count_worlds(sizes: Sequence[int], sensitive: int, least: int) -> list[Fraction] | None:
    """Count belief over all choices of the sensitive people, without the formula; None if every table needs no step.

    >>> count_worlds([2, 4], 2, 2)
    [Fraction(1, 1), Fraction(0, 1)]
    """
    owner = [place for place, size in enumerate(sizes) for _ in range(size)]
    hits, remaining = [0] * len(sizes), 0
    for chosen in itertools.combinations(owner, sensitive):
        inside = [chosen.count(place) for place in range(len(sizes))]
        if any(number * least > size for number, size in zip(inside, sizes, strict=True)):
            remaining += 1
            hits = [hit + number for hit, number in zip(hits, inside, strict=True)]
    return [Fraction(hit, remaining * size) for hit, size in zip(hits, sizes, strict=True)] if remaining else None


GLOBAL_CLAIMS = (
    Claim(
        "section 2.3",
        "Belief is the sum over j of P(j sensitive tuples | Knowledge) times j / |E|.",
        "the sum",
        lambda frame: bool((frame["after"] == frame["counted"]).all()),
    ),
)
