"""Perturbed generalization: perturb every value, hide people in boxes, and publish one row per box.

Each sensitive value is kept with probability p or redrawn from the public list of values; people are cut into boxes
of at least k by their quasi-identifiers alone; one person's perturbed value is published per box, with the number of
people in the box.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from voile import kernels
from voile.adversaries.ledger import SeatHistory
from voile.adversaries.seating import Seating
from voile.errors import PolicyError, SpecError, Unsatisfiable, raise_together
from voile.kernels import lazy_module
from voile.methods.base import KeepsSeats, Method, Partitionable, Settings
from voile.methods.mondrian.mondrian import Mondrian
from voile.methods.mondrian.policy_cuts import cut_by_size
from voile.methods.perturbed_generalization.channel_choice import largest_p, meets, require_epsilon
from voile.methods.perturbed_generalization.column_faults import find_problems
from voile.methods.perturbed_generalization.repeated_draws import (
    RepeatedDraws,
    draw_people,
    follow_releases,
    require_same_channel,
    seat_drawn,
    show_again,
)
from voile.models.anti_corruption.anti_corruption import AntiCorruption
from voile.models.anti_corruption.privacy_arithmetic import group_size
from voile.models.base import Model
from voile.models.label_differential_privacy import LabelDifferentialPrivacy, certified_model
from voile.models.policy import Policy, make_claim
from voile.plugins.registry import knob, learned_field
from voile.releases.certificate import Claim
from voile.releases.randomized_response import Channel
from voile.releases.release import Release
from voile.releases.shapes.box_tiling import region_cells, show_samples
from voile.tables.microdata import PERSON
from voile.tables.row_protocol import Rows, Table
from voile.tables.schema import Column, Columns

region_kernel = lazy_module("voile.methods.perturbed_generalization.kernel.regions")
specialization_kernel = lazy_module("voile.methods.perturbed_generalization.kernel.specialization")
cut_kernel = lazy_module("voile.methods.mondrian.kernel")

CUTS = Mondrian()


@dataclass(frozen=True)
class PerturbedGeneralization(Partitionable, KeepsSeats, Method):
    """One perturbed row per box of at least k = ceil(1/s) people.

    Claim: the rho1-to-rho2 and growth targets of the policy, whomever the adversary has corrupted; and the epsilon of
    label differential privacy, where the list of values is declared.
    Against: an adversary who knows everybody's quasi-identifier, the true values of any other people, the algorithm and
    p, but not the key.
    Needs: one sensitive column, whose list of values is best declared; no other columns; at least k rows.
    Why: everything that is published about a person passes through one value that was redrawn with probability 1 - p,
    and that value belongs to one of at least k people, chosen at random.
    Source: Tao, Xiao, Li, Zhang: On Anti-Corruption Privacy Preserving Publication (ICDE 2008); boxes that tile the
    space, the largest p and the rule for value-aware grouping are ours.

    Unless given, `p` is the largest that meets the policy. `splitter="specialization"` cuts boxes by the information
    that they give about the perturbed values; the guarantee is then computed as if the row were known to be the
    person's (h = 1).

    Published again with a ledger, the regions of the first release stay and nobody is drawn twice; then only label
    differential privacy speaks of all releases together.
    """

    name: ClassVar[str] = "perturbed-generalization"
    tried: ClassVar[Settings] = ({}, {"s": 0.1}, {"splitter": "specialization"})
    produces: ClassVar[str] = "sampled"

    s: float = knob(0.2, above=0, high=1)
    p: float | None = knob(None, low=0, high=1)
    splitter: str = knob("mondrian", choices=("mondrian", "specialization"))

    history: SeatHistory | None = learned_field()
    known_columns: Columns | None = learned_field()
    repeated: RepeatedDraws | None = learned_field()

    @property
    def works_in_parts(self) -> bool:
        return self.history is None

    def take_seats(self, history: SeatHistory) -> PerturbedGeneralization:
        return replace(self, history=history)

    @property
    def k(self) -> int:
        """The least number of people per box."""
        return group_size(self.s)

    @property
    def blind(self) -> bool:
        """Whether the boxes are cut without looking at the sensitive column."""
        return self.splitter == "mondrian"

    def check(self, columns: Columns, policy: Policy) -> None:
        super().check(columns, policy)
        problems: list[SpecError] = []
        if len(columns.sensitive) != 1:
            problems.append(
                PolicyError(
                    f"{self.name} publishes one sensitive column, the schema has {len(columns.sensitive)}.",
                    code="policy.one-sensitive",
                    hint="Keep one of them.",
                )
            )
        if columns.other:
            names = ", ".join(repr(column.name) for column in columns.other)
            problems.append(
                PolicyError(
                    f"{self.name} publishes no other columns; the schema has {names}.",
                    code="policy.other-columns",
                    hint="One person's exact values would reveal whose row it is: leave them out.",
                )
            )
        if any(column.name == "group_size" for column in columns):
            problems.append(
                PolicyError(
                    f"{self.name} adds a column named 'group_size'; the table has one already.",
                    code="policy.reserved",
                    hint="Rename the column.",
                )
            )
        for column in columns.sensitive:
            problems += find_problems(column, self.name)
        raise_together(problems)

    def plan(
        self, columns: Columns, rows: Table, policy: Policy, earlier: Sequence[Release]
    ) -> tuple[PerturbedGeneralization, Policy]:
        """Choose the largest p that meets every target, or keep the given p if it does."""
        planned = replace(self, known_columns=columns)
        if earlier:
            return planned._plan_again(columns, rows, policy, earlier), policy
        size = columns.sensitive[0].size
        models = [model for model in policy if isinstance(model, (AntiCorruption, LabelDifferentialPrivacy))]
        largest = min(largest_p(model, self.k, self.blind, size) for model in models)
        if self.p is None and largest > 0:
            return replace(planned, p=float(largest)), policy
        if self.p is not None and all(meets(model, self.p, self.k, self.blind, size) for model in models):
            return planned, policy
        best = f"With k = {self.k} and {size} values the largest p is {float(largest):g}."
        failure = f"p = {self.p:g} does not meet" if self.p is not None else "No p above 0 meets"
        requests = ", ".join(repr(model) for model in models)
        raise Unsatisfiable(f"{failure} {requests}.", code="unsatisfiable.anti-corruption", hint=best, best=best)

    def _plan_again(
        self, columns: Columns, rows: Table, policy: Policy, earlier: Sequence[Release]
    ) -> PerturbedGeneralization:
        """Continue a series: the channel and the regions stay, and the promise must last for one release more."""
        require_same_channel(self.name, self.p, self.s, self.splitter, columns, earlier[0])
        assert self.history is not None, "a ledger is required before"
        repeated, channel = follow_releases(columns, rows, earlier, self.history), earlier[0].channel
        assert channel is not None
        require_epsilon(policy, channel, len(earlier) + 1, repeated.stayers)
        return replace(self, p=float(channel.keep), repeated=repeated)

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        if self.repeated is not None:
            names = [column.name for column in columns]
            table = rows.histogram([*names, PERSON])
            return rows.place(table, self.repeated.region[table.column(PERSON)])
        if rows.total < self.k:
            best = f"The table has {rows.total} rows: s must be at least 1/{rows.total}."
            raise Unsatisfiable(
                f"s = {self.s:g} needs groups of {self.k}.", code="unsatisfiable.few-rows", hint=best, best=best
            )
        if not self.blind:
            return self._cut_by_information(columns, self._perturb(columns, rows))
        table = rows.histogram([column.name for column in columns.quasi])
        frame, codes = CUTS.frame_columns(columns, table)
        return rows.place(table, cut_by_size(codes, table, self.k, frame))

    def transform(self, columns: Columns, rows: Rows, policy: Policy) -> tuple[Columns, Rows]:
        # value-aware cuts look at the values, so those were perturbed before
        return columns, self._perturb(columns, rows) if self.blind else rows

    def show(self, columns: Columns, rows: Rows) -> Release:
        target = columns.sensitive[0]
        if self.repeated is not None:
            _, values, sizes = draw_people(rows, target, self.repeated.may_be_drawn)
            return show_again(columns, self.repeated.first, values, sizes)
        ranks = _rank_codes(columns, rows)
        with ThreadPoolExecutor(2) as pool:
            extents = list(pool.map(rows.find_extents, ranks, ranks.values()))
        low, high = (np.stack([pair[end] for pair in extents]) for end in (0, 1))
        space = [_find_space(column, ranks[column.name], rows) for column in columns.quasi]
        region_low, region_high = np.empty_like(low), np.empty_like(high)
        region_low[:] = np.array([[first] for first, _ in space])
        region_high[:] = np.array([[last] for _, last in space])
        separable = region_kernel.narrow_regions(low, high, region_low, region_high)
        assert separable, "groups are the leaves of a split tree, in its order"
        cells = {
            column.name: region_cells(column, ranks[column.name], region_low[index], region_high[index])
            for index, column in enumerate(columns.quasi)
        }
        values, sizes = _sample_people(rows, target) if self.history is None else draw_people(rows, target, None)[1:]
        return show_samples(columns, cells, values, sizes, self._channel(target))

    def claims(self, columns: Columns, policy: Policy, release: Release) -> tuple[Claim, ...]:
        quasi = [column.name for column in columns.quasi]
        models: list[Model] = []
        for model in policy:
            models += model.split_targets() if isinstance(model, AntiCorruption) else [model]
        target, asks = columns.sensitive[0], any(isinstance(model, LabelDifferentialPrivacy) for model in models)
        if not asks and target.domain.declared:
            certified = certified_model(self._channel(target), self.k, self.blind)
            models += [certified] if certified is not None else []
        if self.repeated is not None:
            models = [replace(model, stayers=self.repeated.stayers) for model in models]  # type: ignore[call-arg]
        return tuple(make_claim(model, target, quasi) for model in models)

    def list_seats(self, release: Release, rows: Rows, pseudonyms: np.ndarray) -> Seating:
        assert self.known_columns is not None, "plan() has seen them"
        columns = self.known_columns
        may_be_drawn = self.repeated.may_be_drawn if self.repeated is not None else None
        drawn, values, _ = draw_people(rows, columns.sensitive[0], may_be_drawn)
        return seat_drawn(columns, rows, release, drawn, values, pseudonyms)

    def _channel(self, target: Column) -> Channel:
        assert self.p is not None, "plan() has chosen it"
        return Channel(self.p, target.size)

    def _perturb(self, columns: Columns, rows: Rows) -> Rows:
        """Send every person's value through the channel; people are numbered in the order of the sorted rows."""
        target = columns.sensitive[0]
        table = rows.histogram(list(rows.names))
        values = np.repeat(table.column(target.name), table.counts)
        return rows.rewrite(table, target.name, self._channel(target).perturb(values, rows.key, "perturb"))

    def _cut_by_information(self, columns: Columns, rows: Rows) -> Rows:
        """Cut boxes by the information that they give about the values, which are perturbed already."""
        target = columns.sensitive[0]
        table = rows.histogram([column.name for column in columns])
        sizes = [max(column.size, 1) for column in columns.quasi]
        ranks = list(_rank_codes(columns, rows).values())
        codes = kernels.column_codes.recode_columns(table.codes[:, : len(sizes)], ranks, len(sizes)).astype(np.int64)
        ids = np.arange(len(codes))
        values = table.column(target.name).astype(np.int64)
        ends = specialization_kernel.grow_tree(codes, values, table.counts, ids, self.k, target.size, np.array(sizes))
        return rows.place(table, cut_kernel.number_leaves(ids, ends))


