"""Numbers for readers."""

from __future__ import annotations

import pytest

from voile.flow.report.page_rendering import bound, number, percent


@pytest.mark.parametrize(
    ("stated", "limits", "shown"),
    [
        ("1/5", "identity", "1/5 = 20 %"),
        ("2/3", "belief", "2/3 = 66.7 %"),
        ("3/20", "distance", "3/20 = 0.15"),
        ("1", "belief", "no limit"),
        ("0", "gain", "0 = 0 %"),
        ("1/0", "belief", "1/0"),
        ("1e999999999", "belief", "1e999999999"),
        ("", "belief", "–"),
        (None, "belief", "–"),
    ],
)
def test_bounds_read_well(stated: str | None, limits: str, shown: str) -> None:
    assert bound(stated, limits) == shown


def test_numbers_read_well() -> None:
    assert [percent(None), percent(0.5), number(None), number(-1.5), number(2e-9)] == [
        "–",
        "50 %",
        "–",
        "-1.5",
        "2.0e-09",
    ]
