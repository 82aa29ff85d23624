"""A release in parts: verify, audit and measure say of its pieces what they say of the whole in memory."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl
from voile.attacks.base import PiecewiseAttack
from voile.errors import EngineError
from voile.flow.audit.requested_attacks import list_attacks
from voile.flow.measure.measure import list_measures
from voile.measures.base import ByGroup
from voile.releases.partitioned_tables import PartitionedTables, count_part
from voile.releases.release import Release
from voile.releases.release_pieces import split_into_pieces
from voile.tables.part_protocol import PartsInMemory

CHUNK_ROWS = 3000
JOBS = {"office": ["clerk", "manager"], "hand": ["smith", "baker", "driver"], "none": ["retired"]}
SCHEMA = vl.Schema(
    quasi=["age", "sex", "job", "school"], sensitive=["disease"], hierarchies={"job": vl.tree(JOBS), "age": "auto"}
)
KEY = vl.Key(bytes(32))
BY_GROUP = [attack for attack in list_attacks() if isinstance(attack, PiecewiseAttack)]
COUNTING: list[ByGroup] = [measure for measure in list_measures() if isinstance(measure, ByGroup)]


def people(rows: int = CHUNK_ROWS, seed: int = 1) -> pl.DataFrame:
    """Ages, jobs and schooling that go together, as in a census; and diseases that go with age."""
    rng = np.random.default_rng(seed)
    age = np.clip(rng.normal(42, 15, rows), 17, 90).astype(int)
    school = np.clip(rng.integers(1, 17, rows) - (age > 60) * 3, 1, 16)
    job = rng.choice([job for jobs in JOBS.values() for job in jobs], rows, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.1])
    disease = (rng.integers(0, 6, rows) + age // 30) % 8
    return pl.DataFrame(
        {"age": age, "sex": rng.choice(["F", "M"], rows), "job": job, "school": school, "disease": disease}
    ).with_columns(("disease " + pl.col("disease").cast(pl.String)).alias("disease"))


@cache
def policies() -> dict[str, tuple[Any, Any]]:
    prior = vl.learn_prior(vl.read(people(), SCHEMA), max_columns=1)
    return {
        "k-anonymity": (vl.KAnonymity(k=5), vl.Mondrian()),
        "l-diversity": (vl.Policy(vl.KAnonymity(k=4), vl.LDiversity(l=3)), vl.Mondrian()),
        "t-closeness": (vl.TCloseness(t=0.45), vl.Mondrian()),
        "hierarchy": (vl.KAnonymity(k=60), vl.Mondrian(recoding="hierarchy")),
        "anatomy": (vl.LDiversity(l=3), vl.Anatomy()),
        "art": (vl.RRobustness(r=1.5, prior=prior), vl.Art()),
    }


def priors(name: str) -> Any:
    """What verify must know to answer."""
    return vl.Policy(policies()[name][0]).priors() if name == "art" else ()


NAMES = ("k-anonymity", "l-diversity", "t-closeness", "hierarchy", "anatomy", "art")


@pytest.fixture(scope="module", autouse=True)
def small_parts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("voile.tables.partition_tree.LARGEST_PART", 500)
        patch.setattr("voile.engines.base.CHUNK_ROWS", 700)
        yield


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("people") / "people.parquet"
    people().write_parquet(path)
    return path


@pytest.fixture(scope="module")
def spread(table: Path) -> Any:
    return vl.read(table, SCHEMA, engine=vl.Disk())


@pytest.fixture(scope="module")
def here() -> Any:
    return vl.read(people(), SCHEMA)


@pytest.fixture(scope="module")
def releases(spread: Any, here: Any) -> dict[str, tuple[Release, Release]]:
    """Of each kind the release in parts, and the same in memory."""
    made = {name: (vl.publish(spread, *asked, key=KEY), asked) for name, asked in policies().items()}
    return {name: (apart, vl.publish(here, *asked, key=KEY)) for name, (apart, asked) in made.items()}


@pytest.fixture
def nothing_brought(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks for a whole table of a release in parts fails."""

    def refuse(self: PartitionedTables, name: str) -> Any:
        raise AssertionError(f"the whole table {name!r} was brought into memory")

    monkeypatch.setattr(PartitionedTables, "__getitem__", refuse)


