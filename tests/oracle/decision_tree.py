"""The cuts of a decision tree that sees its classes through a channel."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def before_channel(seen: Sequence[float], keep: float, shares: Sequence[float]) -> list[float]:
    """Class counts before a channel, none negative, with the same total."""
    total = sum(seen)
    raw = [max((count - (1 - keep) * share * total) / keep, 0.0) for count, share in zip(seen, shares, strict=True)]
    if sum(raw) == 0:
        return [share * total for share in shares]
    return [count * total / sum(raw) for count in raw]


def gini(seen: Sequence[float], keep: float, shares: Sequence[float]) -> float:
    """Impurity of the counts before the channel, times the people."""
    found = before_channel(seen, keep, shares)
    return sum(found) - sum(count * count for count in found) / sum(found)


def best_threshold(
    codes: Sequence[int],
    labels: Sequence[int],
    weights: Sequence[float],
    keep: float,
    shares: Sequence[float],
    least: float,
) -> tuple[float, int]:
    """The gain of the best cut of one ordered column, and the last code on its left; (0, -1) where none gains."""

    def counts(chosen: Callable[[int], bool]) -> list[float]:
        return [
            sum(w for c, y, w in zip(codes, labels, weights, strict=True) if chosen(c) and y == label)
            for label in range(len(shares))
        ]

    whole, best = gini(counts(lambda code: True), keep, shares), (0.0, -1)
    for at in sorted(set(codes))[:-1]:
        left, right = counts(lambda code, at=at: code <= at), counts(lambda code, at=at: code > at)
        if min(sum(left), sum(right)) >= least:
            gain = whole - gini(left, keep, shares) - gini(right, keep, shares)
            if gain > best[0] + 1e-9:
                best = (gain, at)
    return best
