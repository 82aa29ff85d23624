"""Perturbed samples: enumerate mechanisms and random histories, and compare every ratio with e^epsilon.

python bench/label_privacy.py [histories, default 300] [seed, default 0]
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

from secret_worlds.label_privacy_worlds import Mechanism, largest_ratio, list_mechanisms, random_history

from voile.models.label_differential_privacy import exponential_below, state_epsilon
from voile.releases.randomized_response import Channel


def compare(mechanisms: list[Mechanism], title: str) -> None:
    start, above, reached = time.process_time(), 0, 0
    for mechanism in mechanisms:
        ratio, channel = largest_ratio(mechanism), Channel(mechanism.p, mechanism.size)
        epsilon = state_epsilon(channel, mechanism.share)
        assert epsilon is not None
        above += ratio > exponential_below(epsilon)
        reached += ratio == channel.largest_ratio(mechanism.share)
    took = time.process_time() - start
    print(f"{title}: {len(mechanisms)} enumerated, {above} above e^epsilon, {reached} reach it, {took:.0f} s")


def main(histories: int = 300, seed: int = 0) -> None:
    compare(list_mechanisms(), "mechanisms")
    rng = random.Random(seed)
    compare([random_history(rng) for _ in range(histories)], "histories")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