def same_audit(one: vl.Audit, other: vl.Audit) -> None:
    assert [finding.title for finding in one.findings] == [finding.title for finding in other.findings]
    for mine, theirs in zip(one.findings, other.findings, strict=True):
        assert (mine.bound, mine.claim, mine.adversary) == (theirs.bound, theirs.claim, theirs.adversary)
        assert mine.belief.baseline == pytest.approx(theirs.belief.baseline, rel=1e-12), mine.title
        assert dict(mine.belief.details) == pytest.approx(dict(theirs.belief.details), rel=1e-12), mine.title
        np.testing.assert_allclose(mine.belief.rows, theirs.belief.rows, rtol=1e-12, err_msg=mine.title)
        assert mine.belief.mean == pytest.approx(theirs.belief.mean, rel=1e-12)


def same_losses(one: vl.Losses, other: vl.Losses) -> None:
    for mine, theirs in zip(one.items, other.items, strict=True):
        assert (mine.measure, mine.note) == (theirs.measure, theirs.note)
        assert mine.value == pytest.approx(theirs.value, rel=1e-12), mine.measure
        assert dict(mine.parts) == pytest.approx(dict(theirs.parts), rel=1e-12), mine.measure


def cut(release: Release, number: int, seed: int = 0) -> Release:
    """The release in parts that know nothing of groups: every row of every table is in a random one."""
    rng = np.random.default_rng(seed)
    parts: list[dict[str, pl.DataFrame]] = [{} for _ in range(number)]
    for name, rows in release.tables.items():
        home = rng.integers(0, number, rows.height)
        for one in range(number):
            parts[one][name] = rows.filter(pl.Series(home == one))
    return replace(
        release,
        tables=PartitionedTables(
            PartsInMemory(parts, []), {name: rows.clear() for name, rows in release.tables.items()}
        ),
    )


