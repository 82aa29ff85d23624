"""MASK: group people without looking at what must be hidden, then change what shows too much.

A release that coarsens just enough for the sensitive values tells about them. So a k-anonymizer groups the people by
their quasi-identifier alone. A group in which a protected value covers more than 1/l takes over the protected values of
another group that passes, drawn at random: some people's values are changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import comb
from typing import Any, ClassVar

import numpy as np

from voile.errors import PolicyError, SpecError, Unsatisfiable, parameter, raise_together
from voile.kernels import lazy_kernel
from voile.methods.base import CompletesHierarchies, IgnoresValues, Method
from voile.methods.mask.imitation_sampling import Shares, by_slack, evenly, shares_of
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
    """k-anonymize blindly, then imitate groups that pass.

    Claim: with `sampling="slack"`, belief in anybody's true protected value is at most 1/m for who knows the method and
    how common the values are over the groups; with `"paper"`, no published group shows a value for more than 1/m.
    Against: the adversary of m-confidentiality, in the reading that the certificate names.
    Needs: values whose rate over the groups is at most 1/l, and groups that pass to be imitated. Values are changed.
    Why: groups are made blindly; imitations are drawn in proportion to the slack below 1/l, and what an adversary would
    believe of every group is computed before anything is drawn.
    Source: Wong, Fu, Wang, Pei: Minimality attack (VLDB 2007); the slack is ours.

    `k` is the least size of a group and `l` the least number of values, both m of the policy by default. `anonymizer`
    makes the groups.
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
        wild = [model.name for model in policy.value_models if not isinstance(model, MConfidentiality)]
        if wild:
            problems.append(
                PolicyError(
                    f"mask cannot serve {', '.join(wild)}: it makes groups without looking at values.",
                    code="policy.method",
                    hint="Ask for m-confidentiality, beside k-anonymity if you like.",
                )
            )
        asked = self._asked(policy)
        most = max((model.m for model in asked), default=2)
        if not asked or (self.l is not None and self.l < most):
            what = f"l = {self.l} is below m = {most}" if asked else "nothing to mask for"
            problems.append(
                PolicyError(f"mask: {what}.", code="policy.parameter", hint="Ask for m-confidentiality with m <= l.")
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
        self.anonymizer.check(columns, self._blind(policy))

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        return self.anonymizer.group(columns, rows, self._blind(policy))

    def transform(self, columns: Columns, rows: Rows, policy: Policy) -> tuple[Columns, Rows]:
        """Change the values of groups that show too much; a value that nobody has any more is not mentioned."""
        for model in self._asked(policy):
            for column in model.targets(columns):
                assert column is not None
                rows = self._masked(column, rows, model, rows.tally_values(columns)[column.name])
        return trim_unused_values(columns, rows)

    def show(self, columns: Columns, rows: Rows) -> Release:
        return self.anonymizer.show(columns, rows)

    def claims(self, columns: Columns, policy: Policy, release: Release) -> tuple[Claim, ...]:
        """The published algorithm promises less than m-confidentiality, and says so."""
        if self.sampling == "slack":
            return policy.claims(columns)
        less = [replace(m, reading="published") if isinstance(m, MConfidentiality) else m for m in policy]
        return Policy(*less).claims(columns)

    def _asked(self, policy: Policy) -> list[MConfidentiality]:
        return [model for model in policy if isinstance(model, MConfidentiality)]

    def _blind(self, policy: Policy) -> Policy:
        """What the groups must satisfy: sizes only."""
        least = self.k or self.l or max((model.m for model in self._asked(policy)), default=2)
        return Policy(KAnonymity(k=least), *policy.size_models)

    def _masked(self, column: Column, rows: Rows, model: MConfidentiality, counts: Counts) -> Rows:
        protected = np.asarray(model.protected_sets(column).any(axis=0))
        wanted = self.l or model.m
        self._reachable(column, counts, protected, wanted)
        shares = shares_of(counts, protected, wanted)
        if not shares.passes.any():
            raise self._hopeless(column, shares)
        if shares.passes.all():
            return rows
        purpose = f"mask {column.name}"
        drawn = (by_slack if self.sampling == "slack" else evenly)(shares, rows.key, purpose)
        if drawn is None:
            raise self._too_high(column, shares)
        order = np.argsort(drawn[0], kind="stable")
        groups, models = drawn[0][order], drawn[1][order]
        goals = _goals(shares, groups, models)
        starts = np.concatenate([[0], np.cumsum(np.diff(counts.starts)[groups])])
        inside = np.arange(starts[-1]) - np.repeat(starts[:-1] - counts.starts[groups], np.diff(starts))
        coins = rows.key.stream(f"{purpose}, values", rows.groups)[groups]
        moves, stuck = kernel.exchange(
            starts, counts.values[inside], counts.counts[inside], *goals, counts.sizes[groups] // wanted, protected,
            counts.totals, coins,
        )  # fmt: skip
        if stuck:
            raise self._hopeless(column, shares)
        return rows.revalue(column.name, groups[moves[:, 0]], moves[:, 1], moves[:, 2], np.ones(len(moves), np.int64))

    def _reachable(self, column: Column, counts: Counts, protected: np.ndarray, l: int) -> None:  # noqa: E741
        total, most = int(counts.totals.sum()), int(counts.totals[protected].max(initial=0))
        if most * l > total:
            best = f"The largest possible l is {total // most}." if protected.all() else "Protect rarer values."
            rate = f"is {most / total:.4f}, above 1/l = {1 / l:.4f}"
            raise Unsatisfiable(
                f"The base rate of a protected value of {column.name!r} {rate}.",
                code="unsatisfiable.base-rate",
                hint=best,
                best=best,
            )

    def _hopeless(self, column: Column, shares: Shares) -> Unsatisfiable:
        size = int(shares.sizes.min())
        best = f"Raise k, e.g. to {2 * size}, or protect fewer values."
        return Unsatisfiable(
            f"No group can be imitated: of {len(shares.sizes)} groups {int(shares.passes.sum())} keep every protected "
            f"value of {column.name!r} at or below 1/{shares.l}, and none of them fits.",
            code="unsatisfiable.mask",
            hint=best,
            best=best,
        )

    def _too_high(self, column: Column, shares: Shares) -> Unsatisfiable:
        rate, best = shares.rate(), "Raise k, lower l, or protect fewer values; sampling=paper promises less."
        where = "above" if rate > 1 / shares.l else "too near to"
        return Unsatisfiable(
            f"The base rate of a protected value of {column.name!r} over the {len(shares.sizes)} groups is {rate:.4f}, "
            f"{where} 1/l = {1 / shares.l:.4f} for the groups that show too much to hide among the others.",
            code="unsatisfiable.base-rate",
            hint=best,
            best=best,
        )


def _goals(shares: Shares, groups: np.ndarray, models: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each imitating group how often each protected value should occur: where its goals start, values, counts."""
    starts = np.searchsorted(shares.owner, np.arange(len(shares.sizes) + 1))
    lengths = np.diff(starts)[models]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    entries = np.arange(ends[-1]) - np.repeat(ends[:-1] - starts[models], lengths)
    size, other = np.repeat(shares.sizes[groups], lengths), np.repeat(shares.sizes[models], lengths)
    return ends, shares.value[entries], shares.count[entries] * size // other


def distribution(classes: Mapping[str, Sequence[Any]], sensitive: Any, l: int) -> dict[str, Any]:  # noqa: E741
    """Steps 2 and 3 of the published algorithm: the groups that fail (V) and pass (L), and the shares of L (D).

    >>> distribution({"q3": ["Yes", "No"], "Q": ["Yes", "Yes"]}, "Yes", 2)
    {'V': ['Q'], 'L': ['q3'], 'D': {0.5: 1.0}}
    """
    shares = {name: list(values).count(sensitive) / len(values) for name, values in classes.items()}
    passing = [name for name, values in classes.items() if list(values).count(sensitive) * l <= len(values)]
    often = Counter(shares[name] for name in passing)
    return {
        "V": [name for name in classes if name not in passing],
        "L": passing,
        "D": {share: often[share] / len(passing) for share in sorted(often)},
    }


def mechanism_aware_credibility(theta: float, class_size: int, l: int, variant: str) -> list[tuple[float, float]]:  # noqa: E741
    """What who knows the method believes of a person whose group shows a share: (share, belief), share by share.

    People have the value independently with rate `theta`, in groups of one size. `variant` is "original" or "slack".
    """
    chance = [comb(class_size, j) * theta**j * (1 - theta) ** (class_size - j) for j in range(class_size + 1)]
    passing = [j for j in range(class_size + 1) if j * l <= class_size]
    failing = sum(chance[j] for j in range(class_size + 1) if j not in passing)
    true = sum(chance[j] * j / class_size for j in range(class_size + 1) if j not in passing)
    weights = {j: chance[j] * (1 / l - j / class_size if variant == "slack" else 1) for j in passing}
    found = []
    for j in passing:
        drawn = weights[j] / sum(weights.values())
        believed = chance[j] * j / class_size + true * drawn
        found.append((j / class_size, believed / (chance[j] + failing * drawn)))
    return found
