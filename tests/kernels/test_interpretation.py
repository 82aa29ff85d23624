"""Kernels that Python runs on small arrays give exactly what the compiled ones give."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kernel_arguments.method_arguments import METHOD_MAKERS
from scipy import sparse

import voile
from voile.io.parquet import kernel as parquet
from voile.io.release_folder import kernel as csv
from voile.kernels import (
    box_matching,
    column_codes,
    compilation,
    dealing,
    distinct_rows,
    group_scans,
    packed_keys,
    people,
    posterior,
    tree_cuts,
)
from voile.methods.mondrian.kernel import cuts
from voile.methods.perturbed_generalization.kernel import regions
from voile.mining import kernel as mining

ROOT = Path(voile.__file__).parent
Rng = np.random.Generator
Arguments = tuple[Any, ...]
MAKERS: dict[compilation.Kernel, Callable[[Rng, int], Arguments]] = {**METHOD_MAKERS}


def arguments_of(kernel: Any) -> Callable[[Callable[[Rng, int], Arguments]], Callable[[Rng, int], Arguments]]:
    def register(maker: Callable[[Rng, int], Arguments]) -> Callable[[Rng, int], Arguments]:
        return MAKERS.setdefault(kernel, maker)

    return register


def draw_codes(rng: Rng, rows: int, columns: int, size: int = 256) -> np.ndarray:
    """Return codes that reach the largest number of their type."""
    codes = rng.integers(0, size, (rows, columns)).astype(np.uint8 if size <= 256 else np.uint16)
    codes[-1] = size - 1
    return codes


def draw_starts(rng: Rng, sets: int, members: int) -> np.ndarray:
    return np.concatenate([[0], np.sort(rng.integers(0, members + 1, sets - 1)), [members]])


@arguments_of(column_codes._count_block)
def _(rng: Rng, n: int) -> Arguments:
    return draw_codes(rng, n, 2), np.array([0, 256, 512]), rng.integers(0, 1 << 60, n)


@arguments_of(column_codes._recode_block)
def _(rng: Rng, n: int) -> Arguments:
    ranks, flags = rng.permutation(256).astype(np.uint8), np.array([True, False])
    return draw_codes(rng, n, 2), np.array([0, 256, 256]), flags, ranks, np.zeros((n, 4), np.uint8)


@arguments_of(packed_keys._unpack_block)
def _(rng: Rng, n: int) -> Arguments:
    key = rng.integers(0, 1 << 31, n).astype(np.int32 if n % 2 else np.int64)
    return key, np.array([8, 0]), np.array([255, 255]), np.zeros((n, 2), np.uint8)


@arguments_of(packed_keys._count_sorted)
def _(rng: Rng, n: int) -> Arguments:
    return (np.sort(rng.integers(0, n, n)).astype(np.int32),)


@arguments_of(packed_keys._merge_counts)
def _(rng: Rng, n: int) -> Arguments:
    left, right = (np.unique(rng.integers(0, 2 * n, n)) for _ in range(2))
    return left, rng.integers(1, 9, left.size), right, rng.integers(1, 9, right.size)


@arguments_of(packed_keys.sum_densely)
def _(rng: Rng, n: int) -> Arguments:
    return rng.integers(0, n, n).astype(np.int32), rng.integers(1 << 61, 1 << 62, n), n


@arguments_of(packed_keys.sum_by_block)
def _(rng: Rng, n: int) -> Arguments:
    return np.sort(rng.integers(0, n, n))[:: 1 if n % 5 else -1].copy(), rng.integers(-1 << 61, 1 << 62, n), 3, n


@arguments_of(group_scans.find_extents)
def _(rng: Rng, n: int) -> Arguments:
    return rng.integers(0, 9, n), draw_codes(rng, n, 2), 1, 10


@arguments_of(group_scans.find_ranked_extents)
def _(rng: Rng, n: int) -> Arguments:
    return rng.integers(0, 9, n), draw_codes(rng, n, 2), 1, 10, rng.permutation(256)


@arguments_of(group_scans.count_people)
def _(rng: Rng, n: int) -> Arguments:
    return rng.integers(0, 9, n), rng.integers(1, 5, n), 10


@arguments_of(group_scans.pick_codes)
def _(rng: Rng, n: int) -> Arguments:
    return rng.integers(0, 9, n), rng.integers(1, 5, n), draw_codes(rng, n, 2), 0, rng.integers(0, n, 9)


@arguments_of(group_scans.collect_masks)
def _(rng: Rng, n: int) -> Arguments:
    return rng.integers(0, 9, n), draw_codes(rng, n, 2, 64), 1, 10


@arguments_of(group_scans.expand_masks)
def _(rng: Rng, n: int) -> Arguments:
    return (np.append(rng.integers(0, 1 << 63, n, np.uint64), ~np.uint64(0)),)


@arguments_of(group_scans.hash_sets)
def _(rng: Rng, n: int) -> Arguments:
    return draw_starts(rng, 7, n), rng.integers(0, 256, n).astype(np.uint8 if n % 2 else np.int64)


@arguments_of(group_scans._masks_of)
def _(rng: Rng, n: int) -> Arguments:
    return draw_starts(rng, 7, n), rng.integers(0, 64, n)


@arguments_of(group_scans.sets_agree)
def _(rng: Rng, n: int) -> Arguments:
    return np.arange(0, n + 1, 2), rng.integers(0, 2, n), rng.integers(0, 2, n // 2)


@arguments_of(people.hash_texts)
def _(rng: Rng, n: int) -> Arguments:
    return draw_starts(rng, 7, n), rng.integers(0, 256, n).astype(np.uint8)


@arguments_of(people._split_people)
def _(rng: Rng, n: int) -> Arguments:
    person = np.sort(rng.integers(0, 1 << 62, n, np.uint64))
    keys, order = person >> np.uint64(60), np.arange(n)
    return keys, rng.permutation(order), person


@arguments_of(people.list_rows_over)
def _(rng: Rng, n: int) -> Arguments:
    return rng.permutation(n), draw_starts(rng, 9, n), 3


@arguments_of(people.draw_rows)
def _(rng: Rng, n: int) -> Arguments:
    coins = rng.integers(0, 1 << 63, 4 * n, np.uint64)
    return rng.permutation(4 * n), np.arange(0, 4 * n + 1, 4), rng.integers(0, 3, 4 * n), coins, 2


@arguments_of(tree_cuts.count_leaf_codes)
def _(rng: Rng, n: int) -> Arguments:
    codes, weights, leaf = draw_codes(rng, n, 3), rng.integers(1, 5, n), rng.integers(0, 5, n).astype(np.int32)
    return codes, weights, np.array([2, 0]), np.array([0, 256, 512]), leaf, np.array([0, -1, 1, 2, -1]), 3


@arguments_of(distinct_rows.group_sorted_rows)
def _(rng: Rng, n: int) -> Arguments:
    codes = draw_codes(rng, n, 3, 3)
    return codes[np.lexsort(codes.T[::-1])], 2


@arguments_of(dealing.pick_largest_l)
def _(rng: Rng, n: int) -> Arguments:
    return rng.integers(0, n, 9), 3, rng.integers(0, 1 << 63, 9 * n, np.uint64)


@arguments_of(dealing.seat_rows)
def _(rng: Rng, n: int) -> Arguments:
    sizes, l, coins = MAKERS[dealing.pick_largest_l](rng, n)  # noqa: E741
    picks, remaining = dealing.pick_largest_l.interpret(sizes, l, coins)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return starts, picks, remaining, coins, rng.integers(0, 1 << 63, max(int(remaining.sum()), 1), np.uint64)


@arguments_of(dealing.hand_out_groups)
def _(rng: Rng, n: int) -> Arguments:
    bucket, counts = rng.integers(0, 5, n), rng.integers(0, 4, n)
    starts = np.concatenate([[0], np.cumsum(np.bincount(bucket, counts, 5))]).astype(np.int64)
    return bucket, counts, starts, rng.integers(0, 9, starts[-1])


@arguments_of(box_matching._split_boxes)
def _(rng: Rng, n: int) -> Arguments:
    low = rng.integers(0, 99, (n, 2))
    nodes, bounds = np.zeros((2 * n + 1, 4), np.int64), np.zeros((2 * n + 1, 2, 2), np.int64)
    return low, low + rng.integers(0, 9, (n, 2)), np.arange(n), nodes, bounds


SIZES = np.array([256, 20, 30])


def draw_frame(rng: Rng) -> tuple[np.ndarray, ...]:
    """Return what Mondrian knows about three columns: one of intervals, and two of sets, the first with fences."""
    bits = np.concatenate([np.arange(256) // 4, np.arange(20), np.arange(30)]).astype(np.uint64)
    offset, fence = np.concatenate([[0], np.cumsum(SIZES)]), rng.integers(0, 3, SIZES.sum())
    flags = np.array([True, False, False]), 1 / SIZES, fence, np.array([False, True, False])
    return np.uint64(1) << bits, offset, *flags, np.array([False, True, True])


def draw_rows(rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return codes of three columns, padded to whole words, and how many people have them."""
    codes = np.zeros((n, 8), np.uint8)
    codes[:, :3] = rng.integers(0, SIZES, (n, 3))
    return codes, rng.integers(1, 4, n)


