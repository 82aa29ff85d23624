"""Random perfect matchings of rows to slots, where rows of one type and slots of one class are interchangeable.

An instance is `allowed` (classes x types: may a row of this type sit in a slot of this class?), the number of `slots`
of each class and of `rows` of each type. All perfect matchings are equally likely; asked is the chance that a slot of a
class holds a row of a type. Counting matchings is hard in general, so there are three answers: exact while the states
are few, a bound from above that always holds, and an estimate by a random walk.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from voile.kernels import lazy_module
from voile.kernels.compilation import kernel

sparse = lazy_module("scipy.sparse")
csgraph = lazy_module("scipy.sparse.csgraph")

WORK = 400_000_000  # steps of the exact count
CORES = 2
MEMORY = 20_000_000  # states that are kept at once
CHAINS, SWEEPS, STEPS = 8, 600, 40_000_000  # random walks, their length, and the most steps of all together


def flow(allowed: np.ndarray, slots: np.ndarray, rows: np.ndarray) -> np.ndarray | None:
    """One perfect matching, as a table classes x types of how many; None where there is none.

    Dinic's algorithm on classes and types, which for single rows is that of Hopcroft and Karp. O(E sqrt(V)) then.
    """
    classes, types = allowed.shape
    if slots.sum() != rows.sum():
        return None
    c, t = np.nonzero(allowed)
    source, sink = classes + types, classes + types + 1
    tail = np.concatenate([np.full(classes, source), c, classes + np.arange(types)])
    head = np.concatenate([np.arange(classes), classes + t, np.full(types, sink)])
    room = np.concatenate([slots, np.minimum(slots[c], rows[t]), rows]).astype(np.int32)
    graph = sparse.csr_matrix((room, (tail, head)), shape=(sink + 1, sink + 1))
    found = csgraph.maximum_flow(graph, source, sink, method="dinic")
    if found.flow_value != slots.sum():
        return None
    return np.maximum(np.asarray(found.flow[:classes, classes:source].todense(), dtype=np.int64), 0)


def matchable(allowed: np.ndarray, slots: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which pairs (class, type) occur in some perfect matching, and the independent part of each class and type.

    A pair does if and only if it lies on a circle of exchanges, that is within a strongly connected component of the
    graph whose arcs lead from a class to every type it allows, and from a type to every class that holds it now.
    Without a perfect matching nothing is matchable. O(classes * types) after the matching.
    """
    classes, types = allowed.shape
    held = flow(allowed, slots, rows)
    if held is None:
        return np.zeros_like(allowed), np.zeros(classes, np.int64), np.ones(types, np.int64)
    c, t = np.nonzero(allowed)
    back, there = np.nonzero(held)
    tail, head = np.concatenate([c, classes + there]), np.concatenate([classes + t, back])
    graph = sparse.csr_matrix((np.ones(len(tail), np.int8), (tail, head)), shape=(classes + types, classes + types))
    _, label = csgraph.connected_components(graph, directed=True, connection="strong")
    part, other = label[:classes], label[classes:]
    return allowed & (part[:, None] == other[None, :]), part, other


def tilted(allowed: np.ndarray, slots: np.ndarray, rows: np.ndarray, rounds: int = 2000) -> np.ndarray:
    """Chances (classes x types) of independent choices that give each type its number of rows in expectation.

    Iterated scaling; O(rounds * classes * types). An estimate of the true chances, and the right weights to count with.
    """
    weight = np.maximum(rows, 1e-300).astype(np.float64)
    chance = np.zeros(allowed.shape)
    for _ in range(rounds):
        chance = allowed * weight
        chance /= np.maximum(chance.sum(axis=1, keepdims=True), 1e-300)
        reached = slots @ chance
        off = rows / np.maximum(reached, 1e-300)
        weight = weight * off
        weight /= weight.max()
        if np.abs(off - 1).max() < 1e-9:
            break
    return chance


def marginals(allowed: np.ndarray, slots: np.ndarray, rows: np.ndarray, work: int = WORK) -> np.ndarray | None:
    """The exact chances (classes x types) in one part, all of whose pairs are matchable; None beyond `work` steps.

    States are how many rows of each type (or slots of each class) are used up: product of (number + 1), without the
    largest. Steps: states * slots * types.
    """
    classes, types = allowed.shape
    if types == 1 or classes == 1:
        return np.where(allowed, rows / max(int(rows.sum()), 1), 0.0)
    by_rows, by_slots = _states(rows), _states(slots)
    total = int(slots.sum())
    # with choices tilted to the right totals no state that matters is too unlikely for a float
    chance = tilted(allowed, slots, rows)
    if by_rows * types <= by_slots * classes:
        if by_rows * total * types > work or by_rows * classes > MEMORY:
            return None
        order = np.argsort(rows, kind="stable")
        found = np.zeros(allowed.shape)
        found[:, order] = _marginals(chance[:, order], slots.astype(np.int64), rows[order].astype(np.int64))
        return found
    if by_slots * total * classes > work or by_slots * types > MEMORY:
        return None
    order = np.argsort(slots, kind="stable")
    turned = chance * slots[:, None] / rows[None, :]
    part = np.zeros((types, classes))
    part[:, order] = _marginals(turned.T[:, order].copy(), rows.astype(np.int64), slots[order].astype(np.int64))
    return np.asarray(part.T * rows[None, :] / slots[:, None])


def _states(numbers: np.ndarray) -> float:
    """The product of (number + 1) without the largest, as far as a float goes."""
    return float(np.exp(min(np.log(np.sort(numbers)[:-1] + 1.0).sum(), 700.0)))


