"""A group shown as the exact quasi-identifiers and, for each sensitive column, a list of values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl

from voile import kernels
from voile.errors import BrokenPromise
from voile.releases.query import Query
from voile.releases.release import Release, Words
from voile.releases.row_matching.row_matching import Linkage, equal_sets, linkage
from voile.releases.shapes.bucketized import exact_candidates, exact_homes
from voile.tables.group_counts import Counts, tally
from voile.tables.microdata import Microdata
from voile.tables.schema import Column


@dataclass(frozen=True, eq=False)
class Listing:
    """The values of one sensitive column that each group lists, rising, where each group starts, and the column's codes
    in the joint table."""

    column: Column
    starts: np.ndarray
    values: np.ndarray
    joint: np.ndarray

    def __repr__(self) -> str:
        return f"Listing({len(self.starts) - 1} groups of {self.column.name!r})"


@dataclass(frozen=True, eq=False, repr=False)
class Decomposed(Release):
    """Each group lists the values of every sensitive column; the joint table, if published, has complete sensitive
    rows without their group.

    The primary column's list has one entry for each person of the group. The other lists are sets that hold every
    real value of the group, each once, and maybe further ones.
    """

    shape: ClassVar[str] = "decomposed"
    words: ClassVar[Words] = Words(
        "linked tables, one for each sensitive column",
        "Someone who knows a person’s quasi-identifier finds the person’s group, but not which of the listed values is "
        "theirs.",
        (
            "exact COUNT queries on the quasi-identifier columns",
            "how sensitive columns go together, exactly, where the joint table is published",
            "estimates of COUNT queries on any of the columns",
        ),
        (
            "which person of a group has which value",
            "how often a value of a secondary column occurs in a group: it is listed once, and may be nobody’s",
            "who is not in the table: it shows who is",
        ),
    )

    @property
    def people(self) -> int:
        return self.tables["quasi"].height

    @property
    def joint(self) -> bool:
        """Whether complete sensitive rows are published."""
        return "joint" in self.tables

    @property
    def names(self) -> list[str]:
        """The sensitive columns, the primary first."""
        names = [str(entry["name"]) for entry in self.described("sensitive")]
        primary = self.dictionary.get("primary")
        if primary not in names:
            raise BrokenPromise(
                "The dictionary names no sensitive column as primary.",
                code="broken.table",
                hint="The folder was changed after publishing.",
            )
        return [str(primary), *(name for name in names if name != primary)]

    @cached_property
    def _labels(self) -> np.ndarray:
        """Group numbers in rising order."""
        homes = ["quasi", *(f"sensitive_{name}" for name in self.names)]
        columns = [self.column_of(home, "group").to_numpy() for home in homes]
        # tables are in the order of their groups, so that one of each run is enough
        firsts = [column[np.append(True, column[1:] != column[:-1])[: len(column)]] for column in columns]
        found = np.sort(np.concatenate(firsts))
        return np.asarray(found[np.append(True, found[1:] != found[:-1])[: len(found)]])

    def _numbered(self, home: str) -> np.ndarray:
        """The group of each row of a table, counted from 0."""
        labels, column = self._labels, self.column_of(home, "group").to_numpy()
        if len(labels) and labels[-1] - labels[0] + 1 == len(labels):
            return np.asarray(column - labels[0])
        return np.searchsorted(labels, column)

    @cached_property
    def group(self) -> np.ndarray:
        """The group of each row of the quasi table."""
        return self._numbered("quasi")

    @cached_property
    def sizes(self) -> np.ndarray:
        return np.bincount(self.group, minlength=len(self._labels))

    @cached_property
    def listings(self) -> dict[str, Listing]:
        """What is listed, by column, the primary first."""
        entries = {str(entry["name"]): entry for entry in self.described("sensitive")}
        return {name: self._listing(entries[name]) for name in self.names}

    def _listing(self, entry: Mapping[str, Any]) -> Listing:
        name = str(entry["name"])
        home = f"sensitive_{name}"
        shown = self.column_of(home, name)
        rows = self.column_of("joint", name) if self.joint else shown.clear()
        column, codes = self.read_sensitive(entry, pl.concat([shown, rows]))
        group, values = self._numbered(home), codes[: len(shown)].astype(np.int64)
        key = group * column.size + values
        if (key[1:] < key[:-1]).any():  # not as it was written
            values = values[np.argsort(key, kind="stable")]
        starts = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=len(self._labels)))])
        return Listing(column, starts, values, codes[len(shown) :])

    @cached_property
    def slots(self) -> np.ndarray:
        """The group of each slot: one for each entry of the primary list, in its order."""
        return np.repeat(np.arange(len(self._labels)), np.diff(self.listings[self.names[0]].starts))

    @cached_property
    def linkage(self) -> Linkage | None:
        """Which joint row is whose; None where no joint table is published, or only one column."""
        if not self.joint:
            return None
        listings = list(self.listings.values())
        sizes = [listing.column.size for listing in listings]
        codes, counts = kernels.distinct_rows.count_rows([listing.joint for listing in listings], sizes)
        lists = [(listing.starts, listing.values, listing.column.size) for listing in listings[1:]]
        return linkage(self.slots, listings[0].values, lists, codes.astype(np.int64), counts)

    @cached_property
    def sampled(self) -> Linkage | None:
        """The same, with what could not be counted estimated by sampling."""
        return self.linkage.sampled() if self.linkage is not None else None

    @cached_property
    def tallies(self) -> dict[str, Counts]:
        """For the primary column what is counted; for the others what is expected, all matchings equally likely."""
        found = {}
        for number, (name, listing) in enumerate(self.listings.items()):
            if not number:
                found[name] = self._primary(listing)
                continue
            counts = self.expected(name)
            totals = np.bincount(listing.values, weights=counts, minlength=listing.column.size)
            unsure = {} if self.certain.all() else {"people whose belief is an estimate": self._uncertain}
            found[name] = Counts(self.sizes, listing.starts, listing.values, counts, totals, listing.column, unsure)
        return found

    def _primary(self, listing: Listing) -> Counts:
        ones = np.ones(len(self.slots), np.int64)
        return tally(listing.column, self.slots, listing.values, ones, len(self._labels))

    def expected(self, name: str, what: str = "belief", linked: Linkage | None = None) -> np.ndarray:
        """How many people of its group are expected to have each listed value; with `what` "upper", at most expected;
        with "error", the half width of the interval where the belief was sampled."""
        listing, linked = self.listings[name], linked or self.linkage
        begins, lengths = listing.starts, np.diff(listing.starts)
        if linked is None:
            even = self.sizes / np.maximum(lengths, 1)
            return np.repeat(even if what != "error" else np.zeros(len(even)), lengths)
        place, size = self.names.index(name), listing.column.size
        starts, values, numbers = linked.of_values(place, size, getattr(linked, what))
        numbers = np.minimum(numbers, 1.0)
        first = self.listings[self.names[0]]
        return np.asarray(
            kernels.group_scans.sum_at_listed(
                first.starts, linked.slot, starts, values, numbers, begins, listing.values, size
            )
        )

    @cached_property
    def certain(self) -> np.ndarray:
        """Which groups are counted exactly."""
        if self.linkage is None:
            return np.ones(len(self._labels), dtype=bool)
        unsure = np.bincount(self.slots, weights=~self.linkage.exact[self.linkage.slot], minlength=len(self._labels))
        return np.asarray(unsure == 0)

    @property
    def _uncertain(self) -> float:
        return float(self.sizes[~self.certain].sum())

    def worst(self, name: str) -> float:
        """The largest belief in any value of a column that the tables allow, never less than the true one."""
        if name == self.names[0]:
            counts = self._primary(self.listings[name])
            return float((counts.largest() / np.maximum(counts.sizes, 1)).max(initial=0.0))
        listing = self.listings[name]
        people = np.repeat(np.maximum(self.sizes, 1), np.diff(listing.starts))
        return float((self.expected(name, "upper") / people).max(initial=0.0))

    def faults(self) -> list[str]:
        found = []
        primary, *others = self.listings.values()
        wrong = int((np.diff(primary.starts) != self.sizes).sum())
        if wrong:
            found.append(f"{wrong} groups list another number of primary values than they have people.")
        for listing in others:
            owner = np.repeat(np.arange(len(self._labels)), np.diff(listing.starts))
            twice = int(((np.diff(owner) == 0) & (np.diff(listing.values) == 0)).sum())
            if twice:
                found.append(f"{twice} values of {listing.column.name!r} are listed twice in their group.")
            empty = int((np.diff(listing.starts) == 0).sum())
            if empty:
                found.append(f"{empty} groups list no value of {listing.column.name!r}.")
        if self.linkage is not None and not self.linkage.possible:
            found.append("The joint table and the lists of the groups cannot belong together.")
        return found

    def locate(self, people: Microdata) -> np.ndarray:
        return exact_homes(self, self.group, people)

    def candidates(self, external: Microdata) -> tuple[np.ndarray, np.ndarray]:
        return exact_candidates(self, self.group, external)

    # estimates -----------------------------------------------------------------------------------------------------
    @cached_property
    def units(self) -> np.ndarray:
        """The kind of each slot as estimates see it: slots of one kind have equal shares of matching rows."""
        if self.linkage is not None:
            return self.linkage.slot
        return self._kinds[0]

    @cached_property
    def _kinds(self) -> tuple[np.ndarray, np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
        """Without a joint table: the kind of each slot (primary value and lists), one slot of each, the lists."""
        first, *others = self.listings.values()
        slots = self.slots
        same = [equal_sets(listing.starts, listing.values, listing.column.size) for listing in others]
        columns, sizes = [first.values, *(number[slots] for _, number in same)], [first.column.size]
        kind, one = kernels.distinct_rows.rank_rows(columns, [*sizes, *(max(len(alike), 1) for alike, _ in same)])
        return kind, one, [(alike, number[slots[one]]) for alike, number in same]

    def shares(self, wanted: Mapping[str, np.ndarray]) -> np.ndarray:
        """For queries (by column, queries x codes: is the code admitted?) the share of matching rows in each kind of
        slot: of the joint rows that fit it; without a joint table of the listed values, columns being independent."""
        if self.linkage is not None:
            fits = np.ones((len(wanted[self.names[0]]), len(self.linkage.counts)), dtype=bool)
            for place, name in enumerate(self.names):
                fits &= wanted[name][:, self.linkage.codes[:, place]].astype(bool)
            return self.linkage.shares(fits)
        _, one, lists = self._kinds
        first, *others = self.listings.values()
        share = wanted[first.column.name][:, first.values[one]].astype(np.float64)
        for listing, (alike, number) in zip(others, lists, strict=True):
            inside = wanted[listing.column.name][:, listing.values].astype(np.float64)
            sums = np.concatenate([np.zeros((len(inside), 1)), np.cumsum(inside, axis=1)], axis=1)
            low, high = listing.starts[alike], listing.starts[alike + 1]
            share *= ((sums[:, high] - sums[:, low]) / np.maximum(high - low, 1))[:, number]
        return share

    def answer(self, query: Query) -> float:
        """Per group the number of matching people times the share of its slots' rows that match."""
        share, chance = self._chances(query)
        return float((share * self._by_group(chance)).sum())

    def variance(self, query: Query) -> float:
        """Per group the matching rows are dealt to its people by chance (hypergeometric), and whether the row of a slot
        matches is by chance too."""
        share, chance = self._chances(query)
        rows, unsure = self._by_group(chance), self._by_group(chance * (1 - chance))
        dealt = rows * share * (1 - share) * (self.sizes - rows) / np.maximum(self.sizes - 1, 1)
        return float((dealt + unsure * share**2).sum())

    def _by_group(self, weights: np.ndarray) -> np.ndarray:
        return np.bincount(self.slots, weights=weights, minlength=len(self.sizes))

    def _chances(self, query: Query) -> tuple[np.ndarray, np.ndarray]:
        """For every group the share of matching people, for every slot the chance that its row matches."""
        quasi = self.tables["quasi"]
        known = [column for column in quasi.columns if column != "group"]
        query.check([*known, *self.names])
        weight, wanted = np.ones(self.people), {}
        for name in known:
            if name in query.conditions:
                weight *= query.conditions[name].matches(quasi[name])
        for name, listing in self.listings.items():
            domain = listing.column.domain
            asked = query.conditions.get(name)
            fits = asked.matches(domain.values, domain.missing) if asked else np.ones(domain.size, dtype=bool)
            wanted[name] = fits.reshape(1, -1)
        matching = np.bincount(self.group, weights=weight, minlength=len(self.sizes))
        return matching / np.maximum(self.sizes, 1), np.asarray(self.shares(wanted)[0][self.units])
