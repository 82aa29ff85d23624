"""How many sensitive cells were changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.measures import alteration

SCHEMA = vl.Schema(quasi=["age"], sensitive=["disease"])


@pytest.fixture
def data() -> Any:
    rows = {"age": np.repeat(np.arange(30), 2), "disease": ["HIV", "HIV"] * 3 + ["flu", "acne"] * 27}
    return vl.read(pl.DataFrame(rows), SCHEMA)


def test_nothing_is_changed_by_generalizing(data: Any) -> None:
    for method in (vl.Mondrian(), vl.FullDomain(suppression=0.2)):
        assert vl.measures.Alteration()(data, vl.publish(data, vl.KAnonymity(k=2), method)).value == 0
    assert vl.measures.Alteration()(data, vl.publish(data, vl.LDiversity(l=2), vl.Anatomy())).value == 0


def test_changed_cells_are_counted_box_by_box(data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    release = vl.publish(data, vl.MConfidentiality(m=2, protect=("HIV",)), vl.Mask(k=2))
    left = int((release.tables["table"]["disease"] == "HIV").sum())
    expected = (6 - left) / 60
    found = vl.measures.Alteration()(data, release)
    assert found.value == pytest.approx(expected)
    assert found.note.endswith("box by box")
    monkeypatch.setattr(alteration, "LARGEST", 1)
    whole = vl.measures.Alteration()(data, release)
    assert whole.note.endswith("whole tables")
    assert 0 < whole.value <= found.value + 1e-12


def test_tables_that_do_not_fit_one_number_as_a_key() -> None:
    rng = np.random.default_rng(0)
    names = [f"q{n}" for n in range(12)]
    frame = pl.DataFrame({**{name: rng.integers(0, 60, 90) for name in names}, "disease": ["a", "b", "c"] * 30})
    data = vl.read(frame, vl.Schema(quasi=names, sensitive=["disease"]))
    assert vl.measures.Alteration()(data, vl.publish(data, vl.KAnonymity(k=3))).value == 0
