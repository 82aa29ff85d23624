"""Rows and whose they are: hash the texts that name people, bring the rows of one person together, draw some of them.

A person is a 64-bit hash. Should two people share one, they are taken for one person: they contribute fewer rows, never
more.
"""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel


@kernel(steps=1)
def hash_texts(starts, content):
    """Return a 64-bit hash of each text, given as bytes from `starts[i]` to `starts[i + 1]`. O(bytes)."""
    hashes = np.empty(starts.size - 1, np.uint64)
    for i in range(hashes.size):
        state = np.uint64(0xCBF29CE484222325)
        for j in range(starts[i], starts[i + 1]):
            state = (state ^ np.uint64(content[j])) * np.uint64(0x100000001B3)
        # the last bytes of a text must reach every bit
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        hashes[i] = state ^ (state >> np.uint64(31))
    return hashes


def sort_by_person(person: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows in the order of their people, and where the rows of each person start, followed by the number of
    rows. O(n log n).

    Numpy sorts 64-bit numbers fastest, so the low bits of a hash make room for the number of its row.
    """
    bits = np.uint64(max(len(person) - 1, 1).bit_length())
    mask = (np.uint64(1) << bits) - np.uint64(1)
    keys = (person & ~mask) | np.arange(len(person), dtype=np.uint64)
    keys.sort()
    order = (keys & mask).astype(np.int64)
    keys >>= bits
    return order, _split_people(keys, order, person)


@kernel(steps=3)
def _split_people(keys, order, person):
    """Return where each person's rows start; order the rows of people whose high bits agree by all bits. O(n), if
    few do; O(n log n) at worst."""
    starts = np.empty(keys.size + 1, np.int64)
    people, low = 0, 0
    while low < keys.size:
        high = low + 1
        while high < keys.size and keys[high] == keys[low]:
            high += 1
        sorted_already = True
        for i in range(low + 1, high):
            sorted_already &= person[order[i - 1]] <= person[order[i]]
        if not sorted_already:  # rare: different people whose high bits agree
            rows = order[low:high].copy()
            order[low:high] = rows[np.argsort(person[rows], kind="mergesort")]
        for i in range(low, high):
            if i == low or person[order[i]] != person[order[i - 1]]:
                starts[people] = i
                people += 1
        low = high
    starts[people] = keys.size
    return starts[: people + 1]


@kernel(steps=2)
def list_rows_over(order, starts, limit):
    """Return the rows of people with more than `limit` rows, person after person, and where each of them starts,
    followed by the number of these rows; and the rows of all other people. O(n)."""
    many, over = 0, 0
    for i in range(starts.size - 1):
        rows = starts[i + 1] - starts[i]
        if rows > limit:
            over += rows
            many += 1
    long, ends = np.empty(over, np.int64), np.zeros(many + 1, np.int64)
    short = np.empty(order.size - over, np.int64)
    p, q, r = 0, 0, 0
    for i in range(starts.size - 1):
        if starts[i + 1] - starts[i] > limit:
            for j in range(starts[i], starts[i + 1]):
                long[p] = order[j]
                p += 1
            r += 1
            ends[r] = p
        else:
            for j in range(starts[i], starts[i + 1]):
                short[q] = order[j]
                q += 1
    return long, ends, short


@kernel(steps=2)
def draw_rows(rows, ends, content, coins, limit):
    """Return `limit` of the rows of each person, those with the least coins once the rows are in the order of their
    content: equal rows are interchangeable, so the order of the input does not matter. O(n log n)."""
    drawn = np.empty((ends.size - 1) * limit, np.int64)
    place = 0
    for i in range(ends.size - 1):
        low, high = ends[i], ends[i + 1]
        sorted_rows = rows[low:high][np.argsort(content[low:high], kind="mergesort")]
        by_coin = np.argsort(coins[low:high], kind="mergesort")
        for j in range(limit):
            drawn[place] = sorted_rows[by_coin[j]]
            place += 1
    return drawn