@arguments_of(cuts._grow_subtree)
def _(rng: Rng, n: int) -> Arguments:
    codes, weights = draw_rows(rng, n)
    ends = np.zeros(n, np.int64)
    return codes, codes.view(np.uint64), weights, np.arange(n), 0, n, 2, 32, draw_frame(rng), 0, ends


@arguments_of(cuts._number_range)
def _(rng: Rng, n: int) -> Arguments:
    return rng.permutation(n), draw_starts(rng, 6, n)[1:], 0, 6, np.zeros(n, np.int64)


@arguments_of(cuts.propose_cuts)
def _(rng: Rng, n: int) -> Arguments:
    codes, weights = draw_rows(rng, n)
    starts = draw_starts(rng, 4, n)
    answers = np.zeros((4, 3), np.int64), np.zeros((4, 3), np.int64)
    return codes, weights, starts[:-1], starts[1:], 2, 32, draw_frame(rng), *answers


@arguments_of(cuts.assign_halves)
def _(rng: Rng, n: int) -> Arguments:
    codes, _ = draw_rows(rng, n)
    starts = draw_starts(rng, 4, n)
    return codes, rng.permutation(n), starts[:-1], starts[1:], rng.integers(0, 3, 4), rng.integers(0, 20, 4)


@arguments_of(cuts._cut_nodes)
def _(rng: Rng, n: int) -> Arguments:
    codes, weights = draw_rows(rng, n)
    nodes = MAKERS[cuts.assign_halves](rng, n)[1:]
    return codes, codes.view(np.uint64), weights, *nodes, np.zeros(4, np.int64)


