"""Blank cells: counted again from the published labels, a blank being equal to a blank only."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import PolicyError
from voile.methods.full_domain.cell_blanks import blank_cells
from voile.testing import check_claim

KEY = vl.Key(bytes(32))


def people(seed: int = 2, rows: int = 250) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": np.rint(rng.gamma(5, 8, rows)).astype(int),
            "sex": rng.choice(["f", "m"], rows),
            "job": rng.choice(list("abcdef"), rows, p=[0.5, 0.3, 0.1, 0.05, 0.03, 0.02]),
            "ill": rng.choice(list("uvw"), rows),
        }
    )


def publish(policy: Any, blanks: bool, suppression: float = 0.1, **steering: Any) -> Any:
    schema = vl.Schema(
        quasi=["age", "sex", "job"], sensitive=["ill"], hierarchies={"age": vl.intervals(10, 40)}, steering=steering
    )
    release = vl.publish(vl.read(people(), schema), policy, vl.FullDomain(suppression, blanks), key=KEY)
    assert vl.verify(release).holds
    return release


@pytest.mark.parametrize(
    "policy",
    [vl.KAnonymity(k=4), vl.Policy(vl.KAnonymity(k=3), vl.LDiversity(l=2)), vl.TCloseness(t=0.5)],
    ids=["sizes", "values", "totals"],
)
def test_blanks_keep_people_who_would_be_withheld(policy: Any, tmp_path: Any) -> None:
    withheld, blanked = publish(policy, False), publish(policy, True)
    assert blanked.people >= withheld.people
    assert blanked.people + blanked.dictionary["withheld"] == 250
    table = blanked.tables["table"].select("age", "sex", "job").cast(pl.String)
    assert any("*" in row for row in table.iter_rows())
    blanked.save(tmp_path / "out")
    assert vl.verify(tmp_path / "out").holds


def test_every_row_has_enough_equals() -> None:
    release = publish(vl.KAnonymity(k=4), True)
    rows = list(release.tables["table"].select("age", "sex", "job").cast(pl.String).iter_rows())
    assert min(Counter(rows).values()) >= 4
    # an adversary for whom a blank may be anything finds no fewer rows
    for row in set(rows):
        matches = sum(all(x in (y, "*") or y == "*" for x, y in zip(row, other, strict=True)) for other in rows)
        assert matches >= Counter(rows)[row]


def test_a_column_with_a_coarsest_level_is_not_blanked() -> None:
    release = publish(vl.KAnonymity(k=4), True, sex={"coarsest": 0}, job={"weight": 3})
    assert set(release.tables["table"]["sex"].cast(pl.String)) == {"f", "m"}


def test_blanks_are_the_cheapest_that_suffice() -> None:
    nodes = [np.array([0, 0, 1, 1, 2]), np.array([0, 1, 2, 2, 3])]
    judge = lambda cells, group: np.bincount(group) >= 2  # noqa: E731
    group = blank_cells(np.full(5, -1), nodes, [3, 4], {0: 1.0, 1: 2.0}, judge)
    assert group.tolist() == [1, 1, 0, 0, -1]
    assert blank_cells(np.full(5, -1), nodes, [3, 4], {0: 1.0}, judge).tolist() == [-1, -1, 0, 0, -1]


def test_the_claim_covers_whoever_knows_the_algorithm() -> None:
    assert check_claim(vl.FullDomain(0.5, blanks=True), vl.KAnonymity(k=2), tables=2, people=(3, 4))


def test_too_many_columns_are_refused() -> None:
    frame = pl.DataFrame({f"c{n}": [1, 2, 1, 2] for n in range(13)})
    with pytest.raises(PolicyError, match="up to 12 quasi-identifier columns"):
        vl.publish(vl.read(frame, vl.Schema(quasi=frame.columns)), vl.KAnonymity(k=2), vl.FullDomain(blanks=True))
