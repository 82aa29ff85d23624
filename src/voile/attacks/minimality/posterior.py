"""What is believed of the people behind a release, once it is known what its method refused to show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from voile import kernels
from voile.attacks.minimality import elimination, exact_worlds
from voile.attacks.minimality.candidates import Crowd
from voile.attacks.minimality.elimination import Case
from voile.models.policy import Policy
from voile.releases.shapes.generalized import Generalized
from voile.tables.group_counts import Counts, tally
from voile.tables.schema import Column, Columns


@dataclass(frozen=True, eq=False)
class Found:
    """Belief by entry of a crowd (or part of one) and value; `people` are those who are in the release."""

    belief: np.ndarray
    naive: np.ndarray
    people: np.ndarray
    estimated: int
    unexplained: int
    unanswered: int
    error: float

    def risk(self, sets: np.ndarray, naive: bool = False) -> np.ndarray:
        """The largest belief in any set of values."""
        shares = (self.naive if naive else self.belief) @ sets.T.astype(np.float64)
        return np.asarray(np.minimum(shares.max(axis=1, initial=0.0), 1.0))


def beliefs(people: Crowd, policy: Policy | None, name: str, most: int) -> Found:
    """What is believed of everybody's value in one sensitive column."""
    return _Count(people, policy, name, most).found()