@arguments_of(regions.narrow_regions)
def _(rng: Rng, n: int) -> Arguments:
    codes = np.stack([np.sort(rng.integers(0, 9, n)), np.arange(n)])
    low, high = codes, codes + rng.integers(0, 2, n) * np.array([[1], [0]])
    return low, high, np.zeros((2, n), np.int64), np.full((2, n), 999)


@arguments_of(parquet.count_runs)
def _(rng: Rng, n: int) -> Arguments:
    # a run of 300 times 3, then one packed group of 2-bit codes, or noise
    content = np.array([0xD8, 0x04, 3, 3, 0b11100100, 0b00011011], np.uint8)
    if n % 2:
        content = rng.integers(0, 256, n).astype(np.uint8)
    return content, 0, content.size, 2, 308, np.zeros(4, np.int64)


@arguments_of(parquet.measure_texts)
def _(rng: Rng, n: int) -> Arguments:
    lengths = rng.integers(0, 9, n)
    content = b"".join(int(length).to_bytes(4, "little") + bytes(int(length)) for length in lengths)
    return np.frombuffer(content, np.uint8), np.zeros(n, np.int64)


@arguments_of(csv.count_records)
def _draw_csv(rng: Rng, n: int) -> Arguments:
    fields = ["plain", '"with ""quotes"", and a comma"', '""', "", "long enough for words", "1"]
    content = "".join(f"{rng.choice(fields)},{rng.choice(fields)}\n" for _ in range(n)).encode()
    if n % 2:
        content = content.replace(b",", b",,", 1)
    data = np.frombuffer(content, np.uint8)
    return data, np.ndarray(len(data) - 7, dtype="<u8", buffer=content, strides=(1,)), 0, 2, False


@arguments_of(csv.count_equal_fields)
def _(rng: Rng, n: int) -> Arguments:
    data, words, _, _, _ = _draw_csv(rng, n)
    return data, words, 0, 2, False, 2 * n


@arguments_of(csv.split_records)
def _(rng: Rng, n: int) -> Arguments:
    data, words, _, _, _ = _draw_csv(rng, n)
    heads, tails = np.zeros(2 * len(data), np.uint8), np.zeros(2 * len(data), np.uint8)
    return data, words, 0, 2, False, 1, heads, tails, np.zeros(n + 1, np.int64)


