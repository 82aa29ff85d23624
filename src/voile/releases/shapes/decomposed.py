"""A group shown as the exact quasi-identifiers and, for each sensitive column, a list of values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import polars as pl

from voile import kernels
from voile.kernels import lazy_module
from voile.releases.cells.cells import Cells
from voile.releases.known_rows import KnownColumn, KnownRows, explain_rows
from voile.releases.queries.query import Condition, Query
from voile.releases.queries.query_estimates import ListEstimates
from voile.releases.row_matching.known_values import Allowance, BeliefsGiven, find_conditions
from voile.releases.row_matching.one_matching import hand_out_rows
from voile.releases.row_matching.row_matching import RowMatching, match_rows
from voile.releases.shape_answers import BeliefBound, SensitiveRows, ValuePairs
from voile.releases.shape_contract import ShapeDescription
from voile.releases.shapes.expected_rows import combined_rows, matched_pairs, matched_rows
from voile.releases.shapes.list_base import ListShape
from voile.releases.shapes.value_lists import SlotKinds, find_slot_kinds, listed_shares, matched_shares
from voile.releases.table_codes import known_table_codes, table_codes
from voile.tables.group_counts import Counts, tally
from voile.tables.microdata import Microdata
from voile.tables.schema import Columns

sparse = lazy_module("scipy.sparse")


@dataclass(frozen=True, eq=False, repr=False)
class Decomposed(ListShape):
    """Each group lists the values of every sensitive column; the joint table, if published, has complete sensitive
    rows without their group.

    The primary column's list has one entry for each person of the group. The other lists are sets that hold every
    real value of the group, each once, and maybe further ones.
    """

    shape: ClassVar[str] = "decomposed"
    description: ClassVar[ShapeDescription] = ShapeDescription(
        "linked tables, one of them for each sensitive column",
        "Someone who knows a person’s quasi-identifier finds the person’s group, but not which of the listed values "
        "belongs to the person. It does not hide who is in the table and who is not.",
        (
            "exact COUNT queries on quasi-identifier columns",
            "exactly how sensitive columns occur together, if the joint table is published",
            "estimates of COUNT queries on any columns",
        ),
        (
            "which person of a group has which value",
            "how often a group has a value of a secondary column: it is listed once, and may belong to nobody",
        ),
    )

    # the joint rows and whose they may be ----------------------------------------------------------------------------
    @cached_property
    def row_matching(self) -> RowMatching | None:
        """The ways to match joint rows and slots; None where no joint table is published."""
        if not self.joint:
            return None
        return self._match_rows([listed.joint for listed in self.value_lists.values()])

    def _match_rows(self, columns: list[np.ndarray]) -> RowMatching:
        """Match complete sensitive rows, given column by column in published codes, with the slots."""
        lists = list(self.value_lists.values())
        codes, counts = kernels.distinct_rows.count_rows(columns, [listed.column.size for listed in lists])
        secondary = [(listed.starts, listed.values, listed.column.size) for listed in lists[1:]]
        return match_rows(self.slots, lists[0].values, secondary, codes.astype(np.int64), counts)

    def match_table(self, data: Microdata) -> RowMatching | None:
        """Return the ways to match the sensitive rows of the original table and the slots, as somebody does who knows
        them; None where these are not the rows of this release."""
        names = self.sensitive_names
        missing = [name for name in names if name not in [column.name for column in data.columns.sensitive]]
        if missing or data.rows.total != self.people:
            return None
        table = data.rows.histogram(names)
        columns = []
        for name in names:
            place = known_table_codes(data.columns[name].domain, self.value_lists[name].column.domain)
            columns.append(np.repeat(place[table.column(name)], table.counts))
        matching = self._match_rows(columns) if all((column >= 0).all() for column in columns) else None
        return matching if matching is not None and matching.possible else None

    @cached_property
    def sampled_matching(self) -> RowMatching | None:
        """The same, with beliefs that could not be counted estimated by sampling."""
        return self.row_matching.with_sampled_beliefs() if self.row_matching is not None else None

    @cached_property
    def certain(self) -> np.ndarray:
        """Which groups are counted exactly."""
        matching = self.row_matching
        if matching is None:
            return np.ones(len(self.sizes), dtype=bool)
        return np.asarray(self._by_group(~matching.exact[matching.slot]) == 0)

    @cached_property
    def tallies(self) -> dict[str, Counts]:
        """The counts of the primary column, and the expected counts of the others, all matchings equally likely."""
        found = {}
        for number, (name, listed) in enumerate(self.value_lists.items()):
            if not number:
                found[name] = self._primary_counts()
                continue
            counts = self.expected_people(name)
            totals = np.bincount(listed.values, weights=counts, minlength=listed.column.size)
            people = float(self.sizes[~self.certain].sum())
            unsure = {"people whose belief is an estimate": people} if people else {}
            found[name] = Counts(self.sizes, listed.starts, listed.values, counts, totals, listed.column, unsure)
        return found

    def _primary_counts(self) -> Counts:
        ones = np.ones(len(self.slots), np.int64)
        return tally(self.primary_lists.column, self.slots, self.primary_lists.values, ones, len(self.sizes))

    def expected_people(self, name: str, upper: bool = False) -> np.ndarray:
        """Return how many people of its group are expected to have each listed value, or an upper bound of it."""
        listed, matching = self.value_lists[name], self.row_matching
        begins, lengths = listed.starts, np.diff(listed.starts)
        if matching is None:
            return np.repeat(self.sizes / np.maximum(lengths, 1), lengths)
        place, size = self.sensitive_names.index(name), listed.column.size
        starts, values, sums = matching.sum_by_value(place, size, matching.upper if upper else matching.belief)
        spread = (self.primary_lists.starts, matching.slot, starts, values, np.minimum(sums, 1.0))
        return np.asarray(kernels.group_scans.sum_at_listed(*spread, begins, listed.values, size))

    def sensitive_rows(self, columns: Columns) -> SensitiveRows:
        """Return the complete sensitive rows that each group is expected to have."""
        if self.sampled_matching is not None:
            rows = matched_rows(self.sampled_matching, self.primary_lists.starts, self.slots, 0, self.groups)
        else:
            rows = combined_rows(list(self.value_lists.values()), self.slots)
        group, codes, people = rows
        recoded = self._recoded(columns)
        named = [(column.name, self.sensitive_names.index(column.name)) for column in columns.sensitive]
        return SensitiveRows(group, np.stack([recoded[name][codes[:, place]] for name, place in named], axis=1), people)

    def _recoded(self, columns: Columns) -> dict[str, np.ndarray]:
        """Return, by sensitive column, the table's code of each published code."""
        names = [column.name for column in columns.sensitive]
        return {name: table_codes(self.value_lists[name].column.domain, columns[name].domain) for name in names}

    def pairs_of_values(self, one: str, other: str) -> ValuePairs | None:
        """Return the expected pairs; None without a joint table, which alone links the columns."""
        if self.sampled_matching is None:
            return None
        a, b = (self.sensitive_names.index(name) for name in (one, other))
        wide, wider = (self.value_lists[name].column.size for name in (one, other))
        slots = (self.primary_lists.starts, self.slots)
        return ValuePairs(matched_pairs(self.sampled_matching, *slots, (a, b), (wide, wider)), expected=True)

    def belief_bound(self, name: str) -> BeliefBound:
        """Return the largest belief in any value of a column that the tables allow, never less than the true one."""
        if name == self.sensitive_names[0]:
            counts = self._primary_counts()
            return BeliefBound(float((counts.largest() / np.maximum(counts.sizes, 1)).max(initial=0.0)))
        people = np.repeat(np.maximum(self.sizes, 1), np.diff(self.value_lists[name].starts))
        largest = float((self.expected_people(name, upper=True) / people).max(initial=0.0))
        return BeliefBound(largest, None if self.row_matching is None else int(self.certain.sum()))

    def beliefs_given(
        self, name: str, allowance: Allowance, data: Microdata | None = None, column: str | None = None
    ) -> BeliefsGiven | None:
        """Return the beliefs in a column of somebody who knows other values of a person. Groups whose matchings cannot
        be counted are taken at their worst."""
        matching = self.row_matching if self.joint or data is None else self.match_table(data)
        if matching is None:
            return None
        names = self.sensitive_names
        known = names.index(column) if column is not None else None
        conditions = find_conditions(matching.codes, matching.counts, names.index(name), allowance, known)
        shape = (len(matching.exact), len(matching.counts))
        chances = sparse.csr_matrix((matching.belief, matching.types, matching.starts), shape=shape)
        slots = sparse.csr_matrix((np.ones(len(self.slots)), (self.slots, matching.slot)), (self.groups, shape[0]))
        found = conditions.beliefs(chances, slots)
        certain = self._by_group(~matching.exact[matching.slot]) == 0
        return BeliefsGiven(np.where(certain, found.largest, 1.0), np.where(certain, found.excess, 1.0))

    def guess_accuracy(self, name: str, data: Microdata) -> float | None:
        """Return for which share of the people the listed value that is most common in the table is expected to be
        right: how well anybody does who knows how common the values are. None where the table is another one."""
        matching, listed = self.match_table(data), self.value_lists[name]
        if matching is None:
            return None
        place, size = self.sensitive_names.index(name), listed.column.size
        people = np.bincount(matching.codes[:, place], weights=matching.counts, minlength=size)
        owner = np.repeat(np.arange(self.groups), np.diff(listed.starts))
        order = np.lexsort((-people[listed.values], owner))
        guess = listed.values[order][listed.starts[:-1]]
        starts, values, sums = matching.sum_by_value(place, size, matching.belief)
        chance = sparse.csr_matrix((sums, values, starts), shape=(len(matching.exact), size))
        return float(np.asarray(chance[matching.slot, guess[self.slots]]).sum() / max(self.people, 1))

    @property
    def sampling_notes(self) -> dict[str, float]:
        if self.sampled_matching is None or self.certain.all():
            return {}
        unsure, widest = float(self.sizes[~self.certain].sum()), float(self.sampled_matching.error.max(initial=0.0))
        return {"people whose belief is an estimate": unsure, "widest half of its 95 % interval": widest}

    def faults(self) -> list[str]:
        found = self.list_faults()
        if self.row_matching is not None and not self.row_matching.possible:
            found.append("The joint table and the lists of the groups contradict each other.")
        return found

    def known_rows(self) -> KnownRows:
        """The primary values of each group are dealt to its people; of another column everybody has a listed value. A
        joint table tells which values occur together."""
        self.require_sound()
        columns, entries = self.known_exact(), {str(entry["name"]): entry for entry in self.described("sensitive")}
        labels = pl.repeat("", self.groups, dtype=pl.String, eager=True)
        for number, (name, listed) in enumerate(self.value_lists.items()):
            starts, values = listed.starts, listed.values
            if not number:
                counts = self._primary_counts()
                starts, values = counts.starts, counts.values
            cells = Cells(listed.column.domain, labels, starts=starts, members=values)
            columns.append(KnownColumn(entries[name], cells, self.group, dealt=listed.values if not number else None))
        joint = hand_out_rows(self.row_matching, self.group, len(columns) - len(self.value_lists))
        return KnownRows(self.group, tuple(columns), assumptions=explain_rows(columns, joint=joint), joint=joint)

    def narrow_bounds(self, conditions: Mapping[str, Condition], low: int, high: int) -> tuple[int, int]:
        """The joint table tells exactly how many people have a combination of sensitive values."""
        names = [name for name in conditions if name in self.value_lists]
        if not self.joint or not names:
            return low, high
        fits = np.ones(self.people, dtype=bool)
        for name in names:
            listed = self.value_lists[name]
            fits &= conditions[name].matches(listed.column.domain.values, listed.column.domain.missing)[listed.joint]
        rows, others = int(fits.sum()), {name: conditions[name] for name in conditions if name not in names}
        people = np.ones(self.people, dtype=bool)
        for name, condition in others.items():
            people &= condition.matches(self.tables["quasi"][name])
        return max(low, rows + int(people.sum()) - self.people), min(high, rows)

    # estimates -------------------------------------------------------------------------------------------------------
    @cached_property
    def _slot_kinds(self) -> SlotKinds:
        return find_slot_kinds(list(self.value_lists.values()), self.slots)

    @cached_property
    def slot_kinds(self) -> np.ndarray:
        """The kind of each slot in estimates: slots of one kind have equal shares of matching rows."""
        return self.row_matching.slot if self.row_matching is not None else self._slot_kinds.kind

    def shares(self, wanted: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return, for queries (by column, queries x codes), the share of matching rows in each kind of slot: of the
        joint rows that fit it or, without a joint table, of the listed values, columns being independent."""
        if self.row_matching is not None:
            return matched_shares(self.row_matching, self.sensitive_names, wanted)
        return listed_shares(list(self.value_lists.values()), self._slot_kinds, wanted)

    def query_estimates(self, columns: Columns) -> ListEstimates:
        slots = (self.primary_lists.starts, self.slot_kinds, self._recoded(columns), self.shares)
        return ListEstimates(columns, self.groups, self.exact_rows(columns), *slots)

    def answer(self, query: Query) -> float:
        """Sum, over groups, the number of matching people times the share of matching rows of its slots."""
        share, chance = self._chances(query)
        return float((share * self._by_group(chance)).sum())

    def _by_group(self, weights: np.ndarray) -> np.ndarray:
        return np.bincount(self.slots, weights=weights, minlength=len(self.sizes))

    def _chances(self, query: Query) -> tuple[np.ndarray, np.ndarray]:
        """Return the share of matching people of every group, and the chance that the row of every slot matches."""
        quasi = self.tables["quasi"]
        known = [column for column in quasi.columns if column != "group"]
        query.check([*known, *self.sensitive_names])
        weight, wanted = np.ones(self.people), {}
        for name in known:
            if name in query.conditions:
                weight *= query.conditions[name].matches(quasi[name])
        for name, listed in self.value_lists.items():
            domain = listed.column.domain
            asked = query.conditions.get(name)
            fits = asked.matches(domain.values, domain.missing) if asked else np.ones(domain.size, dtype=bool)
            wanted[name] = fits.reshape(1, -1)
        matching = np.bincount(self.group, weights=weight, minlength=len(self.sizes))
        return matching / np.maximum(self.sizes, 1), np.asarray(self.shares(wanted)[0][self.slot_kinds])
