"""COUNT queries on a release: certain bounds from its cells, an estimate and an interval from its completions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from voile.errors import SchemaError
from voile.releases.completions.completions import Completions, complete_release
from voile.releases.completions.draw_numbers import DRAWS
from voile.releases.counts.cell_matches import is_altered, may_be_any
from voile.releases.counts.certain_bounds import BoxView, shows_every_row, weigh_boxes
from voile.releases.counts.count_answer import Count
from voile.releases.counts.known_values import check_values, explain_coding
from voile.releases.known_rows import KnownColumn
from voile.releases.queries.query import Condition, Query, cell_shares
from voile.releases.shape_contract import ShapeContract
from voile.tables.schema import suggest_name

DEVIATIONS = 1.96
INFLATION = 2.0  # draws of one chain resemble each other more than the truth resembles them
# how much is doubted of what completions add to two simpler estimates: where a release says which values occur, and not
DOUBTS, LOOSE_DOUBTS = (0.4, 0.2), (1.0, 0.25)
LOOSE = "No interval: the release does not say which values of a cell occur in it, so only the bounds can be relied on."
ALTERED = "No interval: some values of the column may have been replaced before publication."
NOT_SHOWN = "No interval: some values of the column are not shown."


@dataclass(frozen=True, eq=False)
class Counting:
    """What a release needs to answer COUNT queries, prepared once."""

    release: ShapeContract
    draws: Completions

    def __repr__(self) -> str:
        return f"Counting({self.draws!r})"

    @cached_property
    def view(self) -> BoxView:
        return BoxView(self.draws.rows)

    @cached_property
    def places(self) -> dict[str, int]:
        """The number of each column, by name."""
        return {column.name: number for number, column in enumerate(self.draws.rows.columns)}

    @property
    def scale(self) -> float:
        """How many people of the table stand behind a published one: more than one where rows are withheld."""
        people = self.draws.rows.people
        return (people + int(self.release.dictionary.get("withheld", 0))) / max(people, 1)

    def check_conditions(self, conditions: Mapping[str, Condition]) -> None:
        """Raise SchemaError for a column or a value that the release does not have."""
        for name, condition in conditions.items():
            if name not in self.places:
                raise SchemaError(
                    f"The release has no column {name!r}.",
                    code="schema.unknown-column",
                    hint=suggest_name(name, list(self.places)),
                )
            check_values(self._column(name), condition)

    def _column(self, name: str) -> KnownColumn:
        return self.draws.rows.columns[self.places[name]]

    def count(self, query: Query) -> Count:
        """Answer a COUNT query."""
        conditions = query.conditions
        self.check_conditions(conditions)
        if query.weighted:
            return self._count_weighted(query)
        if any(condition.values == () for condition in conditions.values()):
            return Count(0.0, 0, 0, 0, 0)
        return self.infer_count(None, conditions)

    def infer_count(self, drawn: np.ndarray | None, conditions: Mapping[str, Condition]) -> Count:
        """Answer a COUNT query from the counts in the draws, which are counted here if they are not given."""
        at_least, at_most = self.bound(conditions)
        coding = explain_coding(map(self._column, conditions))
        if at_least == at_most:
            return Count(float(at_least), at_least, at_least, at_least, at_most, coding)
        if drawn is None:
            drawn = np.array([fits.sum() for fits in self.match_draws(conditions)], dtype=np.float64)
        doubts = (self.expect(conditions), self.expect_even(conditions))
        answer = self.infer(drawn, doubts, at_least, at_most, self.find_obstacle(conditions))
        return replace(answer, note=" ".join(filter(None, (answer.note, coding))))

    def _count_weighted(self, query: Query) -> Count:
        """Count people of the population: every row stands for as many as its survey weight says."""
        name = self.release.shown_weight
        assert name is not None
        number, boxes = self.places[name], self.view.bound(query.conditions)
        least, most = weigh_boxes(self._column(name), self.view.first)
        at_least = 0.0 if self.release.absent else float((boxes.low * least).sum())
        at_most = float((boxes.high * np.where(boxes.high > 0, most, 0)).sum())
        bounded = math.isfinite(at_most) and not self.release.dictionary.get("withheld", 0)
        drawn = []
        for draw, fits in enumerate(self.match_draws(query.conditions)):
            drawn.append(float(self.draws.column(draw, number).fill_null(0).to_numpy()[fits].sum()))
        even = self.release.answer(query)
        obstacle = self.find_obstacle([*query.conditions, name])
        return self.infer(np.array(drawn), (even, even), at_least, at_most if bounded else None, obstacle, whole=False)

    def bound(self, conditions: Mapping[str, Condition]) -> tuple[int, int]:
        """Return how many people of the table behind the release satisfy all conditions, at least and at most."""
        rows, release = self.draws.rows, self.release
        withheld = int(release.dictionary.get("withheld", 0))
        if not conditions:
            total = rows.people - release.absent + withheld
            return total, total
        found = self.view.bound(conditions)
        low, high = int(found.low.sum()), int(found.high.sum())
        low, high = release.narrow_bounds(conditions, low, high)
        return max(low - release.absent, 0), high + withheld

    def match_draws(self, conditions: Mapping[str, Condition]) -> list[np.ndarray]:
        """Return which rows of each draw satisfy all conditions."""
        people = self.draws.rows.people
        fixed, masks = np.ones(people, dtype=bool), dict[int, np.ndarray]()
        for name, condition in conditions.items():
            number = self.places[name]
            cut = self.draws.cut[number]
            if cut.edges is None:
                masks[number] = condition.matches(cut.domain.values, cut.domain.missing)
            if number not in self.draws.marginals and cut.edges is None:
                fixed &= masks.pop(number)[self.draws.atoms[0][number]] if cut.size else False
        hidden = [self.places[name] for name in conditions if self.places[name] in self.draws.marginals]
        found = []
        for draw in range(len(self.draws)):
            fits = fixed.copy()
            for name, condition in conditions.items():
                number = self.places[name]
                if number in masks:
                    fits &= masks[number][self.draws.atoms[draw][number]]
                elif number in hidden or self.draws.cut[number].edges is not None:
                    fits &= condition.matches(self.draws.column(draw, number))
            found.append(fits)
        return found

    def expect(self, conditions: Mapping[str, Condition]) -> float:
        """Estimate the count as if columns were independent inside a box, each spread as it is in the whole table."""
        share = self.view.match_rows(conditions).astype(np.float64)
        for name, condition in conditions.items():
            column = self._column(name)
            if not shows_every_row(column):
                share *= self._expected_share(column, self.places[name], condition)
        return float(share.sum())

    def _expected_share(self, column: KnownColumn, number: int, condition: Condition) -> np.ndarray:
        """Return the share of each box that is expected to satisfy a condition on a hidden column."""
        view, cut = self.view, self.draws.cut[number]
        if column.dealt is not None:
            seats, _ = view.count_dealt(column, condition)
            return np.asarray(seats / np.maximum(view.sizes + view.empty, 1))
        if not cut.size:
            return np.zeros(view.boxes)
        chosen = self.draws.atom_shares(number, condition)
        marginal = self.draws.marginals.get(number, np.full(cut.size, 1 / cut.size))
        cell, sizes = column.cell[view.first], np.maximum(view.sizes, 1)
        weights = cut.shares * marginal[cut.members]
        owner = np.repeat(np.arange(len(cut.starts) - 1), np.diff(cut.starts))
        inside = np.bincount(owner, weights=weights * chosen[cut.members], minlength=len(cut.starts) - 1)
        share = inside / np.maximum(np.bincount(owner, weights=weights, minlength=len(cut.starts) - 1), 1e-300)
        needs = np.repeat(np.arange(len(cut.needed_starts) - 1), np.diff(cut.needed_starts))
        sure = np.bincount(needs, weights=cut.needed_counts * chosen[cut.needed_atoms], minlength=len(share))
        taken = np.bincount(needs, weights=cut.needed_counts, minlength=len(share))
        return np.asarray((sure[cell] + np.maximum(sizes - taken[cell], 0) * share[cell]) / sizes)

    def expect_even(self, conditions: Mapping[str, Condition]) -> float:
        """Estimate the count with every cell spread evenly over the values that it may stand for."""
        if self.release.perturbs:
            return self.release.answer(Query(conditions))
        share = self.view.match_rows(conditions).astype(np.float64)
        for name, condition in conditions.items():
            column = self._column(name)
            if column.dealt is not None:
                share *= self._expected_share(column, self.places[name], condition)
            elif not shows_every_row(column):
                share *= cell_shares(column.cells, condition)[column.cell[self.view.first]]
        return float(share.sum())

    def find_obstacle(self, names: Iterable[str]) -> str:
        """Say why no interval can be relied on; nothing where one can."""
        for name in names:
            column = self._column(name)
            if is_altered(column):
                return ALTERED
            if column.entry.get("indicator") is True and "not shown" in column.domain.labels:
                return NOT_SHOWN
            loose = not (shows_every_row(column) or column.tight or column.dealt is not None or column.seen is not None)
            if (loose and not self.release.perturbs) or may_be_any(column)[np.unique(column.cell)].all():
                return LOOSE
        return ""

    def infer(
        self,
        drawn: np.ndarray,
        doubts: tuple[float, ...],
        at_least: float,
        at_most: float | None,
        obstacle: str,
        whole: bool = True,
    ) -> Count:
        """Return the answer from the counts in the draws and from two simpler estimates of the same number."""
        m, scale = len(drawn), self.scale
        estimate = float(drawn.mean()) * scale
        variance = (1 + 1 / m) * float(drawn.var(ddof=1)) * scale**2
        gaps = [(estimate - doubt * scale) ** 2 for doubt in doubts]
        shares = DOUBTS if whole and not self.release.perturbs else LOOSE_DOUBTS
        doubt = sum(share * gap for share, gap in zip(shares, gaps, strict=False))
        half = DEVIATIONS * math.sqrt(INFLATION * variance + doubt + 0.25)
        top = math.inf if at_most is None else at_most
        low, high = max(estimate - half, at_least), min(estimate + half, top)
        estimate = min(max(estimate, at_least), top)
        if obstacle:
            return Count(estimate, None, None, at_least, at_most, obstacle)
        if whole:
            low, high = math.floor(low), math.ceil(high)
        return Count(estimate, min(max(low, at_least), estimate), max(min(high, top), estimate), at_least, at_most)


def prepare_counting(release: ShapeContract, draws: int = DRAWS) -> Counting:
    """Draw the completions that counts are made from."""
    return Counting(release, complete_release(release, draws))
