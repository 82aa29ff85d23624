"""Who sits where in a new release, against what the release itself shows."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.engines.person_rows import hash_people
from voile.errors import PolicyError

SCHEMA = vl.Schema(person="who", quasi=["age", "city"], sensitive=["disease"])
KEY = vl.Key(bytes(32))


def people(seed: int, rows: int = 60) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "who": [f"person {i}" for i in rng.permutation(rows)],
            "age": rng.integers(20, 30, rows),
            "city": rng.choice(["a", "b"], rows),
            "disease": rng.permutation(np.resize(["v", "w", "x", "y", "z"], rows)),
        }
    )


def seats_of(frame: pl.DataFrame, ledger: vl.Ledger) -> list[tuple[int, int, str | None]]:
    """Return group, kind and value of each row of the table."""
    seating = ledger.seating(len(ledger.releases) - 1)
    position = ledger.find_people(ledger.make_pseudonyms(hash_people(frame["who"])))
    assert (position >= 0).all()
    texts = seating.values["disease"].texts()
    return [(int(seating.group[p]), int(seating.kind[p]), texts[p]) for p in position]


@pytest.mark.parametrize("method", [vl.Mondrian(), vl.Anatomy(), vl.FullDomain(suppression=0.2)], ids=lambda m: m.name)
@pytest.mark.parametrize("seed", range(3))
def test_every_person_sits_where_the_release_shows_such_a_person(method: Any, seed: int) -> None:
    frame, ledger = people(seed), vl.Ledger()
    data = vl.read(frame, SCHEMA)
    release = vl.publish(data, vl.LDiversity(l=3), method, key=KEY, ledger=ledger)
    assert release.digest == vl.publish(data, vl.LDiversity(l=3), method, key=KEY).digest  # the ledger changes nothing
    counts = release.tallies["disease"]
    assert counts.column is not None
    listed = {
        (int(group), counts.column.domain.labels[value]): int(number)
        for group, value, number in zip(counts.owner, counts.values, counts.counts, strict=True)
    }
    seats = seats_of(frame, ledger)
    assert Counter((group, value) for group, _, value in seats if group >= 0) == listed
    assert sum(group < 0 for group, _, _ in seats) == release.dictionary["withheld"]
    for (group, _, value), row in zip(seats, frame.iter_rows(named=True), strict=True):
        assert value in (None, row["disease"])
        if group >= 0 and release.shows_boxes:
            assert release.boxes is not None  # type: ignore[attr-defined]
            for name in ("age", "city"):
                cells, cell = release.box_cells[name]
                texts = [cells.domain.labels[code] for code in cells.matrix[cell[group]].indices]
                if name == "age" and cells.labels[int(cell[group])] != "*":
                    assert int(texts[0]) <= row["age"] <= int(texts[-1])
    if release.shows_members:
        shown = Counter((group, row) for group, row in release.exact_texts())
        mine = Counter((g, (str(row[1]), row[2])) for (g, _, _), row in zip(seats, frame.iter_rows(), strict=True))
        assert shown == mine
        kinds = {(kind, row[1], row[2]) for (_, kind, _), row in zip(seats, frame.iter_rows(), strict=True)}
        assert len(kinds) == len({kind for kind, _, _ in kinds}) == len({row[1:] for row in kinds})


def test_people_with_equal_rows_are_seated_by_the_key() -> None:
    """Somebody's place in the table tells nothing about who of several equal people sits where."""
    frame = pl.DataFrame(
        {"who": [f"p{i}" for i in range(40)], "age": [30] * 40, "city": ["a"] * 40, "disease": ["x", "y"] * 20}
    )
    found = []
    for table in (frame, frame.reverse()):
        ledger = vl.Ledger()
        vl.publish(vl.read(table, SCHEMA), vl.LDiversity(l=2), vl.Anatomy(), key=KEY, ledger=ledger)
        found.append(dict(zip(table["who"], seats_of(table, ledger), strict=True)))
    assert found[0] == found[1]


def test_a_method_that_changes_values_keeps_no_ledger() -> None:
    data = vl.read(people(0), SCHEMA)
    with pytest.raises(PolicyError, match="changes values") as caught:
        vl.publish(data, vl.MConfidentiality(m=2, protect=["v"]), ledger=vl.Ledger())
    assert caught.value.code == "policy.ledger"
