"""Bounds on belief after perturbed generalization, computed from p, k, the domain and the adversary's skew.

Before the release, an adversary gives no value of a person a probability above `skew`. They see one row of the person's
group, whose value was kept with probability p, and may know the values of all others. u = (1 - p) / |U| is the
probability of each redrawn value. With w = the prior of the published value y, and at least k people in the group:

    the row is the person's with probability at most h(w) = (p w + u) / (p w + k u)
    paper's bounds:  belief  h(skew) (p+u) rho1 / (p rho1 + u) + (1 - h(skew)) rho1
                     growth  h(skew) max p w (1-w) / (p w + u)       over w <= skew
    tight bounds:    belief  rho1 + p w (1 - rho1) / (p w + k u)     at w = min(skew, rho1)
                     growth  max p w (1-w) / (p w + k u)             over w <= skew

Both are valid; the tight ones take h at the same w as the rest. If the grouping looked at the (perturbed) values,
h = 1. Every decision is exact: it uses rational numbers, and a quadratic instead of its root.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from voile.releases.randomized_response import Channel, exact_fraction

P_STEPS = 10**9  # p is solved to nine decimals, rounded down
CERTIFIED_STEPS = 10**6  # certified numbers are shown with six decimals, rounded up


@dataclass(frozen=True)
class Terms:
    """What a bound depends on besides p: the least group size k, |U|, the skew, whether the grouping was blind to the
    sensitive column, and which of the two bounds is used.

    >>> terms = Terms(k=6, size=50, skew=0.1)
    >>> terms.belief(0.3, 0.2), terms.growth(0.3)
    (Fraction(112589, 250000), Fraction(236843, 1000000))
    """

    k: int
    size: int
    skew: float | Fraction = Fraction(1, 10)
    blind: bool = True
    tight: bool = False

    @property
    def candidates(self) -> int:
        """The number of people whose row the published one may be: k, or 1 if the grouping looked at the values."""
        return self.k if self.blind else 1

    def ownership(self, p: float | Fraction) -> Fraction:
        """Return h, the highest belief that the published row is the person's."""
        u, mass = Channel(p, self.size).noise, exact_fraction(p) * exact_fraction(self.skew)
        return (mass + u) / (mass + self.candidates * u) if mass + u else Fraction(1)

    def exact_belief(self, p: float | Fraction, rho1: float | Fraction) -> Fraction:
        """Return the exact bound on belief in any set of values whose prior is at most rho1."""
        keep, prior, u = exact_fraction(p), exact_fraction(rho1), Channel(p, self.size).noise
        if self.tight:
            w = min(exact_fraction(self.skew), prior)
            denominator = keep * w + self.candidates * u
            return prior + keep * w * (1 - prior) / denominator if denominator else Fraction(1)
        denominator = keep * prior + u
        if not denominator:
            return Fraction(1)
        h = self.ownership(p)
        return h * (keep + u) * prior / denominator + (1 - h) * prior

    def belief(self, p: float | Fraction, rho1: float | Fraction) -> Fraction:
        """Return the certified bound on belief: the exact one, rounded up."""
        return Fraction(math.ceil(self.exact_belief(p, rho1) * CERTIFIED_STEPS), CERTIFIED_STEPS)

    def grows_within(self, p: float | Fraction, growth: float | Fraction) -> bool:
        """Decide exactly whether belief in every set of values grows by at most `growth`.

        The condition is p w (1-w) <= d (p w + c) for all w <= skew, a quadratic in w that is least at w = (1-d)/2 or at
        the end.
        """
        keep, skew, u = exact_fraction(p), exact_fraction(self.skew), Channel(p, self.size).noise
        d, c = (
            (exact_fraction(growth), self.candidates * u)
            if self.tight
            else (exact_fraction(growth) / self.ownership(p), u)
        )
        if d >= 1 or not keep:
            return True
        if skew <= (1 - d) / 2:
            return keep * skew * skew - keep * (1 - d) * skew + d * c >= 0
        return keep * (1 - d) ** 2 <= 4 * d * c

    def growth(self, p: float | Fraction) -> Fraction:
        """Return the certified bound on growth: the least number on the grid that belief does not grow beyond."""
        step = _find_first(CERTIFIED_STEPS, lambda step: self.grows_within(p, Fraction(step, CERTIFIED_STEPS)))
        return Fraction(step, CERTIFIED_STEPS)

    def largest_p(self, rho1: float | None = None, rho2: float | None = None, growth: float | None = None) -> Fraction:
        """Return the largest p that meets every target, rounded down to nine decimals. Both bounds rise with p.

        >>> float(Terms(k=6, size=50).largest_p(rho1=0.2, rho2=0.5))
        0.368452407
        """

        def misses_target(step: int) -> bool:
            return not self.meets(Fraction(step, P_STEPS), rho1, rho2, growth)

        return Fraction(_find_first(P_STEPS + 1, misses_target) - 1, P_STEPS)

    def meets(
        self, p: float | Fraction, rho1: float | None = None, rho2: float | None = None, growth: float | None = None
    ) -> bool:
        """Decide exactly whether p meets every target that is given."""
        if rho1 is not None and rho2 is not None and self.exact_belief(p, rho1) > exact_fraction(rho2):
            return False
        return growth is None or self.grows_within(p, growth)


def _find_first(last: int, statement: Callable[[int], bool]) -> int:
    """Return the first whole number from 0 to `last` at which a monotone statement is true. It is assumed to be
    true at `last`."""
    low, high = 0, last
    while low < high:
        middle = (low + high) // 2
        if statement(middle):
            high = middle
        else:
            low = middle + 1
    return low


def peak(p: float, size: int) -> float:
    """Return the prior of the published value at which belief grows most: w_m = (sqrt(u^2 + p u) - u) / p.

    >>> round(peak(0.3, 50), 6)
    0.174341
    """
    u = float(Channel(p, size).noise)
    return (math.sqrt(u * u + p * u) - u) / p


def group_size(s: float) -> int:
    """Return k = ceil(1/s): with groups of at least k, at most the share s of the rows is published.

    >>> group_size(0.3), group_size(1 / 6)
    (4, 6)
    """
    return math.ceil(1 / exact_fraction(s) - Fraction(1, P_STEPS))
