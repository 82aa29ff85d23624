"""Hashing the texts that name people, sorting their rows and drawing some of them, compared with slow twins."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile import kernels
from voile.engines.person_rows import find_buckets, hash_people

MASK = 2**64 - 1


def hash_slowly(text: str) -> int:
    """FNV-1a of the bytes, then the last steps of splitmix64."""
    state = 0xCBF29CE484222325
    for byte in text.encode():
        state = ((state ^ byte) * 0x100000001B3) & MASK
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)


@given(st.lists(st.text(), max_size=20))
def test_texts_are_hashed_like_the_slow_twin(texts: list[str]) -> None:
    texts = [text.encode("utf-8", "ignore").decode() for text in texts]
    expected = [hash_slowly(text) for text in texts]
    assert hash_people(pl.Series(texts, dtype=pl.String)).tolist() == expected


def test_a_slice_and_several_chunks_have_the_same_hashes() -> None:
    texts = ["", "a", "Zoë", "0", "00", "a longer name", "\U0001f600"]
    series = pl.Series(texts * 3)
    expected = [hash_slowly(text) for text in texts * 3]
    assert hash_people(series[4:15]).tolist() == expected[4:15]
    assert hash_people(pl.concat([series[:5], series[5:]], rechunk=False)).tolist() == expected


def test_numbers_and_their_texts_are_the_same_people() -> None:
    numbers = [0, 7, -3, 10**15]
    assert hash_people(pl.Series(numbers)).tolist() == [hash_slowly(str(number)) for number in numbers]
    assert len(set(hash_people(pl.Series(range(200_000))).tolist())) == 200_000


def test_buckets_are_even_and_in_the_order_of_the_hashes() -> None:
    hashes = np.sort(hash_people(pl.Series(range(40_000))))
    buckets = find_buckets(hashes, 3)
    assert (np.diff(buckets) >= 0).all()
    assert np.bincount(buckets, minlength=8).min() > 4_700
    assert find_buckets(hashes, 0).max() == 0


def check_sorted(person: np.ndarray) -> None:
    order, starts = kernels.people.sort_by_person(person)
    assert sorted(order.tolist()) == list(range(len(person)))
    expected = sorted(set(person.tolist()))
    assert [person[order[start]] for start in starts[:-1]] == expected
    assert starts[-1] == len(person)
    for low, high in pairwise(starts):
        assert len(set(person[order[low:high]].tolist())) == 1


@given(st.lists(st.integers(0, MASK), max_size=60), st.integers(1, 60))
def test_rows_are_sorted_by_person(hashes: list[int], repeats: int) -> None:
    check_sorted(np.array((hashes * repeats)[:200], dtype=np.uint64))


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=40),
    st.sampled_from([0, 1 << 63, MASK - 3]),
    st.lists(st.integers(0, 40), max_size=20),
)
def test_people_whose_high_bits_agree_are_told_apart(low: list[int], high: int, other_hashes: list[int]) -> None:
    """The low bits of a hash make room for the number of its row, so at first such people are sorted as one."""
    similar_hashes = [high + offset for offset in low]
    check_sorted(np.array([*similar_hashes, *other_hashes, *similar_hashes[::-1]], dtype=np.uint64))


def test_a_thousand_rows_whose_high_bits_agree_are_sorted() -> None:
    rng = np.random.default_rng(1)
    check_sorted(rng.integers(0, 64, 1_000).astype(np.uint64))


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_few_rows_are_sorted(rows: int) -> None:
    order, starts = kernels.people.sort_by_person(np.full(rows, 5, dtype=np.uint64))
    assert sorted(order.tolist()) == list(range(rows))
    assert starts.tolist() == ([0, rows] if rows else [0])


@given(st.lists(st.integers(0, 8), max_size=60), st.integers(1, 6))
def test_rows_of_people_over_the_limit_are_listed_apart(people: list[int], limit: int) -> None:
    person = np.array(people, dtype=np.uint64)
    order, starts = kernels.people.sort_by_person(person)
    rows_over, ends, other_rows = kernels.people.list_rows_over(order, starts, limit)
    people_over = [hash_of_person for hash_of_person in sorted(set(people)) if people.count(hash_of_person) > limit]
    assert sorted(other_rows.tolist()) == [
        row for row, hash_of_person in enumerate(people) if hash_of_person not in people_over
    ]
    assert ends[0] == 0
    assert len(ends) == len(people_over) + 1
    for index, hash_of_person in enumerate(people_over):
        own_rows = rows_over[ends[index] : ends[index + 1]].tolist()
        assert sorted(own_rows) == [row for row, hash_of_row in enumerate(people) if hash_of_row == hash_of_person]


@given(st.lists(st.integers(0, 3), min_size=3, max_size=12), st.randoms(use_true_random=False))
def test_the_least_coins_draw_rows_in_the_order_of_their_content(content: list[int], random: object) -> None:
    coins = np.array(random.sample(range(1000), len(content)), dtype=np.uint64)  # type: ignore[attr-defined]
    rows = np.arange(100, 100 + len(content))
    drawn_rows = kernels.people.draw_rows(rows, np.array([0, len(content)]), np.array(content), coins, 2)
    ranked_content = sorted(content)
    expected = [ranked_content[position] for position in np.argsort(coins)[:2]]
    assert [content[row - 100] for row in drawn_rows] == expected
    assert len(set(drawn_rows.tolist())) == 2


def test_many_people_whose_high_bits_agree_are_sorted_in_reasonable_time() -> None:
    """Insertion sort would take 10^10 steps here."""
    person = np.arange(300_000, dtype=np.uint64)[::-1] % np.uint64(100_000)
    order, starts = kernels.people.sort_by_person(person)
    assert (np.diff(starts) == 3).all()
    assert (np.diff(person[order].astype(np.int64)) >= 0).all()
