"""The machinery of the ART experiments: dealing for a set, queries by the thousand, beliefs that are estimated, merging
as printed; and the quick form of the whole paper on Adult."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from papers.quick_forms import list_changed_verdicts, reproduce_quickly

import voile as vl
from voile.adversaries.prior_learning import learn_statistics
from voile.errors import Unsatisfiable
from voile.flow.read.read import read
from voile.methods.art.buckets import make_buckets
from voile.methods.art.kernel.merging import spread_ceiling
from voile.papers.art import beliefs, bounds, contenders, printed_merging, queries, set_dealing
from voile.papers.art.kernel import add_cells
from voile.tables.microdata import Microdata
from voile.tables.schema import Schema


@pytest.fixture(scope="module")
def people() -> Microdata:
    """300 people: a tenth has a protected education, the older ones more often, and nobody in job c."""
    rng = np.random.default_rng(5)
    age, job = rng.integers(0, 4, 300), rng.integers(0, 3, 300)
    low = (rng.random(300) < 0.06 * (age + 1)) & (job < 2)
    school = np.where(low, "1st-4th", np.array(["HS-grad", "Bachelors"])[rng.integers(0, 2, 300)])
    frame = pl.DataFrame({"age": age.astype(str), "job": np.array(list("abc"))[job], "education": school})
    domain = sorted({*contenders.PROTECTED, "HS-grad", "Bachelors"})
    return read(frame, Schema(quasi=["age", "job"], sensitive=["education"], domains={"education": domain}))


@given(st.integers(2, 6), st.integers(0, 60), st.data())
def test_no_group_of_a_set_has_two_cases(l: int, others: int, data: st.DataObject) -> None:  # noqa: E741
    cases = data.draw(st.integers(0, others // l + 2))
    is_case = np.array([True] * cases + [False] * others, dtype=bool)
    if cases > max(len(is_case) // l, 1 if len(is_case) else 0):
        with pytest.raises(Unsatisfiable):
            set_dealing.deal_groups(is_case, l, contenders.KEY, "test")
        return
    groups = set_dealing.deal_groups(is_case, l, contenders.KEY, "test")
    assert len(groups) == len(is_case)
    assert np.bincount(groups[is_case], minlength=1).max() <= 1
    assert len(groups) < l or np.bincount(groups).min() >= l


def test_injector_hides_cases_only_among_people_who_may_be_cases(people: Microdata) -> None:
    protected = contenders.mark_protected(people)
    rows = people.rows.with_key(contenders.KEY).collect()
    grouped = set_dealing.deal_like_injector(people.columns, rows, protected, 3)
    group, table = grouped.count_by_group(["job", "education"])
    job, case = table.column("job"), protected[table.column("education")]
    assert not set(group[job == 2]) & set(group[case])  # a rule says that nobody in job c is a case


@given(st.integers(1, 12), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_answers_of_many_queries_are_sums_over_entries(cells: int, many: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (cells, 2))
    cell = np.sort(rng.integers(0, cells, 20))
    value, amount = rng.integers(0, 2, 20), rng.random(20)
    offset, marks = np.array([0, 3, 6, 8]), rng.integers(0, 2, (8, many)).astype(np.uint8)
    slow = [
        sum(
            amount[e]
            for e in range(20)
            if marks[codes[cell[e], 0], q] and marks[3 + codes[cell[e], 1], q] and marks[6 + value[e], q]
        )
        for q in range(many)
    ]
    assert add_cells(codes, cell, value, amount, offset, marks) == pytest.approx(slow)


def test_a_release_that_hides_nothing_answers_exactly(people: Microdata) -> None:
    asked = queries.draw_queries(people, 2, 0.3, 50, seed=1)
    rows = people.rows.with_key(contenders.KEY).collect()
    table = rows.histogram(["age", "job", "education"])
    alone = rows.place(table, np.arange(len(table.counts)))
    members, guarded = contenders.find_members(people, alone)
    counts = alone.tally_values(people.columns)["education"]
    assert queries.compute_error(people, contenders.Outcome(members, counts, guarded, 0), asked) == pytest.approx(0)
    whole = rows.place(table, np.zeros(len(table.counts), dtype=np.int64))
    members, guarded = contenders.find_members(people, whole)
    counts = whole.tally_values(people.columns)["education"]
    assert queries.compute_error(people, contenders.Outcome(members, counts, guarded, 0), asked) > 0.001


def test_scaling_keeps_both_margins_and_is_near_the_exact_belief() -> None:
    rng = np.random.default_rng(3)
    weights = rng.random((6, 3)) + 0.2
    values = [0, 0, 1, 1, 2, 2]
    scaled = beliefs.scale_weights(weights, np.ones(6), np.full(3, 2.0))
    assert scaled.sum(axis=1) == pytest.approx(1)
    assert scaled.sum(axis=0) == pytest.approx(2, abs=1e-6)
    assert scaled == pytest.approx(np.array(bounds.linkage_exact(weights.tolist(), values)), abs=0.08)


@pytest.mark.parametrize("who", contenders.CONTENDERS[:5], ids=lambda who: who.name)
def test_what_is_promised_shows_in_the_judgement(people: Microdata, who: contenders.Contender) -> None:
    prior = learn_statistics(people.columns, people.rows, people.columns["education"])
    outcomes, _, gap = contenders.publish_repeatedly(people, prior, who, 3, 2)
    assert not gap
    assert len(outcomes) == (2 if who.keyed else 1)
    binary = beliefs.judge_binary(people, prior, outcomes[0], 3)
    if who.name == contenders.PUBLISHED:
        assert binary == 0
    if who.name in (contenders.PUBLISHED, contenders.EXACT, contenders.ANATOMY, contenders.INJECTOR):
        full = beliefs.judge_fully(people, prior, outcomes[0], 3, 20_000)
        assert full["certain"] <= full["problematic"] <= full["possible"]
        assert who.name != contenders.EXACT or full["possible"] == 0
        bounded = beliefs.judge_fully(people, prior, outcomes[0], 3, 2)  # almost every group is estimated
        assert bounded["certain"] <= full["problematic"] <= bounded["possible"]


@pytest.mark.parametrize("kind", ["set", "values"])
def test_merging_as_printed_ends_within_the_condition_of_the_last_value(people: Microdata, kind: str) -> None:
    prior = learn_statistics(people.columns, people.rows, people.columns["education"])
    model = vl.RRobustness(r=2, protect=("1st-4th", "Bachelors"), protect_as=kind, prior=prior, source="table")
    rows = people.rows.with_key(contenders.KEY).collect()
    buckets = make_buckets(people.columns, rows, people.columns["education"], model, False)
    state = printed_merging.merge_as_printed(buckets, 2.0, 20)
    placed = np.bincount(np.concatenate(state.list_groups()), minlength=len(buckets.size)) + state.left
    for bucket, count in state.withheld.items():
        placed[bucket] += count
    assert placed.tolist() == buckets.size.tolist()
    last = int(np.argmin([buckets.size[buckets.event[buckets.value] == e].sum() for e in range(len(buckets.chance))]))
    for members in state.list_groups():
        events = buckets.event[buckets.value[members]]
        assert np.bincount(events[events >= 0]).max() == 1
        if last in events:
            for f in buckets.chance[last][buckets.index[:, members]]:
                assert f.max() - f.min() <= spread_ceiling(len(members), 2.0, float(f.max())) + 1e-9
    assert kind == "values" or not state.merged


def test_the_quick_form_gives_the_committed_verdicts(adult: pl.DataFrame, tmp_path: Path) -> None:
    tables = reproduce_quickly("art", tmp_path)
    assert list_changed_verdicts("art", tmp_path) == []
    frame = tables["figure-1"]
    assert frame["gap"].is_null().all()  # Anatomy and Injector have lines at r = 10
    assert frame.filter(method=contenders.EXACT)["problematic_high"].max() == 0
    assert frame.filter(method=contenders.PUBLISHED)["binary"].max() == 0
    assert "seconds" not in pl.read_csv(tmp_path / "art" / "figure-1.csv").columns
    assert tables["setting"].filter(what="their share in percent")["number"][0] == pytest.approx(3.463, abs=1e-3)
