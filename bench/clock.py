"""Timing: the best of a few runs, because machines are noisy; ratios are taken within one process."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from typing import Any


def best(work: Callable[[], Any], runs: int = 3) -> tuple[float, Any]:
    """Return the shortest time of some runs, and the last result."""
    times = []
    result = None
    for _ in range(runs):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return min(times), result


def peak_gib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


def show(what: str, ours: float, theirs: float, bar: float, unit: str = "s") -> None:
    verdict = "ok" if ours <= bar * theirs else "MISSED"
    print(f"{what}: {ours:.3f} {unit} against {theirs:.3f} {unit}: ratio {ours / theirs:.2f}, bar {bar:g}: {verdict}")
