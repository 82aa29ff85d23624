"""A claim: something that a paper prints, beside what we compute, and the verdict of a program on the two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import polars as pl

from voile.errors import DataError

Answer = float | str | bool | None


@dataclass(frozen=True, eq=False)
class Claim:
    """What a paper prints (`printed`, and in our words in `says`), and how it follows from an item's table (`ours`).

    Numbers agree if ours, rounded to the printed digits, is the printed one; with `within`, if they are at most that
    far apart. Texts agree if they are equal. If `ours` returns a bool, it is the verdict itself; `agrees` is a test of
    one's own. A claim that differs needs a reason in `because`. `ours` of a time is a bool, never the seconds.

    >>> frame = pl.DataFrame({"k": [10], "belief": [0.3612]})
    >>> check_claim(Claim("table 1, k = 10", "belief is 0.36", 0.36, lambda table: table["belief"][0]), frame).verdict
    'agrees'
    """

    where: str
    says: str
    printed: float | str
    ours: Callable[[pl.DataFrame], Any]
    agrees: Callable[[Any, Any], bool] | None = None
    within: float | None = None
    because: str = ""


@dataclass(frozen=True)
class CheckedClaim:
    """A claim with our answer and the verdict: agrees, or differs with a reason."""

    where: str
    says: str
    printed: str
    ours: str
    verdict: str
    because: str

    def as_row(self) -> dict[str, str]:
        return asdict(self)

    @property
    def needs_attention(self) -> str:
        """Say what is wrong with the claim itself: a difference without a reason, or a reason without a difference."""
        if self.verdict == "differs" and not self.because:
            return f"{self.where}: printed {self.printed}, ours {self.ours}, and no reason is given"
        if self.verdict == "agrees" and self.because:
            return f"{self.where}: ours agrees ({self.ours}), yet a reason for a difference is given"
        return ""


def check_claim(claim: Claim, frame: pl.DataFrame) -> CheckedClaim:
    """Compute our answer to a claim from the item's table, and compare it with the printed one."""
    ours = claim.ours(frame)
    agree = compare_answers(claim, ours)
    texts = write_answer(claim.printed), write_answer(ours)
    return CheckedClaim(claim.where, claim.says, *texts, "agrees" if agree else "differs", claim.because)


def compare_answers(claim: Claim, ours: Answer) -> bool:
    """Say whether our answer is what the paper prints."""
    if claim.agrees is not None:
        return bool(claim.agrees(claim.printed, ours))
    if isinstance(ours, bool):
        return ours
    if ours is None:
        return False
    if isinstance(ours, str):
        return ours == str(claim.printed)
    try:
        printed = Decimal(str(claim.printed))
    except InvalidOperation:
        raise DataError(
            f"{claim.where}: a number is compared with a text.", code="data.claim", hint="Give the claim a test."
        ) from None
    half = Decimal(1).scaleb(min(0, int(printed.as_tuple().exponent))) / 2
    allowed = float(half) + 1e-9 if claim.within is None else claim.within
    return abs(float(ours) - float(printed)) <= allowed


def write_answer(answer: Answer) -> str:
    """Write an answer as it is shown beside the other one: numbers with six significant digits."""
    if answer is None:
        return "none"
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    if isinstance(answer, str):
        return answer
    return f"{answer:.6g}" if isinstance(answer, float) else str(answer)
