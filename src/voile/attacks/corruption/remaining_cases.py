"""Corruption where a column shows only whether values are protected: who has one, once the values of others are known.

A group shows how many of its people have a protected value (its cases), or that it has at least so many. Known people
are struck from both numbers. What is left tells how likely each remaining person is a case: by counting, or by what
somebody without statistics expects of people of whom at least so many are cases.
"""

from __future__ import annotations

import numpy as np

from voile.adversaries.prior_posterior import SHOWN
from voile.attacks.indicator_counts import estimate_share, expect_above, find_capped
from voile.tables.group_counts import Counts


def believe_in_cases(
    counts: Counts, known_cases: np.ndarray, known_others: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the belief that somebody is a case, for how many people, and the share of cases that is expected overall.

    Known are so many people of each group with a protected value, and so many others. A known person stands for
    somebody who is asked last: the others are struck, not the person. A group that shows a lower bound is taken to have
    no more cases than that, which is the worst case: one fewer among the others, and the last person is one for sure.
    """
    shown, share = _count_cases(counts), estimate_share(counts)
    cases = shown - known_cases  # of the people who are left
    people = counts.sizes - known_cases - known_others
    is_capped = find_capped(counts)
    risks, numbers = [], []
    for asked_case, asked_other, number in ((0, 0, people), (1, 0, known_cases), (0, 1, known_others)):
        left, least = people + asked_case + asked_other, cases + asked_case
        expected = np.where(is_capped, expect_above(left, np.maximum(least, 0), share), least)
        risks.append(expected / np.maximum(left, 1))
        numbers.append(number)
    risk, number = np.concatenate(risks), np.concatenate(numbers)
    return risk[number > 0], number[number > 0], share


def draw_known(counts: Counts, chance: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw known people, each with this chance; return how many cases and how many others they are in each group."""
    cases = _count_cases(counts)
    return rng.binomial(cases, chance), rng.binomial(counts.sizes - cases, chance)


def find_contradiction(counts: Counts, known_cases: np.ndarray, known_others: np.ndarray) -> str:
    """Say what known people contradict in the numbers of a release; nothing if they may be right."""
    cases, is_capped = _count_cases(counts), find_capped(counts)
    if (known_others > counts.sizes - cases).any() or (known_cases + known_others > counts.sizes).any():
        return "a group has fewer people without a protected value than are known to have none"
    if (known_cases > cases)[~is_capped].any():
        return "a group has fewer people with a protected value than are known to have one"
    return ""


def _count_cases(counts: Counts) -> np.ndarray:
    """Return how many cases each group shows."""
    return counts.summed(np.where(counts.values == SHOWN, counts.counts, 0)).astype(np.int64)
