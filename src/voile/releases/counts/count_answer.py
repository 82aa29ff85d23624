"""The answer to a COUNT query: an estimate, an interval that is likely, and bounds that are certain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from voile.result_tables import ResultTable


@dataclass(frozen=True)
class Count(ResultTable):
    """How many people satisfy a query: an `estimate`; `low` to `high`, which hold the truth in about 95 cases of 100;
    `at_least` to `at_most`, which always hold it. `low` and `high` are None where no interval can be relied on;
    `at_least` and `at_most` where nothing bounds the number. `note` says why.

    >>> print(Count(120.4, 112, 129, 80, 170))
    about 120 (95 %: 112 to 129; certainly 80 to 170)
    """

    estimate: float
    low: float | None
    high: float | None
    at_least: float | None
    at_most: float | None
    note: str = ""

    @property
    def is_exact(self) -> bool:
        """Whether the number is certain."""
        return self.at_least is not None and self.at_least == self.at_most

    def __str__(self) -> str:
        if self.is_exact:
            return f"exactly {self.at_least:,.6g}"
        likely = "" if self.low is None or self.high is None else f"95 %: {_write(self.low)} to {_write(self.high)}; "
        if self.at_least is None:
            return f"about {_write(self.estimate)}" + (f" ({likely.rstrip('; ')})" if likely else "")
        upper = "any number" if self.at_most is None else _write(self.at_most)
        return f"about {_write(self.estimate)} ({likely}certainly {_write(self.at_least)} to {upper})"

    def _list_rows(self) -> list[dict[str, Any]]:
        return [{name: value for name, value in self.as_json().items() if name != "note"}]

    def _write_caption(self) -> str:
        return f"{self}. {self.note}".removesuffix(". ")

    def as_json(self) -> dict[str, Any]:
        return {
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "at_least": self.at_least,
            "at_most": self.at_most,
            "note": self.note,
        }


def _write(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 100 or number == round(number) else f"{number:,.3g}"
