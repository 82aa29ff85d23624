"""Groups of people with different values, dealt one row at a time."""

from __future__ import annotations

from collections.abc import Sequence


def most_groups(sizes: Sequence[int], l: int) -> int:  # noqa: E741 - the letter of the literature
    """max{K: sum_i min(n_i, K) >= K l}: as many groups of l rows from l different buckets as there can be."""
    return max(k for k in range(sum(sizes) // l + 1) if sum(min(size, k) for size in sizes) >= k * l)


def dealt(sizes: Sequence[int], l: int) -> tuple[list[list[int]], list[int]]:  # noqa: E741
    """Take one row from each of the l largest buckets, again and again."""
    left, groups = list(sizes), []
    while sum(size > 0 for size in left) >= l:
        chosen = sorted(range(len(left)), key=lambda bucket: -left[bucket])[:l]
        for bucket in chosen:
            left[bucket] -= 1
        groups.append(chosen)
    return groups, left
