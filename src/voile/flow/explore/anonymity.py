"""How anonymous a table is, whoever published it: k, and for each sensitive column l, t, alpha, beta and delta.

The table is taken as it is. Intervals, labels and stars are texts like any others, and a missing cell is a value. The
numbers are those of the literature and describe the groups of equal rows. They are facts about this table, not a
promise: what an adversary can believe depends on how the table was made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from voile.flow.explore.uniqueness import CodedRows
from voile.flow.report.charts import bin_sizes
from voile.models.l_diversity import entropy
from voile.models.t_closeness.t_closeness import distances
from voile.result_tables import ResultTable
from voile.tables.domain import Domain
from voile.tables.group_counts import Counts, tally
from voile.tables.schema import Column

LARGEST_L = 10  # recursive (c, l)-diversity is given for l up to this
SLACK = 1e-9


@dataclass(frozen=True)
class Diversity:
    """How mixed the values of one sensitive column are in the groups; each number is that of the worst group.

    `distinct`, `entropy` and `frequency` are the l of l-diversity in that form; of the last two, a promise is the
    whole number below. `recursive` gives, for each l, the smallest c of (c, l)-diversity. `alpha` is the largest share
    of a value in a group. `t_equal` and `t_ordered` are earth mover's distances from the whole table; the
    ordered one needs an order. `beta` is the largest relative rise of a value's share, `enhanced_beta` the same capped
    by -ln p; it is reached only if `enhanced_holds`. `delta` is the largest |ln(q/p)| over values that occur in a
    group; by its definition delta-disclosure privacy also needs that every value occurs in every group
    (`occurs_everywhere`).
    """

    column: str
    kind: str
    distinct: int
    entropy: float
    recursive: Mapping[int, float]
    frequency: float
    alpha: float
    t_equal: float
    t_ordered: float | None
    beta: float
    enhanced_beta: float
    enhanced_holds: bool
    delta: float
    occurs_everywhere: bool

    def describe(self) -> list[tuple[str, float, str]]:
        """Return each measure with its number and what the number says about the worst group."""
        rare = "" if self.enhanced_holds else " Some rare value rises by more than -ln p, so no beta is reached."
        absent = "" if self.occurs_everywhere else " Some value is absent from a group, so strictly delta is infinite."
        named = [
            ("l, distinct", self.distinct, "Different values in every group, at least."),
            ("l, entropy", self.entropy, "The values are as mixed as this many equally frequent ones."),
            ("l, frequency", self.frequency, "No value covers more than 1/l of a group."),
            *(
                (
                    f"c, recursive, l = {size}",
                    c,
                    f"The most frequent value is c times as frequent as the {size}th and later ones together.".replace(
                        "2th", "2nd"
                    ).replace("3th", "3rd"),
                )
                for size, c in self.recursive.items()
            ),
            ("alpha", self.alpha, "The largest share of one value in a group."),
            ("t, equal", self.t_equal, "Distance between a group's values and the whole table's; any two are 1 apart."),
        ]
        if self.t_ordered is not None:
            named.append(("t, ordered", self.t_ordered, "The same distance, where near values are near."))
        return [
            *named,
            ("beta, basic", self.beta, "Belief in a value rises by this factor of what it was, at most."),
            ("beta, enhanced", self.enhanced_beta, f"The same, where rare values may rise by -ln p only.{rare}"),
            ("delta", self.delta, f"A share differs from that of the whole table by a factor of e^delta.{absent}"),
        ]


@dataclass(frozen=True, eq=False, repr=False)
class Anonymity(ResultTable):
    """The groups of rows that are equal on `columns`: how many there are, the size of the smallest (`k`), the average
    risk of being found by somebody who knows the columns, and how mixed the sensitive columns are."""

    columns: tuple[str, ...]
    rows: int
    groups: int
    k: int
    sizes: np.ndarray
    sensitive: tuple[Diversity, ...] = ()

    def __repr__(self) -> str:
        parts = [f"k={self.k}", *(f"l({item.column})={item.distinct}" for item in self.sensitive)]
        return f"Anonymity({', '.join(parts)}, {self.groups} groups)"

    def _list_rows(self) -> list[dict[str, Any]]:
        return [
            {"column": item.column, "measure": name, "number": float(number)}
            for item in self.sensitive
            for name, number, _ in item.describe()
        ]

    def __getitem__(self, column: str) -> Diversity:
        return next(item for item in self.sensitive if item.column == column)

    @property
    def average_risk(self) -> float:
        return self.groups / self.rows

    def as_json(self) -> dict[str, Any]:
        return {
            "columns": list(self.columns),
            "rows": self.rows,
            "groups": self.groups,
            "k": self.k,
            "average_risk": self.average_risk,
            "histogram": bin_sizes(self.sizes),
            "sensitive": [
                {**asdict(item), "recursive": {str(size): c for size, c in item.recursive.items()}}
                for item in self.sensitive
            ],
        }


def measure_anonymity(rows: CodedRows, known: Sequence[str], domains: Mapping[str, Domain]) -> Anonymity:
    """Measure the groups of rows that are equal on the known columns; `domains` are those of the sensitive columns."""
    group, groups = rows.number_groups(known)
    weights = np.ones(len(rows), dtype=np.int64) if rows.weights is None else rows.weights.astype(np.int64)
    sizes = np.bincount(group, weights=weights, minlength=groups).astype(np.int64)
    diversities = []
    for name, domain in domains.items():
        column = Column(name, "sensitive", domain)
        diversities.append(measure_diversity(tally(column, group, rows.columns[name], weights, groups)))
    return Anonymity(tuple(known), rows.total, groups, int(sizes.min()), sizes, tuple(diversities))


def measure_diversity(counts: Counts) -> Diversity:
    """Measure how mixed the values of one column are in the groups."""
    assert counts.column is not None
    table = counts.totals / counts.totals.sum()
    share, expected = counts.counts / counts.sizes[counts.owner], table[counts.values]
    gain = (share - expected) / expected
    beta, alpha = float(gain.max()), float(share.max())
    distinct = int(counts.distinct().min())
    has_order = counts.column.kind != "categorical" and len(counts.column.domain.values) > 1
    return Diversity(
        column=counts.column.name,
        kind=counts.column.kind,
        distinct=distinct,
        entropy=float(np.exp(entropy(counts).min())),
        recursive=_smallest_c(counts, distinct),
        frequency=1 / alpha,
        alpha=alpha,
        t_equal=float(distances(counts, "equal").max()),
        t_ordered=float(distances(counts, "ordered").max()) if has_order else None,
        beta=beta,
        enhanced_beta=min(beta, float(-np.log(table[table > 0].min()))),
        enhanced_holds=bool((gain <= -np.log(expected) + SLACK).all()),
        delta=float(np.abs(np.log(share / expected)).max()),
        occurs_everywhere=bool((counts.distinct() == (counts.totals > 0).sum()).all()),
    )


def _smallest_c(counts: Counts, distinct: int) -> dict[int, float]:
    """Return for each l the smallest c with which every group is (c, l)-diverse: how often the most frequent value
    occurs, divided by how often all from the l-th most frequent on occur."""
    order = np.lexsort((-counts.counts, counts.owner))
    ranked = counts.counts[order]
    rank = np.arange(len(ranked)) - counts.starts[counts.owner]
    answer = {}
    for l in range(2, min(distinct, LARGEST_L) + 1):  # noqa: E741 - the letter of the literature
        tail = counts.summed(np.where(rank >= l - 1, ranked, 0))
        answer[l] = float((counts.largest() / tail).max())
    return answer
