"""Households as the unit: with as many rows as the largest household has, a household hides among k households."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import voile as vl


def households(seed: int) -> pl.DataFrame:
    """People of 60 households with one to four members; a household shares its town and its income band."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(60):
        town, band = str(rng.choice(["Bern", "Lyon", "Oslo"])), str(rng.choice(["low", "middle", "high"]))
        rows += [(f"h{number}", town, int(rng.integers(0, 90)), band) for _ in range(int(rng.integers(1, 5)))]
    return pl.DataFrame(rows, schema=["household_id", "town", "age", "income"], orient="row")


def publish(frame: pl.DataFrame, largest: int) -> vl.Release:
    schema = vl.Schema(quasi=["town", "age"], sensitive=["income"], person="household_id", rows_per_person=largest)
    return vl.publish(vl.read(frame, schema), vl.KAnonymity(k=3))


@pytest.mark.parametrize("seed", range(5))
def test_every_group_holds_k_households(seed: int) -> None:
    """Recounted with the ids: every row is published, and whichever rows of a group are whose, no household has more
    than 1/k of them."""
    frame = households(seed)
    largest = int(frame["household_id"].value_counts()["count"].max())  # type: ignore[arg-type]
    release = publish(frame, largest)
    assert release.people == frame.height
    boxes = release.tables["table"].select("town", "age").cast(pl.String).unique().rows()
    homes: dict[str, list[str]] = {}
    for household, town, age, _ in frame.iter_rows():
        fitting = [str(box) for box in boxes if _holds(box[0], town) and _holds(box[1], age)]
        assert len(fitting) == 1
        homes.setdefault(fitting[0], []).append(household)
    for members in homes.values():
        assert len(set(members)) >= 3
        assert max(members.count(household) for household in set(members)) * 3 <= len(members)


def _holds(cell: str, value: str | int) -> bool:
    """Whether a published cell stands for a value, from its text."""
    if cell == "*":
        return True
    if isinstance(value, str):
        return value in cell.strip("{}").split("|")
    low, _, high = cell.strip("[]").partition(", ")
    return int(low) <= value <= int(high or low)


def test_the_claim_is_about_households_with_so_many_rows() -> None:
    frame = households(0)
    release = publish(frame, 4)
    assert release.unit.rows == 4
    assert release.unit.basis == "person column"
    assert "household_id" not in release.tables["table"].columns
