"""Releases whose refusals are accounted for by the method that made them: it says itself what they tell."""

from __future__ import annotations

import numpy as np

from voile.attacks.base import most_frequent_share
from voile.attacks.minimality.candidates import Candidates, find_method
from voile.attacks.minimality.value_types import sensitive_columns
from voile.methods.base import CompletesHierarchies, covers_algorithm
from voile.methods.refusals import AccountsForRefusals
from voile.models.policy import Policy
from voile.results import Belief
from voile.tables.microdata import Microdata
from voile.tables.row_protocol import Histogram


def guess_accounted(candidates: Candidates, external: Microdata, policy: Policy | None) -> list[Belief] | None:
    """Return what is believed about each sensitive column, given what the method did not publish; None if it is not a
    method that accounts for its refusals. Where the register does not say exactly who is in the release, belief is only
    known to stay within the bound."""
    method, release = find_method(candidates.release), candidates.release
    if not isinstance(method, AccountsForRefusals) or policy is None:
        return None
    if not covers_algorithm(method, policy):
        return None
    answers = []
    for column in policy.columns_read(sensitive_columns(release)):
        counts = release.tallies[column.name]
        bound = float(min(model.bound() for model in policy.value_models))
        if candidates.exact:
            group, (people, risk, is_exact) = (
                candidates.group,
                _replay(method, candidates, external, policy, column.name),
            )
        else:
            group, people = np.arange(release.groups), release.sizes
            risk, is_exact = np.full(release.groups, bound), np.zeros(release.groups, dtype=bool)
        share = (counts.largest() / counts.sizes)[group]
        details: dict[str, float] = {
            "people with a higher risk than their group shows": int(people[is_exact & (risk > share + 1e-9)].sum()),
            "people whose value is certain": int(people[risk > 1 - 1e-9].sum()),
            "people whose risk is exact": int(people[is_exact].sum()),
            "people whose risk is an upper bound": int(people[~is_exact].sum()),
            "people above the bound": int(people[risk > bound + 1e-9].sum()),
        }
        answers.append(Belief("belief", risk, people, most_frequent_share(counts), column.name, details, bound))
    return answers


def _replay(
    method: AccountsForRefusals, candidates: Candidates, external: Microdata, policy: Policy, name: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the people of each candidate entry, the largest belief about them, and whether it is exact."""
    columns = external.columns
    if isinstance(method, CompletesHierarchies):
        columns = method.complete_hierarchies(columns, external.rows)
    table = external.rows.histogram([str(entry["name"]) for entry in candidates.release.described("quasi")])
    people = table.counts[candidates.kind]
    cells = Histogram(table.names, table.codes[candidates.kind], people)
    counts = candidates.release.tallies[name]
    beliefs, is_exact = method.accounted_beliefs(columns, cells, candidates.group, counts, policy)
    return people, beliefs.max(axis=1), is_exact
