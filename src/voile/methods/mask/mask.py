"""MASK: group people without looking at the values to hide, then change values in the groups that reveal too much.

A release that is just coarse enough for the sensitive values reveals something about them. So a k-anonymizer groups the
people by their quasi-identifier alone. A group in which a protected value covers more than 1/l takes over the protected
values of another group that passes, drawn at random: some people's values are changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from voile.errors import PolicyError, SpecError, Unsatisfiable, parameter, raise_together
from voile.kernels import lazy_kernel
from voile.methods.base import CompletesHierarchies, IgnoresValues, Method
from voile.methods.mask.imitation_sampling import GroupShares, count_shares, sample_by_slack, sample_evenly
from voile.methods.mondrian.mondrian import Mondrian
from voile.models.k_anonymity import KAnonymity
from voile.models.m_confidentiality import MConfidentiality
from voile.models.policy import Policy
from voile.plugins.registry import knob
from voile.releases.certificate import Claim
from voile.releases.release import Release
from voile.tables.domain_trimming import trim_unused_values
from voile.tables.group_counts import Counts
from voile.tables.row_protocol import Rows, Table
from voile.tables.schema import Column, Columns

kernel = lazy_kernel("voile.methods.mask.kernel")


@dataclass(frozen=True)
class Mask(CompletesHierarchies, IgnoresValues, Method):
    """k-anonymization without a look at the values, then imitation of groups that pass.

    Claim: with `sampling="slack"`, belief in anybody's true protected value is at most 1/m for an adversary who knows
    the method and how common the values are over the groups; with `"paper"`, no published group shows a value for more
    than 1/m of its people.
    Against: the adversary of m-confidentiality, in the reading that the certificate names.
    Needs: values whose rate over the groups is at most 1/l, and groups that pass, to be imitated. Values are changed.
    Why: groups are made without looking at values; groups to imitate are drawn in proportion to their slack below 1/l,
    and the adversary's belief about every group is computed before anything is drawn.
    Source: Wong, Fu, Wang, Pei: Minimality attack (VLDB 2007); the slack is ours.

    `k` is the least size of a group, and 1/`l` the largest share of a protected value; both k and l are m of the policy
    by default. `anonymizer` makes the groups.
    """

    name: ClassVar[str] = "mask"

    k: int | None = knob(None, low=2)
    l: int | None = knob(None, low=2)  # noqa: E741 - the letter of the literature
    sampling: str = knob("slack", choices=("slack", "paper"))
    anonymizer: Method = field(default_factory=Mondrian)

    def complete_hierarchies(self, columns: Columns, rows: Table) -> Columns:
        anonymizer = self.anonymizer
        return (
            anonymizer.complete_hierarchies(columns, rows) if isinstance(anonymizer, CompletesHierarchies) else columns
        )

    def check(self, columns: Columns, policy: Policy) -> None:
        super().check(columns, policy)
        problems: list[SpecError] = []
        unserved_models = [model.name for model in policy.value_models if not isinstance(model, MConfidentiality)]
        if unserved_models:
            problems.append(
                PolicyError(
                    f"mask cannot serve {', '.join(unserved_models)}: it makes groups without looking at values.",
                    code="policy.method",
                    hint="Ask for m-confidentiality, beside k-anonymity if you like.",
                )
            )
        models = self._select_models(policy)
        strictest = max((model.m for model in models), default=2)
        if not models or (self.l is not None and self.l < strictest):
            problem = f"l = {self.l} is below m = {strictest}" if models else "nothing to mask for"
            problems.append(
                PolicyError(f"mask: {problem}.", code="policy.parameter", hint="Ask for m-confidentiality with m <= l.")
            )
        if self.anonymizer.produces != self.produces or isinstance(self.anonymizer, Mask):
            problems.append(
                PolicyError(
                    f"mask cannot group with {self.anonymizer.name}: it needs a k-anonymizer.",
                    code="policy.method",
                    hint=f"Use {parameter('anonymizer', 'mondrian')} or {parameter('anonymizer', 'full-domain')}.",
                )
            )
        raise_together(problems)
        self.anonymizer.check(columns, self._size_policy(policy))

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        return self.anonymizer.group(columns, rows, self._size_policy(policy))

    def transform(self, columns: Columns, rows: Rows, policy: Policy) -> tuple[Columns, Rows]:
        """Change values in the groups that reveal too much, and remove values that nobody has any more."""
        for model in self._select_models(policy):
            for column in model.targets(columns):
                assert column is not None
                rows = self._mask_column(column, rows, model, rows.tally_values(columns)[column.name])
        return trim_unused_values(columns, rows)

    def show(self, columns: Columns, rows: Rows) -> Release:
        return self.anonymizer.show(columns, rows)

    def claims(self, columns: Columns, policy: Policy, release: Release) -> tuple[Claim, ...]:
        """State the policy; the sampling of the paper promises less than m-confidentiality, and the claim says so."""
        if self.sampling == "slack":
            return policy.claims(columns)
        weaker = [replace(m, reading="published") if isinstance(m, MConfidentiality) else m for m in policy]
        return Policy(*weaker).claims(columns)

    def _select_models(self, policy: Policy) -> list[MConfidentiality]:
        """Return the models of the policy that masking serves."""
        return [model for model in policy if isinstance(model, MConfidentiality)]

    def _size_policy(self, policy: Policy) -> Policy:
        """Return what the groups must satisfy: conditions on their sizes only."""
        least = self.k or self.l or max((model.m for model in self._select_models(policy)), default=2)
        return Policy(KAnonymity(k=least), *policy.size_models)

    def _mask_column(self, column: Column, rows: Rows, model: MConfidentiality, counts: Counts) -> Rows:
        """Change the values of a column in the groups that fail, so that each imitates a group that passes."""
        protected = np.asarray(model.protected_sets(column).any(axis=0))
        l = self.l or model.m  # noqa: E741 - the letter of the literature
        self._check_base_rate(column, counts, protected, l)
        shares = count_shares(counts, protected, l)
        if not shares.passes.any():
            raise self._nothing_to_imitate(column, shares)
        if shares.passes.all():
            return rows
        purpose = f"mask {column.name}"
        sample = sample_by_slack if self.sampling == "slack" else sample_evenly
        pairs = sample(shares, rows.key, purpose)
        if pairs is None:
            raise self._base_rate_too_high(column, shares)
        order = np.argsort(pairs[0], kind="stable")
        groups, models = pairs[0][order], pairs[1][order]
        goals = _set_goals(shares, groups, models)
        starts = np.concatenate([[0], np.cumsum(np.diff(counts.starts)[groups])])
        inside = np.arange(starts[-1]) - np.repeat(starts[:-1] - counts.starts[groups], np.diff(starts))
        coins = rows.key.stream(f"{purpose}, values", rows.groups)[groups]
        moves, stuck = kernel.change_values(
            starts, counts.values[inside], counts.counts[inside], *goals, counts.sizes[groups] // l, protected,
            counts.totals, coins,
        )  # fmt: skip
        if stuck:
            raise self._nothing_to_imitate(column, shares)
        return rows.revalue(column.name, groups[moves[:, 0]], moves[:, 1], moves[:, 2], np.ones(len(moves), np.int64))

    def _check_base_rate(self, column: Column, counts: Counts, protected: np.ndarray, l: int) -> None:  # noqa: E741
        """Raise Unsatisfiable if a protected value covers more than 1/l of the table."""
        total, largest = int(counts.totals.sum()), int(counts.totals[protected].max(initial=0))
        if largest * l > total:
            best = f"The largest possible l is {total // largest}." if protected.all() else "Protect rarer values."
            rate = f"is {largest / total:.4f}, above 1/l = {1 / l:.4f}"
            raise Unsatisfiable(
                f"The base rate of a protected value of {column.name!r} {rate}.",
                code="unsatisfiable.base-rate",
                hint=best,
                best=best,
            )

    def _nothing_to_imitate(self, column: Column, shares: GroupShares) -> Unsatisfiable:
        size = int(shares.sizes.min())
        best = f"Raise k, e.g. to {2 * size}, or protect fewer values."
        return Unsatisfiable(
            f"No group can be imitated: of {len(shares.sizes)} groups {int(shares.passes.sum())} keep every protected "
            f"value of {column.name!r} at or below 1/{shares.l}, and none of them fits.",
            code="unsatisfiable.mask",
            hint=best,
            best=best,
        )

    def _base_rate_too_high(self, column: Column, shares: GroupShares) -> Unsatisfiable:
        rate, best = shares.compute_rate(), "Raise k, lower l, or protect fewer values; sampling=paper promises less."
        where = "above" if rate > 1 / shares.l else "too near to"
        return Unsatisfiable(
            f"The base rate of a protected value of {column.name!r} over the {len(shares.sizes)} groups is {rate:.4f}, "
            f"{where} 1/l = {1 / shares.l:.4f} for the groups that reveal too much to hide among the others.",
            code="unsatisfiable.base-rate",
            hint=best,
            best=best,
        )


def _set_goals(
    shares: GroupShares, groups: np.ndarray, models: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how often each protected value should occur in each imitating group: where its goals start, the values,
    and their counts."""
    starts = np.searchsorted(shares.owner, np.arange(len(shares.sizes) + 1))
    lengths = np.diff(starts)[models]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    entries = np.arange(ends[-1]) - np.repeat(ends[:-1] - starts[models], lengths)
    size, model_size = np.repeat(shares.sizes[groups], lengths), np.repeat(shares.sizes[models], lengths)
    return ends, shares.value[entries], shares.count[entries] * size // model_size