def _rank_codes(columns: Columns, rows: Rows) -> dict[str, np.ndarray | None]:
    """Return the rank of every code in the cutting order of its column, None if codes are in order. In a part of a
    large table, codes that belong to other parts come last."""
    table = rows.histogram([column.name for column in columns])
    sizes = [max(column.size, 1) for column in columns.quasi]
    people = kernels.column_codes.count_codes(table.codes[:, : len(sizes)], sizes, table.counts)
    ranks = {}
    for column, frequency in zip(columns.quasi, people, strict=True):
        is_inside = rows.box[column.name] if rows.box is not None else np.ones(len(frequency), dtype=bool)
        ranks[column.name] = CUTS.order_codes(column, np.where(is_inside, frequency, -1))[0]
    return ranks


def _find_space(column: Column, rank: np.ndarray | None, rows: Rows) -> tuple[int, int]:
    """Return the first and the last rank in the cutting order that these people may have."""
    if rows.box is None:
        return 0, max(column.size, 1) - 1
    codes_inside = np.flatnonzero(rows.box[column.name])
    ranks = codes_inside if rank is None else rank[codes_inside]
    return int(ranks.min()), int(ranks.max())


def _sample_people(rows: Rows, target: Column) -> tuple[np.ndarray, np.ndarray]:
    """Return the value of one person per group, drawn uniformly, and the sizes of the groups."""
    sizes = rows.count_people()
    person = rows.key.draw_below("sample", sizes, len(sizes)).astype(np.int64)
    return rows.pick(person, target.name), sizes