class _Count:
    """One column of one release: the types of values that the requirement tells apart, and the cases."""

    def __init__(self, people: Crowd, policy: Policy | None, name: str, most: int) -> None:
        self.people, self.policy, self.name, self.most = people, policy, name, most
        release = people.release
        self.columns = Columns((), tuple(c.column for c in release.tallies.values() if c.column), ())
        self.reads = policy.reads(self.columns) if policy else []
        self.counts = release.tallies[name]
        self.target = cast(Column, self.counts.column)
        self.naive_share = self._matrix(self.counts)
        self.fitting = people.fitting
        self.starts = np.searchsorted(people.group, np.arange(release.groups + 1))
        if any(column.name == name for column in self.reads):
            self._number_types()

    def _matrix(self, counts: Counts) -> np.ndarray:
        table = np.zeros((counts.groups, self.target.size))
        table[counts.owner, counts.values] = counts.counts / counts.sizes[counts.owner]
        return table

    def _number_types(self) -> None:
        """The rows of sensitive codes that the requirement tells apart."""
        release = self.people.release
        codes, classes = [], []
        for column in self.reads:
            counts = release.tallies[column.name]
            assert counts.column is not None
            sets = [
                model.guarded(counts.column)
                for model in self.policy or ()
                if model.reads_values and getattr(model, "column", None) in (None, column.name)
            ]
            _, alike = np.unique(np.concatenate(sets), axis=1, return_inverse=True)
            classes.append(alike.ravel())
            codes.append(self._codes(column.name))
        group, weight = codes[0][0], codes[0][2]
        lumped = [alike[code] for alike, (_, code, _) in zip(classes, codes, strict=True)]
        sizes = [release.groups, *(int(alike.max(initial=0)) + 1 for alike in classes)]
        rows, people = kernels.distinct_rows.weighted([group, *lumped], sizes, weight)
        self.type_group, self.type_count = rows[:, 0].astype(np.int64), people
        kinds, self.type_code = np.unique(rows[:, 1:], axis=0, return_inverse=True)
        self.type_code = self.type_code.ravel()
        # a value of each class, for judging; what the class is made of in each group, for belief
        self.sample = [
            np.array([int(np.flatnonzero(alike == code)[0]) for code in kinds[:, number]], dtype=np.int64)
            for number, alike in enumerate(classes)
        ]
        mine = [column.name for column in self.reads].index(self.name)
        self.own_class, self.type_class = classes[mine], kinds[:, mine].astype(np.int64)
        self.type_starts = np.searchsorted(self.type_group, np.arange(release.groups + 1))

    def _codes(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Group, code and number of the published sensitive values, row by row where rows show several columns."""
        release = self.people.release
        if isinstance(release, Generalized):
            entry = next(entry for entry in release.described("sensitive") if entry["name"] == name)
            _, codes = release.sensitive_column(entry, "table")
            return release.group, codes.astype(np.int64), np.ones(len(codes), dtype=np.int64)
        counts = release.tallies[name]
        return counts.owner, counts.values, counts.counts

    def judge(self, case: np.ndarray, kind: np.ndarray, weight: np.ndarray, cases: int) -> np.ndarray:
        """Which of some groups satisfy the requirement; one with nobody in it is not shown at all."""
        assert self.policy is not None
        tallies, sizes = {}, np.bincount(case, weights=weight, minlength=cases).astype(np.int64)
        for column, sample in zip(self.reads, self.sample, strict=True):
            totals = self.people.release.tallies[column.name].totals
            tallies[column.name] = tally(column, case, sample[kind], weight, cases, totals)
        return np.asarray(self.policy.holds(self.columns, tallies, sizes) | (sizes == 0))

    def found(self) -> Found:
        people, release = self.people, self.people.release
        naive = self.naive_share[people.group]
        belief, counted = naive.copy(), people.count.astype(np.float64)
        excess = self.fitting - release.sizes
        counted *= (release.sizes / np.maximum(self.fitting, 1))[people.group]
        state = {"estimated": 0, "unexplained": 0, "unanswered": 0}
        error = 0.0
        if hasattr(self, "sample"):
            for group, left, draws in self._struck(excess):
                if left is None:
                    state["unanswered" if draws else "unexplained"] += int(release.sizes[group])
                    continue
                entries, expected = left
                belief[entries], present = self._by_value(group, expected)
                counted[entries] = present
                if draws:
                    state["estimated"] += int(release.sizes[group])
                    error = max(error, 0.98 / float(np.sqrt(draws)))
        belief, counted, naive, shared = self._several(belief, counted, naive)
        state["estimated"] += shared
        return Found(belief, naive, _rounded(counted, release.people), **state, error=error)

    def _by_value(self, group: int, expected: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """From people by entry and type to belief by entry and value; values of one type share its people."""
        types = self.type_code[self.type_starts[group] : self.type_starts[group + 1]]
        present = expected.sum(axis=1)
        share = expected / np.maximum(present, 1e-300)[:, None]
        by_class = np.zeros((len(expected), int(self.own_class.max(initial=0)) + 1))
        np.add.at(by_class.T, self.type_class[types], share.T)
        inside = self.naive_share[group]
        of_class = np.bincount(self.own_class, weights=inside, minlength=by_class.shape[1])
        return by_class[:, self.own_class] * (inside / np.maximum(of_class[self.own_class], 1e-300)), present

    def _struck(self, excess: np.ndarray) -> Any:
        """(group, (entries, people by entry and type) or None, draws) for every group that loses worlds."""
        whole = self.people.steps is None or self.people.steps.whole
        groups, cases, atoms = self._cases(excess, whole)
        if not cases:
            return
        if not whole:
            lefts = elimination.strike(cases, self.judge, False, self.most)
            for group, case, atom, left in zip(groups, cases, atoms, lefts, strict=True):
                answer, draws = elimination.alone(case, left)
                yield group, self._entries(group, case, atom, answer), draws
            return
        steps = cases[0].parts.shape[1]
        lefts = []
        for start in range(0, len(cases), 64):
            lefts += elimination.strike(cases[start : start + 64], self.judge, True, self.most)
            if all(elimination.surviving(lefts, 1 << step) < elimination.NOTHING for step in range(steps)):
                return  # no step could have been taken anywhere near surely: nothing is struck out
        answers = elimination.together(cases, lefts, steps)
        for number, (group, case, atom) in enumerate(zip(groups, cases, atoms, strict=True)):
            yield group, self._entries(group, case, atom, answers[number] if answers else None), lefts[number].draws

    def _entries(self, group: int, case: Case, atom: np.ndarray, answer: np.ndarray | None) -> Any:
        if answer is None:
            return None
        entries = np.arange(self.starts[group], self.starts[group + 1])
        share = self.people.count[entries] / case.atoms[atom]
        return entries, answer[atom] * share[:, None]

    def _cases(self, excess: np.ndarray, whole: bool) -> tuple[list[int], list[Case], list[np.ndarray]]:
        """The groups that a step concerns; steps that fail for their size alone, whatever the values, tell nothing."""
        assert self.policy is not None
        smallest = self.policy.smallest()
        steps = self._steps()
        small = self._too_small(steps, smallest, excess)
        if whole:
            steps = steps[:, ~small.any(axis=0)][:, : elimination.STEPS]
            small = np.zeros((len(excess), steps.shape[1]), dtype=bool)
        found: tuple[list[int], list[Case], list[np.ndarray]] = ([], [], [])
        if not steps.shape[1]:
            return found
        for group in range(len(excess)):
            inside = slice(self.starts[group], self.starts[group + 1])
            mine = steps[inside]
            used = (
                np.flatnonzero((mine != mine[:1]).any(axis=0) & ~small[group])
                if not whole
                else np.arange(mine.shape[1])
            )
            if not len(used) or len(mine) < 2:
                continue
            parts = np.stack([np.unique(mine[:, step], return_inverse=True)[1] for step in used], axis=1)
            if not whole:
                parts = np.unique(parts, axis=1)  # two columns may ask for the same cut
            labels, atom = np.unique(parts, axis=0, return_inverse=True)
            atom = atom.ravel()
            sizes = np.bincount(atom, weights=self.people.count[inside]).astype(np.int64)
            types = slice(self.type_starts[group], self.type_starts[group + 1])
            case = Case(sizes, labels, self.type_code[types], self.type_count[types], int(excess[group]))
            if len(case.types) + (case.absent > 0) < 2:
                continue  # one value: nothing to tell apart
            for target, item in zip(found, (group, case, atom), strict=True):
                target.append(item)  # type: ignore[attr-defined]
        return found

    def _steps(self) -> np.ndarray:
        """The part of every entry in every step; the original table is one step, in which every kind is a part."""
        if self.people.steps is not None:
            return self.people.steps.parts
        return self.people.kind.reshape(-1, 1)

    def _too_small(self, steps: np.ndarray, smallest: int, excess: np.ndarray) -> np.ndarray:
        """(group, step) pairs with a part that is too small for any values; unknown where people may be absent."""
        people = self.people
        small = np.zeros((len(excess), steps.shape[1]), dtype=bool)
        for step in range(steps.shape[1]):
            part = steps[:, step]
            _, place = np.unique(np.stack([people.group, part], axis=1), axis=0, return_inverse=True)
            place = place.ravel()
            size = np.bincount(place, weights=people.count)
            tiny = (size[place] < smallest) & (part >= 0) & (excess[people.group] == 0)
            small[people.group[tiny], step] = True
        return small

    # people who fit several groups -----------------------------------------------------------------------------------
    def _several(
        self, belief: np.ndarray, counted: np.ndarray, naive: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        """Boxes that overlap: where it is small enough, everything about their people is counted world by world."""
        people = self.people
        often = np.bincount(people.kind)[people.kind] > 1
        if not often.any() or not isinstance(people.release, Generalized):
            return belief, counted, naive, 0
        kinds = int(people.kind.max()) + 1
        links = (people.kind, people.group + kinds)
        size = kinds + people.release.groups
        _, label = connected_components(
            sparse.coo_matrix((np.ones(len(often)), links), shape=(size, size)), directed=False
        )
        shared = 0
        for component in np.unique(label[people.kind[often]]):
            entries = np.flatnonzero(label[people.kind] == component)
            solved = self._overlapping(entries) if len(entries) <= 40 else None
            if solved is None:
                shared += int(people.release.sizes[np.unique(people.group[entries])].sum())
                continue
            belief[entries], naive[entries], counted[entries] = solved
        return belief, counted, naive, shared

    def _overlapping(self, entries: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Belief, naive belief and people of entries whose groups overlap; None where there are too many worlds."""
        people, release = self.people, self.people.release
        kinds, place = np.unique(people.kind[entries], return_inverse=True)
        number = {int(kind): int(people.count[entries[place == at][0]]) for at, kind in enumerate(kinds)}
        groups = np.unique(people.group[entries])
        fits = {int(g): [int(k) for k in people.kind[entries[people.group[entries] == g]]] for g in groups}
        if sum(number.values()) != int(release.sizes[groups].sum()) or len(self.reads) > 1:
            return None
        values = {int(g): self._values(int(g)) for g in groups}
        could = self._satisfied if self.policy is not None and self.reads else (lambda table: False)
        answer = exact_worlds.overlapping(number, fits, values, could, self.most)
        if answer is None:
            return None
        found, shown = np.zeros((len(entries), self.target.size)), np.zeros((len(entries), self.target.size))
        counted = np.zeros(len(entries))
        for at, entry in enumerate(entries):
            kind = int(people.kind[entry])
            for table, source in ((found, answer.belief or answer.naive), (shown, answer.naive)):
                for (who, value), share in source.items():
                    if who == kind:
                        table[at, value] = float(share)
            counted[at] = number[kind] / sum(kind in fit for fit in fits.values())
        return found, shown, counted

    def _values(self, group: int) -> list[int]:
        inside = slice(self.counts.starts[group], self.counts.starts[group + 1])
        return np.repeat(self.counts.values[inside], self.counts.counts[inside]).tolist()

    def _satisfied(self, table: Mapping[Any, Sequence[int]]) -> bool:
        assert self.policy is not None
        shown = [values for values in table.values() if len(values)]
        case = np.repeat(np.arange(len(shown)), [len(values) for values in shown])
        value = np.concatenate([np.asarray(values, dtype=np.int64) for values in shown])
        counts = tally(self.target, case, value, np.ones(len(value), dtype=np.int64), len(shown), self.counts.totals)
        return bool(self.policy.holds(self.columns, {self.name: counts}, counts.sizes).all())


def _rounded(counted: np.ndarray, total: int) -> np.ndarray:
    """Whole people: expected numbers rounded so that their sum stays."""
    whole = np.floor(counted + 1e-9).astype(np.int64)
    rest = np.argsort(whole - counted, kind="stable")[: max(total - int(whole.sum()), 0)]
    whole[rest] += 1
    return whole