@kernel
def _marginals(chance, slots, rows):
    """Forward and backward over the slots, class by class; the last type (the largest) is told by the sum of the rest.

    O(states * slots * types).
    """
    classes, types = chance.shape
    dims = types - 1
    stride = np.empty(dims, np.int64)
    states = 1
    for t in range(dims):
        stride[t] = states
        states *= rows[t] + 1
    used = np.empty((states, dims), np.int32)
    sums = np.zeros(states, np.int64)
    for s in range(states):
        left = s
        for t in range(dims):
            used[s, t] = left % (rows[t] + 1)
            left //= rows[t] + 1
            sums[s] += used[s, t]
    total = slots.sum()
    after = np.zeros((classes, states))
    back = np.zeros(states)
    back[states - 1] = 1.0
    step = total
    for c in range(classes - 1, -1, -1):
        for i in range(slots[c] - 1, -1, -1):
            if i == 0:
                after[c] = back
            step -= 1
            for s in range(states):
                last = step - sums[s]
                value = 0.0
                if last >= 0 and last + 1 <= rows[types - 1]:
                    value = chance[c, types - 1] * back[s]
                for t in range(dims):
                    if used[s, t] < rows[t]:
                        value += chance[c, t] * back[s + stride[t]]
                back[s] = value
    found = np.zeros((classes, types))
    ahead = np.zeros(states)
    ahead[0] = 1.0
    step = 0
    for c in range(classes):
        for s in range(states):
            if ahead[s] > 0.0:
                last = step - sums[s]
                if last >= 0 and last + 1 <= rows[types - 1]:
                    found[c, types - 1] += ahead[s] * chance[c, types - 1] * after[c, s]
                for t in range(dims):
                    if used[s, t] < rows[t]:
                        found[c, t] += ahead[s] * chance[c, t] * after[c, s + stride[t]]
        whole = found[c].sum()
        for t in range(types):
            found[c, t] /= whole
        for _ in range(slots[c]):
            for s in range(states - 1, -1, -1):
                last = step + 1 - sums[s]
                value = 0.0
                if 0 < last <= rows[types - 1]:
                    value = chance[c, types - 1] * ahead[s]
                for t in range(dims):
                    if used[s, t] > 0:
                        value += chance[c, t] * ahead[s - stride[t]]
                ahead[s] = value
            step += 1
    return found


def bounds(allowed: np.ndarray, slots: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Chances (classes x types) that the true ones never exceed: rows / (rows + exchanges).

    Take a matching in which slot u holds x. Any other slot v that may hold x, and holds y != x that u may hold, can be
    exchanged with u. Going back, v is one of the slots that hold x. So p / (1 - p) <= rows of x / fewest such v, and
    the fewest are bounded from below by counting. O(classes * types**2).
    """
    fits = allowed.astype(np.float64)
    both = fits.T @ (fits * slots[:, None])  # slots that allow two types
    may = np.diag(both)
    # slots that allow x, less those that may hold x itself or a type that u does not take
    first = may - rows - (1 - fits) @ np.minimum(rows[:, None], both)
    # rows of the types that u takes, less those that may sit where x may not
    apart = may[:, None] - both
    elsewhere = fits @ np.minimum(rows[:, None], apart) - np.minimum(rows, np.diag(apart))[None, :]
    rest = np.minimum(elsewhere, (slots.sum() - may)[None, :])
    second = fits @ rows.astype(np.float64).reshape(-1, 1) - rows[None, :] - rest
    least = np.maximum(np.maximum(first, second), 0)
    return np.where(allowed, rows / (rows + least), 0.0)


def sampled(allowed: np.ndarray, slots: np.ndarray, rows: np.ndarray, seed: int = 0) -> np.ndarray:
    """Estimated chances, one table (classes x types) for each of a few independent random walks.

    A step exchanges the rows of two random slots where both may hold the other's. O(chains * sweeps * slots).
    """
    held = flow(allowed, slots, rows)
    assert held is not None, "only parts with a perfect matching are sampled"
    owner = np.repeat(np.arange(len(slots)), slots)
    c, t = np.nonzero(held)
    start = np.repeat(t, held[c, t])
    sweeps = max(30, min(SWEEPS, STEPS // (CHAINS * max(len(owner), 1))))
    with ThreadPoolExecutor(CORES) as pool:
        walks = pool.map(
            lambda n: _walk(allowed, owner, start.copy(), np.uint64(seed * CHAINS + n + 1), sweeps), range(CHAINS)
        )
        return np.stack(list(walks))


@kernel
def _walk(allowed, owner, holds, coin, sweeps):
    seen = np.zeros(allowed.shape)
    for sweep in range(sweeps):
        for _ in range(owner.size):
            coin = coin * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            mixed = (coin ^ (coin >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
            u = np.int64((mixed >> np.uint64(33)) % np.uint64(owner.size))
            mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0x94D049BB133111EB)
            v = np.int64((mixed >> np.uint64(33)) % np.uint64(owner.size))
            if allowed[owner[u], holds[v]] and allowed[owner[v], holds[u]]:
                holds[u], holds[v] = holds[v], holds[u]
        if 6 * sweep >= sweeps:  # the start is forgotten
            for i in range(owner.size):
                seen[owner[i], holds[i]] += 1.0
    for c in range(allowed.shape[0]):
        whole = seen[c].sum()
        for t in range(allowed.shape[1]):
            seen[c, t] /= whole
    return seen
