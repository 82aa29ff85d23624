"""How anonymous a table is: the numbers of pyCANON 1.3.6 on a made table, and counts by hand."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import voile as vl
from voile.flow.explore.anonymity import Anonymity
from voile.flow.explore.uniqueness import CodedRows

# a table as another tool publishes it: intervals, stars, and two sensitive columns
MADE = [
    ("[20, 30)", "F", "flu", 12), ("[20, 30)", "F", "flu", 15), ("[20, 30)", "F", "asthma", 12),
    ("[20, 30)", "F", "angina", 30), ("[20, 30)", "M", "flu", 15), ("[20, 30)", "M", "asthma", 20),
    ("[20, 30)", "M", "asthma", 20), ("[30, 60)", "*", "angina", 30), ("[30, 60)", "*", "flu", 40),
    ("[30, 60)", "*", "flu", 12), ("[30, 60)", "*", "flu", 20), ("[30, 60)", "*", "asthma", 30),
    ("[60, 99)", "*", "asthma", 40), ("[60, 99)", "*", "angina", 40), ("[60, 99)", "*", "angina", 30),
    ("[60, 99)", "*", "flu", 12),
]  # fmt: skip
# k_anonymity, l_diversity, entropy_l_diversity, alpha_k_anonymity, t_closeness, basic and enhanced beta, delta
PYCANON: dict[str, dict[str, float]] = {
    "disease": {
        "distinct": 2, "entropy": 1, "alpha": 0.6666666666666666, "t": 0.35416666666666663,
        "beta": 1.1333333333333333, "enhanced_beta": 1.1333333333333333, "delta": 0.7576857016975165,
    },
    "days": {
        "distinct": 2, "entropy": 1, "alpha": 0.6666666666666666, "t": 0.25,
        "beta": 2.5555555555555554, "enhanced_beta": 2.0794415416798357, "delta": 1.2685113254635072,
    },
}  # fmt: skip


def measure(rows: list[tuple[Any, ...]], **schema: Any) -> Anonymity:
    frame = pl.DataFrame(rows, schema=["age", "sex", "disease", "days"][: len(rows[0])], orient="row")
    found = vl.inspect(frame, vl.Schema(**{"quasi": ["age", "sex"], "sensitive": ["disease"], **schema})).anonymity
    assert found is not None
    return found


@pytest.mark.parametrize("column", ["disease", "days"])
def test_the_numbers_of_pycanon(column: str) -> None:
    found = measure(MADE, sensitive=["disease", "days"])
    item, expected = found[column], PYCANON[column]
    assert (found.k, found.groups, found.rows) == (3, 4, 16)
    assert (item.distinct, int(item.entropy)) == (expected["distinct"], expected["entropy"])
    nearest = item.t_ordered if column == "days" else item.t_equal  # pyCANON takes numbers as ordered
    for ours, theirs in ((item.alpha, "alpha"), (nearest, "t"), (item.beta, "beta"), (item.delta, "delta")):
        assert ours == pytest.approx(expected[theirs], rel=1e-12)
    assert item.enhanced_beta == pytest.approx(expected["enhanced_beta"], rel=1e-12)


def test_recursive_diversity_starts_at_the_most_frequent_value() -> None:
    # pyCANON 1.3.6 sorts the counts upwards and finds c = 1 here; the definition divides 2 by 1 in the second group
    assert measure(MADE)["disease"].recursive == {2: 2.0}


def test_what_the_definitions_ask_beyond_the_numbers() -> None:
    found = measure(MADE, sensitive=["disease", "days"])
    assert found["disease"].enhanced_holds
    assert not found["days"].enhanced_holds  # a rare number of days rises by more than -ln p
    assert not found["disease"].occurs_everywhere  # angina is absent from a group, so delta is no bound there
    assert "infinite" in found["disease"].describe()[-1][2]


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from("ab"), st.one_of(st.none(), st.sampled_from("xyz"))),
        min_size=1,
        max_size=25,
    ),
    weighted=st.booleans(),
)
def test_the_definitions_by_hand(rows: list[tuple[int, str, str | None]], weighted: bool) -> None:
    if weighted:  # a table that was read has equal rows once
        frame = pl.DataFrame(rows, schema=["age", "sex", "disease"], orient="row")
        data = vl.read(frame, vl.Schema(quasi=["age", "sex"], sensitive=["disease"], missing="value"))
        read = vl.inspect(data).anonymity
        assert read is not None
        found = read
    else:
        found = measure([*rows])
    groups: defaultdict[tuple[object, ...], Counter[object]] = defaultdict(Counter)
    for age, sex, disease in rows:
        groups[age, sex][disease] += 1
    whole = Counter(row[2] for row in rows)
    share = {value: count / len(rows) for value, count in whole.items()}
    item, parts = found["disease"], [(counts, sum(counts.values())) for counts in groups.values()]
    assert found.k == min(size for _, size in parts)
    assert item.distinct == min(len(counts) for counts, _ in parts)
    assert item.frequency == pytest.approx(min(size / max(counts.values()) for counts, size in parts))
    entropies = [-sum(n / size * math.log(n / size) for n in counts.values()) for counts, size in parts]
    assert item.entropy == pytest.approx(math.exp(min(entropies)))
    gaps = [sum(abs(counts[value] / size - share[value]) for value in whole) / 2 for counts, size in parts]
    assert item.t_equal == pytest.approx(max(gaps), abs=1e-12)
    rises = [(counts[value] / size / share[value], share[value]) for counts, size in parts for value in counts]
    assert item.beta == pytest.approx(max(rise - 1 for rise, _ in rises), abs=1e-12)
    assert item.enhanced_holds == all(rise - 1 <= -math.log(p) + 1e-9 for rise, p in rises)
    assert item.delta == pytest.approx(max(abs(math.log(rise)) for rise, _ in rises), abs=1e-12)
    for size, c in item.recursive.items():
        ratios = [max(counts.values()) / sum(sorted(counts.values(), reverse=True)[size - 1 :]) for counts, _ in parts]
        assert c == pytest.approx(max(ratios))


def test_wide_rows_are_grouped_exactly_although_they_are_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    rng_rows = [[(7 * row + row // (column + 3)) % 50 for row in range(300)] for column in range(20)]
    frame = pl.DataFrame({f"c{number}": codes for number, codes in enumerate(rng_rows)})
    schema = vl.Schema(quasi=frame.columns)
    expected = Counter(frame.rows())
    plain = vl.inspect(frame, schema)
    assert plain.whole is not None
    assert plain.anonymity is not None
    assert plain.whole.alone == sum(count == 1 for count in expected.values())
    for name in frame.columns:
        rest = Counter(frame.drop(name).rows())
        assert plain.adds[name] == plain.whole.alone - sum(count == 1 for count in rest.values())
    # where every hash collides, rows are compared in full
    monkeypatch.setattr(CodedRows, "_scatter", lambda self, name: self.columns[name].astype("uint64") * 0)
    collided = vl.inspect(frame, schema).anonymity
    assert collided is not None
    assert sorted(collided.sizes) == sorted(expected.values())


def test_an_order_comes_from_the_schema() -> None:
    rows: list[tuple[Any, ...]] = [("a", "x", "low"), ("a", "x", "mid"), ("b", "x", "high"), ("b", "x", "mid")]
    assert measure(rows)["disease"].t_ordered is None
    domain = {"disease": ["low", "mid", "high"]}
    found = measure(rows, kinds={"disease": "ordered"}, domains=domain)["disease"]
    assert found.t_ordered == pytest.approx(0.25)  # a quarter of the mass crosses each of the two steps
