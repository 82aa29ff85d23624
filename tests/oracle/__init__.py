"""Slow, obvious twins of the kernels, of the models' predicates, of the attacks' beliefs and of the measures.

Plain Python on lists, exact where the definition is exact. Nothing here is shared with src/voile, and nothing is fast.
"""

from __future__ import annotations

from oracle.attacks import (
    agreeing_rows,
    agreeing_rows_of_everybody,
    corrupted_posterior,
    elimination,
    homogeneity,
    kept_or_redrawn,
    prosecutor,
)
from oracle.boxes import people_fitting, tiling
from oracle.cells import parts_of, stands_for, text
from oracle.dealing import dealt, most_groups
from oracle.decision_tree import before_channel, best_threshold, gini
from oracle.group_posterior import against, event_beliefs, posterior
from oracle.injector import Pile, excluded, fewest_kept, gathered, matchings
from oracle.measures import certainty_penalty, discernibility
from oracle.minimality_attack import minimality, orders
from oracle.models import (
    alpha_k_anonymous,
    distinct_diverse,
    entropy_diverse,
    fewest,
    frequency_diverse,
    k_anonymous,
    k_e_anonymous,
    recursive_diverse,
    spread_admitted,
    variation,
    worst_rules,
)
from oracle.queries import count, estimate_boxes, estimate_buckets
from oracle.row_matching import after_exclusion, decomposed_belief, matching_chances
from oracle.rows import distinct, frequencies, members, node_numbers, ranks, rows_of
from oracle.transport import earth_mover, ground_equal, ground_hierarchical, ground_ordered
from oracle.tree_cuts import Cuttable, leaves, mondrian, most_even_cut, profile, ranked_cuts, specialised

__all__ = [
    "Cuttable",
    "Pile",
    "after_exclusion",
    "against",
    "agreeing_rows",
    "agreeing_rows_of_everybody",
    "alpha_k_anonymous",
    "before_channel",
    "best_threshold",
    "certainty_penalty",
    "corrupted_posterior",
    "count",
    "dealt",
    "decomposed_belief",
    "discernibility",
    "distinct",
    "distinct_diverse",
    "earth_mover",
    "elimination",
    "entropy_diverse",
    "estimate_boxes",
    "estimate_buckets",
    "event_beliefs",
    "excluded",
    "fewest",
    "fewest_kept",
    "frequencies",
    "frequency_diverse",
    "gathered",
    "gini",
    "ground_equal",
    "ground_hierarchical",
    "ground_ordered",
    "homogeneity",
    "k_anonymous",
    "k_e_anonymous",
    "kept_or_redrawn",
    "leaves",
    "matching_chances",
    "matchings",
    "members",
    "minimality",
    "mondrian",
    "most_even_cut",
    "most_groups",
    "node_numbers",
    "orders",
    "parts_of",
    "people_fitting",
    "posterior",
    "profile",
    "prosecutor",
    "ranked_cuts",
    "ranks",
    "recursive_diverse",
    "rows_of",
    "specialised",
    "spread_admitted",
    "stands_for",
    "text",
    "tiling",
    "variation",
    "worst_rules",
]
