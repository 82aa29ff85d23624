"""Which row is whose: chances against all worlds, and sets that are never confused."""

from __future__ import annotations

from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voile import kernels
from voile.kernels import lazy_module
from voile.releases.certificate import UNSIGNED
from voile.releases.row_matching.row_matching import equal_sets, match_rows
from voile.releases.shapes.decomposed import Decomposed

row_matching_kernel = lazy_module("voile.releases.row_matching.kernel")


def entry(name: str, role: str, values: list[Any] | None = None) -> dict[str, Any]:
    domain = {"values": values, "missing": False} if values else {"min": 0, "max": 99, "missing": False}
    kind, dtype = ("categorical", "String") if values else ("numeric", "Int64")
    return {"name": name, "role": role, "kind": kind, "type": dtype, "shown": "exact", "domain": domain}


@st.composite
def releases(draw: st.DrawFn) -> Decomposed:
    """Real rows in groups, which may repeat a primary value; lists hold every real value and maybe others."""
    people = draw(
        st.lists(
            st.tuples(st.integers(0, 2), st.sampled_from("abc"), st.sampled_from("xyz"), st.integers(0, 2)),
            min_size=1,
            max_size=9,
        )
    )
    groups = sorted({row[0] for row in people})
    more = {g: draw(st.sets(st.sampled_from("xyz"))) for g in groups}
    also = {g: draw(st.sets(st.integers(0, 2))) for g in groups}
    lists = {
        "p": sorted((g, p) for g, p, _, _ in people),
        "s": sorted({(g, s) for g, _, s, _ in people} | {(g, s) for g in groups for s in more[g]}),
        "t": sorted({(g, t) for g, _, _, t in people} | {(g, t) for g in groups for t in also[g]}),
    }
    tables = {"quasi": pl.DataFrame({"group": sorted(g for g, *_ in people), "q": range(len(people))})}
    for name, listed in lists.items():
        tables[f"sensitive_{name}"] = pl.DataFrame(listed, schema=["group", name], orient="row")
    rows = sorted(row[1:] for row in people)
    tables["joint"] = pl.DataFrame(rows, schema=["p", "s", "t"], orient="row")
    columns = [entry("q", "quasi"), entry("p", "sensitive", list("abc")), entry("s", "sensitive", list("xyz"))]
    return Decomposed(tables, {"format": 1, "primary": "p", "columns": [*columns, entry("t", "sensitive")]}, UNSIGNED)


@settings(max_examples=120)
@given(releases())
def test_beliefs_over_all_worlds(release: Decomposed) -> None:
    assert release.faults() == []
    slow = oracle.decomposed_belief(release)
    labels = sorted(set(release.tables["quasi"]["group"]))
    for name, counts in release.tallies.items():
        assert counts.column is not None
        shown = counts.column.domain.values.to_list()
        for g, label in enumerate(labels):
            span = slice(counts.starts[g], counts.starts[g + 1])
            belief = {
                shown[v]: c / counts.sizes[g] for v, c in zip(counts.values[span], counts.counts[span], strict=True)
            }
            for value, chance in belief.items():
                assert chance == pytest.approx(float(slow[name][label].get(value, 0)), abs=1e-12)
            assert sum(belief.values()) == pytest.approx(1)
        worst = max(max(inside.values()) for inside in slow[name].values())
        assert release.belief_bound(name).largest == pytest.approx(float(worst))


@settings(max_examples=60)
@given(releases())
def test_uncounted_parts_are_bounded_from_above_and_estimated(release: Decomposed) -> None:
    exact = {name: release.belief_bound(name).largest for name in release.sensitive_names}
    patch = pytest.MonkeyPatch()
    with patch.context() as alone:
        alone.setattr(row_matching_kernel, "marginals", lambda *given: None)
        rough = Decomposed(release.tables, release.dictionary, UNSIGNED)
        for name in release.sensitive_names:
            assert rough.belief_bound(name).largest >= exact[name] - 1e-9
            assert rough.tallies[name].counts == pytest.approx(release.tallies[name].counts, abs=1.0 * rough.people)
        if not rough.certain.all():
            sampled = rough.sampled_matching
            assert sampled is not None
            assert release.row_matching is not None
            assert sampled.belief == pytest.approx(release.row_matching.belief, abs=0.1)
            assert rough.tallies["s"].remarks


def test_tables_that_do_not_belong_together() -> None:
    """A joint row whose value no group of its primary value lists."""
    group, primary = np.array([0, 1]), np.array([0, 0])
    lists = [(np.array([0, 1, 2]), np.array([0, 0]), 2)]
    fitting = match_rows(group, primary, lists, np.array([[0, 0]]), np.array([2]))
    assert fitting.possible
    assert not match_rows(group, primary, lists, np.array([[0, 1]]), np.array([2])).possible
    crossed = [(np.array([0, 1, 3]), np.array([0, 0, 1]), 2)]
    assert match_rows(group, primary, crossed, np.array([[0, 0], [0, 1]]), np.array([1, 1])).possible
    assert not match_rows(group, primary, crossed, np.array([[0, 1]]), np.array([2])).possible


@given(st.lists(st.sets(st.integers(0, 90), max_size=6), min_size=1, max_size=9), st.booleans())
def test_equal_sets_are_found_even_where_prints_collide(sets: list[set[int]], collide: bool) -> None:
    starts = np.cumsum([0, *(len(one) for one in sets)])
    members = np.array([member for one in sets for member in sorted(one)], dtype=np.int64)
    patch = pytest.MonkeyPatch()
    with patch.context() as alone:
        if collide:  # a publisher who makes all fingerprints alike
            alone.setattr(
                kernels.group_scans, "hash_sets", lambda starts, members: np.zeros((len(starts) - 1, 2), np.uint64)
            )
        first, number = equal_sets(starts, members, 91)
    for g, one in enumerate(sets):
        assert sets[first[number[g]]] == one
    assert len(first) == len({frozenset(one) for one in sets})
