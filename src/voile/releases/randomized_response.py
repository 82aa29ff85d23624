"""The channel that perturbs sensitive values: each is kept with probability p, else redrawn evenly from the domain.

Anyone who knows p and the domain can undo it for large numbers (`undo`); nobody can undo it for one person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from voile.plugins.number_text import parse_fraction
from voile.tables.secret_key import Key

ONE = 1 << 64


def exact_fraction(number: float | Fraction | str) -> Fraction:
    """Return a number exactly as it is written: 0.1 is one tenth, not the nearest binary number.

    >>> exact_fraction(0.3)
    Fraction(3, 10)
    """
    return number if isinstance(number, Fraction) else parse_fraction(str(number))


@dataclass(frozen=True)
class Channel:
    """Keep a value with probability `keep`, else draw one of `size` values, each as likely (also the same again).

    >>> Channel(0.3, 50).transition(same=True)
    Fraction(157, 500)
    """

    keep: float | Fraction
    size: int

    @property
    def noise(self) -> Fraction:
        """The probability of each particular redrawn value: u = (1 - p) / |U|."""
        return (1 - exact_fraction(self.keep)) / self.size

    def transition(self, same: bool) -> Fraction:
        """Return the probability that a value is published as itself, or as one particular other value."""
        return self.noise + (exact_fraction(self.keep) if same else 0)

    def largest_ratio(self, share: Fraction) -> Fraction | None:
        """Return by which factor one person's true value can change the probability of anything that is published, if
        the person's perturbed value is published with probability `share`; None if there is no bound.

        >>> Channel(0.3, 50).largest_ratio(Fraction(1, 6))
        Fraction(32, 7)
        """
        return 1 + exact_fraction(self.keep) * share / self.noise if self.noise else None

    def perturb(self, codes: np.ndarray, key: Key, purpose: str) -> np.ndarray:
        """Send every code through the channel, with random numbers from a key.

        A number below floor(p 2^64) keeps the value, so that no value is kept with a probability above p.
        """
        threshold = exact_fraction(self.keep) * ONE // 1
        if threshold >= ONE:
            return codes
        kept = key.draw_true(f"{purpose} keep", threshold, len(codes))
        drawn = key.draw_below(f"{purpose} redraw", self.size, len(codes))
        return np.where(kept, codes, drawn.astype(codes.dtype))

    def undo(self, counts: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Estimate the counts before the channel from the counts after it; the last axis are classes.

        `shares` is the part of the domain that each class covers. Negative estimates become 0, and the rest is scaled
        back to the total; where nothing is left (or p is 0), everybody is spread as the classes are.

        >>> Channel(0.3, 50).undo(np.array([50, 30, 20]), np.array([25, 12, 13]) / 50).round(6).tolist()
        [50.0, 44.0, 6.0]
        """
        seen = np.asarray(counts, dtype=np.float64)
        keep, total = float(exact_fraction(self.keep)), seen.sum(axis=-1, keepdims=True)
        if keep == 0:
            return np.asarray(total * shares)
        found = np.maximum((seen - (1 - keep) * shares * total) / keep, 0)
        left = found.sum(axis=-1, keepdims=True)
        scaled = found * (total / np.where(left > 0, left, 1))
        return np.asarray(np.where(left > 0, scaled, total * shares))


def reconstruct(counts: Sequence[float], p: float, size: int, category_sizes: Sequence[int]) -> np.ndarray:
    """`Channel.undo` for classes given by how many values of the domain each covers."""
    return Channel(p, size).undo(np.asarray(counts), np.asarray(category_sizes) / size)
