"""MASK's quantities as the paper and its slides define them, for small examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import comb
from typing import Any


def distribution(classes: Mapping[str, Sequence[Any]], sensitive: Any, l: int) -> dict[str, Any]:  # noqa: E741
    """Return the groups that fail (V) and pass (L), and the shares of L (D): steps 2 and 3 of the published algorithm.

    >>> distribution({"q3": ["Yes", "No"], "Q": ["Yes", "Yes"]}, "Yes", 2)
    {'V': ['Q'], 'L': ['q3'], 'D': {0.5: 1.0}}
    """
    shares = {name: list(values).count(sensitive) / len(values) for name, values in classes.items()}
    passing = [name for name, values in classes.items() if list(values).count(sensitive) * l <= len(values)]
    frequency = Counter(shares[name] for name in passing)
    return {
        "V": [name for name in classes if name not in passing],
        "L": passing,
        "D": {share: frequency[share] / len(passing) for share in sorted(frequency)},
    }


def mechanism_aware_credibility(theta: float, class_size: int, l: int, variant: str) -> list[tuple[float, float]]:  # noqa: E741
    """Return (share, belief) for each share that a group may show: what an adversary who knows the method believes
    about a member of such a group.

    People have the value independently with rate `theta`, in groups of one size, and groups that fail imitate groups
    that pass. In the variant "original", the sampling of the paper, each of these is as likely; in "slack" they are
    drawn in proportion to their slack below 1/l.
    """
    chance = [comb(class_size, j) * theta**j * (1 - theta) ** (class_size - j) for j in range(class_size + 1)]
    passing = [j for j in range(class_size + 1) if j * l <= class_size]
    failing = sum(chance[j] for j in range(class_size + 1) if j not in passing)
    true = sum(chance[j] * j / class_size for j in range(class_size + 1) if j not in passing)
    weights = {j: chance[j] * (1 / l - j / class_size if variant == "slack" else 1) for j in passing}
    beliefs = []
    for j in passing:
        drawn = weights[j] / sum(weights.values())
        believed = chance[j] * j / class_size + true * drawn
        beliefs.append((j / class_size, believed / (chance[j] + failing * drawn)))
    return beliefs