@arguments_of(mining.grow)
def _(rng: Rng, n: int) -> Arguments:
    codes, labels, weights = draw_rows(rng, n)[0][:, :3].copy(), rng.integers(0, 12, n), rng.random(n)
    shares = rng.dirichlet(np.ones(12))
    return codes, labels, weights, SIZES, np.array([True, False, False]), 0.7, shares, 4, 2.0, 0.0


@arguments_of(mining.find_leaves)
def _(rng: Rng, n: int) -> Arguments:
    column, children, sides, counts = mining.grow.interpret(*MAKERS[mining.grow](rng, n))
    codes = rng.integers(-1, 20, (n, 3))
    return codes, column, children, sides, (counts[:, 0] > 0.5).astype(np.int64)


@arguments_of(box_matching._match_people)
def _(rng: Rng, n: int) -> Arguments:
    tree = box_matching._build_tree(draw_boxes(rng, n))
    return rng.integers(0, 30, (n, 2)), rng.integers(1, 4, n), *tree, np.zeros(n, np.int64), np.full(n, -1)


@arguments_of(box_matching._find_pairs)
def _(rng: Rng, n: int) -> Arguments:
    return *box_matching._flatten_sets(draw_boxes(rng, n)), *box_matching._build_tree(draw_boxes(rng, n)), 5 * n


def draw_boxes(rng: Rng, n: int) -> list[Any]:
    """Return boxes of two columns with 30 values, each of at least one value."""
    return [sparse.csr_matrix(np.maximum(rng.random((n, 30)) < 0.1, np.eye(n, 30) > 0) * 1.0) for _ in range(2)]


@arguments_of(posterior.compute_group_beliefs)
def _(rng: Rng, n: int) -> Arguments:
    rows, index = rng.dirichlet(np.ones(5), 6), rng.integers(0, 6, (3, n))
    rows[0, :2] = 0
    starts = np.unique(np.append(np.arange(0, n, 7), n))
    drawn = [np.unique(rng.integers(0, 5, size), return_counts=True) for size in np.diff(starts)]
    value_starts = np.concatenate([[0], np.cumsum([len(values) for values, _ in drawn])])
    values, counts = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    people = index, starts, np.arange(n), np.ones(n, np.int64)
    events = np.array([0, 0, -1, 1, -1])
    # some groups are walked, others are bounded by exchanges
    weighed = rng.random((3, len(starts) - 1)) < 0.8
    return rows, *people, value_starts, values, counts, events, bool(n % 2), 60, weighed, 0.2, 1.5, 0, len(starts) - 1


def copy_arguments(arguments: Arguments) -> Arguments:
    """Copy arrays; a view of another argument's memory stays one."""
    copies: dict[int, np.ndarray] = {}

    def copy(argument: Any) -> Any:
        if isinstance(argument, tuple):
            parts = map(copy, argument)
            return type(argument)(*parts) if hasattr(argument, "_fields") else tuple(parts)
        if not isinstance(argument, np.ndarray) or argument.strides == (1,):  # bytes are never written to
            return argument
        if argument.base is not None and id(argument.base) in copies:
            return copies[id(argument.base)].view(argument.dtype)
        copies[id(argument)] = argument.copy()
        return copies[id(argument)]

    return tuple(copy(argument) for argument in arguments)


def describe(answer: Any) -> Any:
    """Return what tells two answers apart: types, shapes and bytes."""
    if isinstance(answer, tuple):
        return tuple(describe(part) for part in answer)
    if isinstance(answer, np.ndarray):
        return answer.dtype.str, answer.shape, answer.tobytes()
    return type(answer), answer


@pytest.mark.parametrize("kernel", MAKERS, ids=lambda kernel: f"{kernel.__module__}.{kernel.__name__}")
def test_python_gives_exactly_what_the_compiled_kernel_gives(kernel: compilation.Kernel) -> None:
    rng = np.random.default_rng(5)
    for n in (2, 9, 40, 41, 300):
        arguments = MAKERS[kernel](rng, n)
        copies = copy_arguments(arguments)
        assert describe(kernel.interpret(*arguments)) == describe(kernel.compile()(*copies))
        assert describe(arguments) == describe(copies)


def test_every_kernel_that_python_may_run_is_compared() -> None:
    marked = set()
    for path in ROOT.rglob("*.py"):
        module = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
        marked |= {(module, name) for name in re.findall(r"@kernel\(steps=[^@]*?\)\ndef (\w+)", path.read_text())}
    assert marked == {(kernel.__module__, kernel.__name__) for kernel in MAKERS}
