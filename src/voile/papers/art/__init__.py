"""Wong, Fu, Wang, Xu, Pei: privacy against an adversary with distribution-based knowledge (r-robustness and ART),
the report and the short paper, recomputed."""

from __future__ import annotations

from voile.papers.art import examples, figures
from voile.papers.art.bounds import (
    average_delta,
    certify_group,
    closeness,
    delta_ceil,
    expected_min_size,
    linkage_binary,
    linkage_exact,
    m_uniqueness_eligible,
    m_uniqueness_max_r,
    omega_estimate,
    ratio_limit,
    swap_bound,
)
from voile.papers.paper import Paper

__all__ = [
    "PAPER",
    "average_delta",
    "certify_group",
    "closeness",
    "delta_ceil",
    "expected_min_size",
    "linkage_binary",
    "linkage_exact",
    "m_uniqueness_eligible",
    "m_uniqueness_max_r",
    "omega_estimate",
    "ratio_limit",
    "swap_bound",
]

PAPER = Paper("art", "r-robustness and ART, recomputed", (*examples.ITEMS, *figures.ITEMS))