def test_what_is_looked_at_piece_by_piece() -> None:
    assert {attack.name for attack in BY_GROUP} == {"elimination", "homogeneity", "linking", "prior", "skewness"}
    assert {one.name for one in COUNTING} == {
        "certainty",
        "class-size",
        "discernibility",
        "distortion",
        "marginals",
        "query-error",
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("nothing_brought")
def test_the_audit_is_the_same(releases: Any, spread: Any, here: Any, name: str) -> None:
    apart, whole = releases[name]
    assert isinstance(apart.tables, PartitionedTables)
    same_audit(vl.audit(apart, spread, BY_GROUP), vl.audit(whole, here, BY_GROUP))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("nothing_brought")
def test_the_audit_with_a_register_is_the_same(releases: Any, here: Any, tmp_path: Path, name: str) -> None:
    """Twice the people and some more: some fit several boxes, some none, and the baseline is a mean over all."""
    apart, whole = releases[name]
    crowd = pl.concat([people(), people(), people(500, seed=9)])
    crowd.write_parquet(tmp_path / "crowd.parquet")
    register = vl.Schema(quasi=SCHEMA.quasi)
    outside, inside = vl.read(tmp_path / "crowd.parquet", register, engine=vl.Disk()), vl.read(crowd, register)
    known: list[PiecewiseAttack] = [vl.attacks.Linking(), vl.attacks.Prior(prior=vl.learn_prior(here, max_columns=1))]
    same_audit(vl.audit(apart, None, known, external=outside), vl.audit(whole, None, known, external=inside))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("nothing_brought")
def test_the_losses_are_the_same(releases: Any, spread: Any, here: Any, name: str) -> None:
    apart, whole = releases[name]
    some = [*COUNTING, vl.measures.QueryError(queries=90, dimensions=2, selectivity=0.002, contiguous=True, seed=3)]
    mine = vl.measure(spread, apart, some)
    same_losses(mine, vl.measure(here, whole, some))
    same_losses(mine, vl.measure(here, apart, some))  # the table in memory, the release in parts


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("nothing_brought")
def test_groups_that_lie_in_several_parts(releases: Any, here: Any, name: str) -> None:
    apart, whole = cut(releases[name][1], 4), releases[name][1]
    assert len(split_into_pieces(apart).whole) == 2, "some groups are shared"
    assert vl.verify(apart, prior=priors(name)).holds
    same_audit(vl.audit(apart, here, BY_GROUP), vl.audit(whole, here, BY_GROUP))
    same_losses(vl.measure(here, apart, COUNTING), vl.measure(here, whole, COUNTING))
    assert (apart.people, apart.groups) == (whole.people, whole.groups)


@settings(max_examples=15)
@given(st.integers(0, 2**32), st.integers(1, 9), st.booleans())
def test_however_it_is_cut(seed: int, parts: int, linked: bool) -> None:
    """Small tables with another sensitive column, of numbers whose list no dictionary holds; parts may be empty."""
    visits = np.random.default_rng(seed).integers(0, 7, 60)
    frame = people(60, seed).with_columns(visits=pl.Series(visits))
    schema = vl.Schema(quasi=["age", "sex"], sensitive=["visits"] if linked else ["disease", "visits"])
    data = vl.read(frame, schema)
    policy = vl.LDiversity(l=2, column="visits")
    whole = vl.publish(data, policy, vl.Anatomy() if linked else vl.Mondrian(), key=KEY)
    apart = cut(whole, parts, seed)
    mine, theirs = vl.verify(apart), vl.verify(whole)
    assert [check.answer for check in mine.checks] == [check.answer for check in theirs.checks]
    for known in (None, data):
        attacks = [one for one in BY_GROUP if one.can_divide(apart, known)]
        same_audit(vl.audit(apart, data, attacks, external=known), vl.audit(whole, data, attacks, external=known))
    same_losses(vl.measure(data, apart, COUNTING), vl.measure(data, whole, COUNTING))


def test_published_parts_that_share_groups(releases: Any) -> None:
    """A hierarchy with few labels: boxes of different parts look alike."""
    apart, whole = releases["hierarchy"]
    assert len(split_into_pieces(apart).whole) == 2
    told = apart.tables.parts.map("count", count_part, apart.group_columns).summaries
    assert whole.groups < sum(len(groups) for _, groups in told)


@pytest.mark.usefixtures("nothing_brought")
@pytest.mark.parametrize("name", NAMES)
def test_counting_brings_nothing_into_memory(releases: Any, name: str) -> None:
    apart, whole = releases[name]
    fresh = replace(apart, tables=PartitionedTables(apart.tables.parts, apart.tables.empty))
    assert f"({len(fresh.tables.parts)} parts; " in repr(fresh)
    assert not fresh.tables.findings, "showing it counts nothing"
    assert (fresh.people, fresh.groups) == (whole.people, whole.groups)
    assert repr(fresh) == repr(whole)
    assert repr(apart) == repr(whole), "verify has counted it"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("nothing_brought")
def test_a_folder_in_parts(releases: Any, spread: Any, here: Any, tmp_path: Path, name: str) -> None:
    apart, whole = releases[name]
    loaded = vl.load(apart.save(tmp_path / "out"), engine=vl.Disk())
    assert isinstance(loaded.tables, PartitionedTables)
    assert vl.verify(tmp_path / "out", prior=priors(name), engine=vl.Disk()).holds
    same_audit(vl.audit(loaded, spread, BY_GROUP), vl.audit(whole, here, BY_GROUP))
    same_losses(vl.measure(spread, loaded, COUNTING), vl.measure(here, whole, COUNTING))


@pytest.mark.parametrize("name", ["k-anonymity", "l-diversity", "t-closeness", "anatomy"])
@pytest.mark.parametrize("parts", [1, 5])
@pytest.mark.usefixtures("nothing_brought")
def test_a_broken_release_is_found_broken(releases: Any, name: str, parts: int) -> None:
    """Somebody is alone in a box, or has a value that nobody else in all the groups has, or lacks a value."""
    whole = releases[name][1]
    if whole.shape == "bucketized":
        tables = {**whole.tables, "sensitive": whole.tables["sensitive"].slice(1)}
        words = "different numbers of people"
    else:
        whole = whole.without_ends()
        table = whole.tables["table"].with_columns(pl.col("age", "school").cast(pl.String))
        tables = {"table": pl.concat([table[1:], table[:1].with_columns(age=pl.lit("18"), school=pl.lit("[1, 16]"))])}
        words = "groups"
    broken = cut(replace(whole, tables=tables), parts)
    verdict = vl.verify(broken)
    assert verdict.broken
    assert words in str(verdict)
    assert vl.verify(replace(whole, tables=tables)).broken


def test_tables_without_a_column_are_broken(releases: Any) -> None:
    for name, table in (("k-anonymity", "table"), ("anatomy", "sensitive")):
        whole = releases[name][1]
        for column in ("age" if table == "table" else "group", "disease"):
            lacking = cut(replace(whole, tables={**whole.tables, table: whole.tables[table].drop(column)}), 3)
            verdict = vl.verify(lacking)
            assert verdict.broken
            assert f"{column!r} of {table!r} is missing" in str(verdict)


def test_another_dictionary_is_read_anew(releases: Any) -> None:
    """What was found out about the tables under one dictionary says nothing of them under another."""
    apart = releases["k-anonymity"][0]
    assert vl.verify(apart).holds
    told = [{**entry, "name": "agE"} if entry["name"] == "age" else entry for entry in apart.dictionary["columns"]]
    assert vl.verify(replace(apart, dictionary={**apart.dictionary, "columns": told})).broken


def test_missing_values_that_only_some_parts_have(tmp_path: Path) -> None:
    """The totals of the whole count people without a value as such, also in pieces where everybody has one."""
    old = pl.col("age") > 55
    frame = people().with_columns(
        pl.when(old & (pl.col("school") % 3 == 0)).then(None).otherwise("disease").alias("disease")
    )
    frame.write_parquet(tmp_path / "people.parquet")
    schema = replace(SCHEMA, missing="value")
    spread, here = vl.read(tmp_path / "people.parquet", schema, engine=vl.Disk()), vl.read(frame, schema)
    apart, whole = (vl.publish(data, vl.TCloseness(t=0.5), vl.Mondrian(), key=KEY) for data in (spread, here))
    lacking = split_into_pieces(apart).mapper("look")(_has_missing)
    assert True in lacking
    assert False in lacking
    same_audit(vl.audit(apart, spread, BY_GROUP), vl.audit(whole, here, BY_GROUP))
    same_losses(vl.measure(spread, apart, COUNTING), vl.measure(here, whole, COUNTING))


def _has_missing(piece: Release) -> bool:
    counts = piece.tallies["disease"]
    assert counts.column is not None
    assert len(counts.totals) == counts.column.size == 9
    return bool((counts.values == 8).any())


def test_a_register_that_does_not_fit_in_memory(releases: Any, spread: Any) -> None:
    narrow = spread.with_rows(replace(spread.rows, row_limit=10))
    with pytest.raises(EngineError, match="memory that was allowed"):
        vl.audit(releases["k-anonymity"][0], None, [vl.attacks.Linking()], external=narrow)
    counting = [measure for measure in COUNTING if measure.name != "marginals"]  # it needs the distinct rows
    found = vl.measure(narrow, releases["k-anonymity"][0], counting)  # needs no more than counts
    assert len(found.items) == len(counting)


def test_statistics_of_the_release_itself_need_all_of_it(releases: Any) -> None:
    """Without statistics the attack learns them from linked tables, and so from all groups at once."""
    apart, whole = releases["anatomy"]
    assert not vl.attacks.Prior().can_divide(apart, None)
    same_audit(vl.audit(apart, attacks=[vl.attacks.Prior()]), vl.audit(whole, attacks=[vl.attacks.Prior()]))
    boxes, there = releases["l-diversity"]
    assert vl.attacks.Prior().can_divide(boxes, None)
    same_audit(vl.audit(boxes, attacks=[vl.attacks.Prior()]), vl.audit(there, attacks=[vl.attacks.Prior()]))


def test_statistics_from_a_file(releases: Any, here: Any, tmp_path: Path) -> None:
    path = str(vl.learn_prior(here, max_columns=2).save(tmp_path / "prior.csv"))
    apart, whole = releases["art"]
    same_audit(
        vl.audit(apart, attacks=[vl.attacks.Prior(prior=path)]), vl.audit(whole, attacks=[vl.attacks.Prior(prior=path)])
    )


@pytest.mark.parametrize("name", ["l-diversity", "art"])
def test_everything_travels(releases: Any, spread: Any, here: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sent to a piece, and what comes back, can be sent to another machine."""
    whole = releases[name][1]
    apart, sent = cut(whole, 3), []
    usual = PartsInMemory.map

    def by_post(self: PartsInMemory, what: str, work: Any, *more: Any) -> PartsInMemory:
        posted = pickle.dumps((work, more))
        sent.append(len(posted))
        work, more = pickle.loads(posted)
        made = usual(self, what, work, *more)
        return PartsInMemory(made.contents, pickle.loads(pickle.dumps(made.summaries)))

    monkeypatch.setattr(PartsInMemory, "map", by_post)
    assert vl.verify(apart, prior=priors(name)).holds
    same_audit(vl.audit(apart, here, BY_GROUP), vl.audit(whole, here, BY_GROUP))
    same_losses(vl.measure(here, apart, COUNTING), vl.measure(here, whole, COUNTING))
    assert len(sent) > len(BY_GROUP) + len(COUNTING)
