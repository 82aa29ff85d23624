"""MASK: group people without looking at the values to hide, then change the counts that reveal too much.

A release that is just coarse enough for the sensitive values reveals something about them. So a k-anonymizer groups the
people by their quasi-identifier alone. A group in which a protected value covers more than 1/l publishes a smaller
count of it: some people's values are replaced. Which count that is depends on the group's own size and count, and on
random draws, but on no other group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from voile.errors import PolicyError, SpecError, option, parameter, raise_together
from voile.methods.base import CompletesHierarchies, Method, Partitionable
from voile.methods.mask.paper_sampling import imitate_groups
from voile.methods.mask.refill import draw_at_rates, draw_from_urn
from voile.methods.mask.size_channel import SAMPLINGS, SizeChannel
from voile.methods.mondrian.mondrian import Mondrian
from voile.methods.refusals import IgnoresValues
from voile.models.k_anonymity import KAnonymity
from voile.models.m_confidentiality import MConfidentiality
from voile.models.policy import Policy
from voile.plugins.registry import knob
from voile.releases.certificate import Claim
from voile.releases.release import Release
from voile.tables.group_counts import Counts
from voile.tables.row_protocol import Rows, Table
from voile.tables.schema import Column, Columns
from voile.tables.secret_key import Key

LARGEST_BLOCK = 1024  # larger groups go through the channel in blocks; numbers have as many digits as people


@dataclass(frozen=True)
class Mask(CompletesHierarchies, IgnoresValues, Partitionable, Method):
    """k-anonymization without a look at the values, then a fixed channel per group size for each protected value.

    Claim: belief in anybody's true protected value is at most 1/m, also for an adversary who knows the method; with
    `sampling="paper"` only that no published group shows a protected value for more than 1/m of its people.
    Against: the adversary of m-confidentiality, in the reading that the certificate names.
    Needs: values that are not protected, and a public bound on the rates of those that are. Values are changed.
    Why: groups are made without looking at values; the channel of a group size keeps the average true share behind
    every published count at 1/l, at the bound on the rate and so at all rates below it.
    Source: Wong, Fu, Wang, Pei: Minimality attack (VLDB 2007); the channels are ours.

    `k` is the least size of a group, and 1/`l` the largest share of a protected value; both k and l are m of the policy
    by default. `anonymizer` makes the groups. `sampling="monotone"` changes the fewest values; `"slack"` spreads a
    count that fails over all that pass; `"paper"` imitates other groups, and promises less.
    """

    name: ClassVar[str] = "mask"
    removes_values: ClassVar[bool] = True

    k: int | None = knob(None, low=2)
    l: int | None = knob(None, low=2)  # noqa: E741 - the letter of the literature
    sampling: str = knob("monotone", choices=(*SAMPLINGS, "paper"))
    anonymizer: Method = field(default_factory=Mondrian)

    @property
    def works_in_parts(self) -> bool:
        return isinstance(self.anonymizer, Partitionable)

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
        if self.anonymizer.produces != self.produces or self.anonymizer.transforms_rows:
            problems.append(
                PolicyError(
                    f"mask cannot group with {self.anonymizer.name}: it needs a k-anonymizer.",
                    code="policy.method",
                    hint=f"Use {parameter('anonymizer', 'mondrian')} or {parameter('anonymizer', 'full-domain')}.",
                )
            )
        for model in models:
            problems += self._find_problems(columns, model)
        raise_together(problems)
        self.anonymizer.check(columns, self._size_policy(policy))

    def plan(self, columns: Columns, rows: Table, policy: Policy, earlier: Sequence[Release]) -> tuple[Mask, Policy]:
        """State the rate that is covered, where l is larger than m and it follows from l."""
        models = [
            replace(model, highest_rate=float(model.largest_rate(self.l)))
            if isinstance(model, MConfidentiality) and self.l and self.l > model.m and model.highest_rate is None
            else model
            for model in policy
        ]
        return self, policy if self.sampling == "paper" else Policy(*models)

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        return self.anonymizer.group(columns, rows, self._size_policy(policy))

    def transform(self, columns: Columns, rows: Rows, policy: Policy) -> tuple[Columns, Rows]:
        """Change values in the groups that reveal too much, and mark the columns in which values may be changed."""
        masked = set[str]()
        for model in self._select_models(policy):
            for column in model.targets(columns):
                assert column is not None
                rows = self._mask_column(column, rows, model, rows.tally_values(columns)[column.name])
                masked.add(column.name)
        marked = (replace(c, altered=True) if c.name in masked else c for c in columns.sensitive)
        return replace(columns, sensitive=tuple(marked)), rows

    def show(self, columns: Columns, rows: Rows) -> Release:
        return self.anonymizer.show(columns, rows)

    def claims(self, columns: Columns, policy: Policy, release: Release) -> tuple[Claim, ...]:
        """State the policy; the sampling of the paper promises less than m-confidentiality, and the claim says so."""
        if self.sampling != "paper":
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

    def _find_problems(self, columns: Columns, model: MConfidentiality) -> list[SpecError]:
        """Return why values cannot be masked. Only what is public decides, never how often a value occurs."""
        problems: list[SpecError] = []
        for column in model.targets(columns):
            assert column is not None
            if model.protected_sets(column).any(axis=0).all():
                problems.append(
                    PolicyError(
                        f"mask: all values of {column.name!r} are protected. A value that reveals too much is replaced "
                        "by one that needs no protection, and there is none.",
                        code="policy.protect",
                        hint=f"Name the values that need protection ({parameter('protect', 'HIV')}) and leave the "
                        "others out; declare the column's domain if it has values that do not occur. To bound belief "
                        "in all values even if the algorithm is known, without changing one, use l-diversity with "
                        f"{option('method', 'accounted-cuts')}.",
                    )
                )
        if self.sampling == "paper" and (model.other_rates or model.highest_rate is not None):
            problems.append(
                PolicyError(
                    "mask: the sampling of the paper uses no rates, neither highest_rate nor other_rates.",
                    code="policy.rate",
                    hint=f"Leave them out, or use {parameter('sampling', 'monotone')}.",
                )
            )
        level = self.l or model.m
        bound = model.largest_rate(level)
        if model.protect and model.highest_rate is not None and model.highest_rate > float(bound):
            problems.append(
                PolicyError(
                    f"mask: highest_rate = {model.highest_rate:g} is above {bound}, the largest rate that can be "
                    f"hidden for {_count_values(model.protect)} with l = {level}.",
                    code="policy.rate",
                    hint=f"Lower it to {float(bound):.4g}, lower l, or protect fewer or rarer values.",
                )
            )
        return problems

    def _mask_column(self, column: Column, rows: Rows, model: MConfidentiality, counts: Counts) -> Rows:
        """Send the counts of every protected value of a column through the channel, and refill the rows that it
        frees."""
        is_protected = np.asarray(model.protected_sets(column).any(axis=0))
        level, purpose = self.l or model.m, f"mask {column.name}"
        if self.sampling == "paper":
            return imitate_groups(rows, counts, is_protected, level)
        owner, values, people, sizes = _split_into_blocks(counts, is_protected, rows.key, f"{purpose}, blocks")
        channel = SizeChannel(level, model.channel_rate(level), self.sampling)
        freed = people - channel.publish_counts(sizes, people, rows.key, purpose)
        groups, old = np.repeat(owner, freed), np.repeat(values, freed)
        if not len(groups):
            return rows
        if model.other_rates:
            new = draw_at_rates(column, model.fractions_of_others(), len(old), rows.key, f"{purpose}, values")
        else:
            unmasked = np.bincount(counts.values, weights=counts.counts, minlength=column.size).astype(np.int64)
            new = draw_from_urn(unmasked, is_protected, len(old), rows.key, f"{purpose}, values")
        return rows.revalue(column.name, groups, old, new, np.ones(len(old), dtype=np.int64))


def _count_values(values: tuple[str, ...]) -> str:
    return "one protected value" if len(values) == 1 else f"{len(values)} protected values"


def _split_into_blocks(
    counts: Counts, is_protected: np.ndarray, key: Key, purpose: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return how often each protected value occurs: its group, the value, its count, and the size of the group.

    The people of a group of more than LARGEST_BLOCK are dealt at random into even blocks, and each block stands for a
    group: if no block reveals too much, neither does their sum.
    """
    large = counts.sizes > LARGEST_BLOCK
    inside = is_protected[counts.values]
    whole = inside & ~large[counts.owner]
    entries = counts.owner[whole], counts.values[whole], counts.counts[whole], counts.sizes[counts.owner[whole]]
    if not large.any():
        return entries
    cut = np.flatnonzero(large[counts.owner])
    owner, value = (np.repeat(part[cut], counts.counts[cut]) for part in (counts.owner, counts.values))
    order = key.shuffle(purpose, len(owner))
    order = order[np.argsort(owner[order], kind="stable")]
    owner, value = owner[order], value[order]
    place = np.arange(len(owner)) - np.searchsorted(owner, owner)
    blocks = -(-counts.sizes // LARGEST_BLOCK)
    block = place % blocks[owner]
    kept = is_protected[value]
    labels = np.stack([owner[kept], block[kept], value[kept]])
    (group, number, code), people = np.unique(labels, axis=1, return_counts=True)
    sizes = (counts.sizes[group] - number - 1) // blocks[group] + 1
    parts = (group, code, people, sizes)
    return tuple(np.concatenate(pair) for pair in zip(entries, parts, strict=True))  # type: ignore[return-value]
