"""The join of releases of the same people, against joining row by row."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import voile as vl
from voile.errors import DataError
from voile.releases.release_join import count_join
from voile.releases.shapes.generalized import Generalized

SCHEMA = vl.Schema(quasi=["age", "city"], sensitive=["disease"])


def people(seed: int, rows: int = 24) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 30, rows),
            "city": rng.choice(["a", "b", "c"], rows),
            "disease": rng.permutation(np.resize(["w", "x", "y", "z"], rows)),
        }
    )


def boxes(release: Any) -> list[tuple[list[set[str]], Counter[str]]]:
    """The groups of a release: what each cell stands for, and the values."""
    counts = release.tallies["disease"]
    found = []
    for group in range(release.groups):
        inside = slice(counts.starts[group], counts.starts[group + 1])
        texts = [counts.column.domain.labels[code] for code in counts.values[inside]]
        values = Counter(dict(zip(texts, counts.counts[inside].tolist(), strict=True)))
        cells = []
        for name in ("age", "city"):
            column, cell = release.cells[name], release.boxes[name][group]
            codes = column.matrix[cell].indices
            if column.labels[int(cell)] == "*":  # any value, also one that no release writes
                cells.append({str(age) for age in range(200)} | set("abcd"))
            elif name == "age":  # every age between the ends
                points = column.domain.numeric_values[codes]
                cells.append({str(age) for age in range(int(points.min()), int(points.max()) + 1)})
            else:
                cells.append({column.domain.labels[code] for code in codes})
        found.append((cells, values))
    return found


def by_hand(one: Any, other: Any) -> list[Counter[str]]:
    pairs = []
    for cells, values in boxes(one):
        for there, shown in boxes(other):
            if not all(a & b for a, b in zip(cells, there, strict=True)):
                continue
            if all(a <= b for a, b in zip(cells, there, strict=True)) and values <= shown:
                pairs.append(values)
            elif all(b <= a for a, b in zip(cells, there, strict=True)) and shown <= values:
                pairs.append(shown)
            else:
                pairs.append(Counter({value: values[value] * shown[value] for value in values if shown[value]}))
    return [pair for pair in pairs if pair.total()]


def listed(counts: Any) -> list[Counter[str]]:
    found = []
    for group in range(counts.groups):
        inside = slice(counts.starts[group], counts.starts[group + 1])
        texts = [counts.column.domain.labels[code] for code in counts.values[inside]]
        found.append(Counter(dict(zip(texts, counts.counts[inside].tolist(), strict=True))))
    return found


def same(some: list[Counter[str]], others: list[Counter[str]]) -> bool:
    return Counter(frozenset(c.items()) for c in some) == Counter(frozenset(c.items()) for c in others)


@given(st.integers(0, 2**32), st.integers(2, 5), st.integers(2, 5), st.booleans())
def test_boxes_that_overlap_are_joined(seed: int, k: int, other_k: int, grown: bool) -> None:
    frame = people(seed)
    later = pl.concat([frame.head(18), people(seed + 1, 6)]) if grown else frame
    one = vl.publish(vl.read(frame, SCHEMA), vl.KAnonymity(k=k))
    two = vl.publish(vl.read(later, SCHEMA), vl.KAnonymity(k=other_k), vl.FullDomain() if seed % 2 else None)
    assert isinstance(one, Generalized)
    found = count_join(two, [one], "disease")
    assert same(listed(found), by_hand(two, one))
    assert np.array_equal(found.sizes, [pair.total() for pair in listed(found)])


def test_a_release_joined_with_itself_is_itself() -> None:
    release = vl.publish(vl.read(people(1), SCHEMA), vl.LDiversity(l=2))
    found = count_join(release, [release, release], "disease")
    assert same(listed(found), listed(release.tallies["disease"]))


def test_bucketized_releases_join_where_people_fit_both() -> None:
    data = vl.read(people(2), SCHEMA)
    one, two = (vl.publish(data, vl.LDiversity(l=2), vl.Anatomy(), key=vl.Key(bytes([n]) * 32)) for n in (1, 2))
    expected = []
    tables = []
    for release in (one, two):
        values = {g: Counter[str]() for g in release.tables["sensitive"]["group"]}
        for group, value, count in release.tables["sensitive"].iter_rows():
            values[group][value] += count
        tables.append([(row[0], row[1:], values[row[0]]) for row in set(release.tables["quasi"].iter_rows())])
    for _, row, values in tables[0]:
        for _, there, shown in tables[1]:
            if row == there:
                expected.append(Counter({v: values[v] * shown[v] for v in values if shown[v]}))
    assert same(listed(count_join(one, [two], "disease")), [pair for pair in expected if pair.total()])


def test_another_schema_is_refused() -> None:
    release = vl.publish(vl.read(people(1), SCHEMA), vl.KAnonymity(k=2))
    other = vl.publish(vl.read(people(1), vl.Schema(quasi=["age"], sensitive=["disease"])), vl.KAnonymity(k=2))
    with pytest.raises(DataError, match="Earlier release 1 has another schema: it differs in 'city'") as error:
        count_join(release, [other], "disease")
    assert error.value.code == "data.after-schema"


def test_where_boxes_overlap_the_inner_one_is_not_the_join() -> None:
    """Of four equal people two are coarse: somebody who is exact in one release may be coarse in the other, so both
    groups tell something about them, and counts are multiplied."""
    schema = vl.Schema(quasi=["city"], sensitive=["disease"])
    rows = [("a", "x"), ("a", "x"), ("b", "x"), ("b", "y"), ("b", "y"), ("b", "y")]
    data = vl.read(pl.DataFrame(rows, schema=["city", "disease"], orient="row"), schema)
    overlapping = vl.publish(data, vl.Personalized(p=0.5, nodes=("x",)), vl.LocalRecoding())
    shown = [("b", "x"), ("b", "y"), ("*", "x"), ("*", "x"), ("*", "y"), ("*", "y")]
    assert overlapping.tables["table"].rows() == shown
    exact = vl.publish(data, vl.KAnonymity(k=2), vl.FullDomain())
    counts = count_join(overlapping, [exact], "disease")
    joined = [
        dict(zip(counts.values[low:high].tolist(), counts.counts[low:high].tolist(), strict=True))
        for low, high in pairwise(counts.starts.tolist())
    ]
    assert joined == [{0: 1, 1: 3}, {0: 2 * 2}, {0: 2 * 1, 1: 2 * 3}]  # b with b, * with a, * with b
