"""Theorems 1 and 2 and Corollaries 1 and 2 on largest-l group forming, checked on every small table."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations

import numpy as np
import polars as pl

from voile import kernels
from voile.methods.anatomy import optimal_l
from voile.papers.paper import Claim, Item, Run

MOST_ROWS = 14


def list_sizes(rows: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """List the sizes of buckets that make up so many rows, largest first.

    >>> list(list_sizes(3))
    [(3,), (2, 1), (1, 1, 1)]
    """
    if rows == 0:
        yield ()
    for first in range(min(rows, largest or rows), 0, -1):
        for rest in list_sizes(rows - first, first):
            yield (first, *rest)


@cache
def count_most_groups(sizes: tuple[int, ...], l: int) -> int:  # noqa: E741 - the letter of the literature
    """Return the largest number of groups of l different values, by trying every way to form them."""
    if len(sizes) < l:
        return 0
    following = set()
    for chosen in combinations(range(len(sizes)), l):
        rest = [size - (bucket in chosen) for bucket, size in enumerate(sizes)]
        following.add(tuple(sorted((size for size in rest if size), reverse=True)))
    return 1 + max(count_most_groups(rest, l) for rest in following)


def form_groups(sizes: tuple[int, ...], l: int) -> tuple[int, np.ndarray]:  # noqa: E741 - the letter of the literature
    """Return the number of groups that the published method forms, and the rows left in each bucket."""
    coins = np.zeros(max(sum(sizes) // l, 1), dtype=np.uint64)
    picks, remaining = kernels.dealing.pick_largest_l(np.array(sizes, dtype=np.int64), l, coins)
    return len(picks), remaining


def compute(run: Run) -> pl.DataFrame:
    """Form groups in every table of up to 14 rows and for every l; count the tables and those that disagree."""
    rows = []
    for number in range(2, MOST_ROWS + 1):
        tables = list(list_sizes(number))
        for l in range(2, number + 1):  # noqa: E741 - the letter of the literature
            counts = dict.fromkeys(("fewer_groups", "property", "rows_left", "first_half", "more_than_one_left"), 0)
            for sizes in tables:
                groups, remaining = form_groups(sizes, l)
                counts["fewer_groups"] += groups < count_most_groups(sizes, l)
                if sizes[0] * l > number:
                    continue
                if number % l == 0:
                    counts["property"] += 1
                    counts["rows_left"] += bool(remaining.any())
                else:
                    counts["first_half"] += 1
                    counts["more_than_one_left"] += bool((remaining > 1).any())
            rows.append({"n": number, "l": l, "tables": len(tables), **counts})
        best = [max(level for level in range(1, number + 1) if _holds_all(sizes, level)) for sizes in tables]
        differing = sum(optimal_l(np.array(sizes)) != level for sizes, level in zip(tables, best, strict=True))
        rows[-1] |= {"other_optimum": differing}
    return pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.col("other_optimum").fill_null(0))


def _holds_all(sizes: tuple[int, ...], l: int) -> bool:  # noqa: E741 - the letter of the literature
    """Return whether all rows fit into groups of at least l different values: each value at most once per group."""
    return sizes[0] <= (form_groups(sizes, l)[0] if l > 1 else sum(sizes))


def _count(where: str, says: str, column: str) -> Claim:
    return Claim(where, f"{says}: tables that disagree", 0, lambda frame: int(frame[column].sum()))


ITEM = Item(
    "theorems",
    "Theorems 1 and 2, Corollaries 1 and 2: largest-l group forming",
    compute,
    note=f"Every table of 2 to {MOST_ROWS} rows, as the sizes of its buckets, and every l from 2 to that number. "
    "The method is the one that is used; the most groups are found by trying every way to form them.",
    claims=[
        _count("section VI, theorem 1", "largest-l forms as many groups as possible", "fewer_groups"),
        _count("section VI, theorem 2", "no row is left if both halves of the l-property hold", "rows_left"),
        _count(
            "section VI, corollary 1",
            "if only n_i/n <= 1/l holds, at most one row is left in each bucket",
            "more_than_one_left",
        ),
        _count("section VI, corollary 2", "the optimal l is floor(n / n_1)", "other_optimum"),
    ],
)
