"""The axes of a figure: where a value lies, and which values are marked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

MARKS = 6  # at most on an axis, if a figure does not say where


@dataclass(frozen=True)
class Axis:
    """An axis from `start` to `stop` (in pixels) with its marks: values and what is written beside them."""

    low: float
    high: float
    start: float
    stop: float
    marks: tuple[tuple[float, str], ...]
    log: bool = False

    def place(self, value: float) -> float:
        """Return the pixel of a value."""
        low, high, here = (math.log10(n) if self.log else n for n in (self.low, self.high, value))
        return self.start + (here - low) / (high - low) * (self.stop - self.start)

    def can_show(self, value: float | None) -> bool:
        """Say whether a value has a place: a logarithm needs a positive one."""
        return value is not None and math.isfinite(value) and (value > 0 or not self.log)


def fit_axis(
    values: Sequence[float], start: float, stop: float, *, ticks: Sequence[float] = (), log: bool = False, zero: bool
) -> Axis:
    """Return an axis that shows all values and ticks; with `zero` it begins at 0 unless ticks or a logarithm say
    otherwise."""
    shown = [float(n) for n in [*values, *ticks] if math.isfinite(n) and (n > 0 or not log)] or [1.0]
    low, high = min(shown), max(shown)
    if log:
        marks = list(ticks) or _log_marks(low, high)
        low, high = (min(low, *marks), max(high, *marks)) if marks else (low, high)
        low, high = (low, high) if high > low else (low / 2, high * 2)
    else:
        low, high = (min(low, 0.0) if zero and not ticks else low), high
        low, high = (low, high) if high > low else (low - 0.5, high + 0.5)
        marks = list(ticks) or _even_marks(low, high)
        if zero and not ticks:
            low, high = min(low, marks[0]), max(high, marks[-1])
    return Axis(low, high, start, stop, tuple((mark, f"{mark:g}") for mark in marks), log)


def name_axis(names: Sequence[str], start: float, stop: float) -> Axis:
    """Return an axis for texts: one place for each, in order."""
    return Axis(-0.5, max(len(names) - 0.5, 0.5), start, stop, tuple((float(i), name) for i, name in enumerate(names)))


def _even_marks(low: float, high: float) -> list[float]:
    """Return round values from at most `low` to at least `high`, a step of 1, 2 or 5 apart.

    >>> _even_marks(0, 0.83)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    raw = (high - low) / (MARKS - 1)
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= raw * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{number * step:.10g}") for number in range(first, last + 1)]


def _log_marks(low: float, high: float) -> list[float]:
    """Return the powers of ten around the values; with 2 and 5 between them if they are few."""
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    factors = (1, 2, 5) if last - first <= 2 else (1,)
    fine = [factor * 10.0**power for power in range(first, last + 1) for factor in factors]
    below = [mark for mark in fine if mark <= low * (1 + 1e-9)][-1:]
    above = [mark for mark in fine if mark >= high * (1 - 1e-9)][:1]
    every = max(1, math.ceil((last - first) / MARKS))
    inner = [mark for place, mark in enumerate(fine) if low < mark < high and (len(factors) > 1 or place % every == 0)]
    return [float(f"{mark:.6g}") for mark in dict.fromkeys([*below, *inner, *above])]
