"""Releases whose refusals are accounted for by the method that made them: it says itself what they tell."""

from __future__ import annotations

from voile.attacks.base import most_frequent_share
from voile.attacks.minimality.candidates import Candidates, find_method
from voile.attacks.minimality.value_types import sensitive_columns
from voile.methods.base import AccountsForRefusals, CompletesHierarchies, covers_algorithm
from voile.models.policy import Policy
from voile.results import Belief
from voile.tables.microdata import Microdata
from voile.tables.row_protocol import Histogram


def guess_accounted(candidates: Candidates, external: Microdata, policy: Policy | None) -> list[Belief] | None:
    """Return what is believed about each sensitive column, given what the method did not publish; None if it is not a
    method that accounts for its refusals, or the register does not say exactly who is in the release."""
    method, release = find_method(candidates.release), candidates.release
    if not isinstance(method, AccountsForRefusals) or policy is None or not candidates.exact:
        return None
    if not covers_algorithm(method, policy):  # type: ignore[arg-type]  # asked for another requirement
        return None
    columns = external.columns
    if isinstance(method, CompletesHierarchies):
        columns = method.complete_hierarchies(columns, external.rows)
    names = [str(entry["name"]) for entry in release.described("quasi")]
    table = external.rows.histogram(names)
    people = table.counts[candidates.kind]
    cells = Histogram(table.names, table.codes[candidates.kind], people)
    answers = []
    for name in (column.name for column in policy.columns_read(sensitive_columns(release))):
        counts = release.tallies[name]
        beliefs, is_exact = method.accounted_beliefs(columns, cells, candidates.group, counts, policy)
        risk, shares = beliefs.max(axis=1), (counts.largest() / counts.sizes)[candidates.group]
        bound = float(min(model.bound() for model in policy.value_models))
        details: dict[str, float] = {
            "people with a higher risk than their group shows": int(people[risk > shares + 1e-9].sum()),
            "people whose value is certain": int(people[risk > 1 - 1e-9].sum()),
            "people whose risk is exact": int(people[is_exact].sum()),
            "people whose risk is an upper bound": int(people[~is_exact].sum()),
            "people above the bound": int(people[risk > bound + 1e-9].sum()),
        }
        answers.append(Belief("belief", risk, people, most_frequent_share(counts), name, details, bound))
    return answers
