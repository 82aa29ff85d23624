"""Every method publishes the same rows for the same key and table, wherever the rows lie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cluster
import pytest
from published import EXAMPLES, KEY, digests, people, schema

import voile as vl
from voile.engines import base
from voile.plugins.registry import registered_classes
from voile.tables import partition_tree

NO_SPARK = cluster.absent()


def test_every_method_has_an_example() -> None:
    assert {name.split(",")[0] for name in EXAMPLES} == set(registered_classes("methods"))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts and chunks so small that a small table has several."""
    monkeypatch.setattr(partition_tree, "LARGEST_PART", 1_100)
    monkeypatch.setattr(base, "CHUNK_ROWS", 1_200)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("engines") / "people.parquet"
    people().write_parquet(path)
    return path


@pytest.fixture(scope="module", params=["disk", "local[2]", "standalone", "connect"])
def engine(request: Any) -> Any:
    if request.param == "disk":
        yield vl.Disk()
        return
    if NO_SPARK:
        pytest.skip(NO_SPARK)
    if request.param == "local[2]":
        session = cluster.session("local[2]")
        yield vl.Spark(session=session)
        session.stop()
        return
    if request.param == "connect":
        pytest.importorskip("grpc")
        with cluster.connect_server() as url:
            connected = vl.Spark(master=url)
            yield connected
            connected.spark.stop()
        return
    with cluster.cluster() as standalone:
        session = cluster.session(standalone.url)
        yield vl.Spark(session=session)
        session.stop()


@pytest.fixture(scope="module")
def data(engine: Any, table: Path) -> Any:
    return vl.read(table, schema(), engine=engine)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_same_release(name: str, engine: Any, data: Any, tmp_path: Path) -> None:
    policy, method = EXAMPLES[name]
    here = vl.publish(vl.read(people(), schema()), policy, method, key=KEY)
    there = vl.publish(data, policy, method, key=KEY)
    assert digests(there) == digests(here)
    assert there.dictionary == here.dictionary
    assert there.certificate == here.certificate
    there.save(tmp_path / "out")
    priors = policy.priors()
    stranger, same = vl.verify(tmp_path / "out", prior=priors), vl.verify(tmp_path / "out", prior=priors, engine=engine)
    assert not stranger.broken
    assert [(check.what, check.answer) for check in same.checks] == [(c.what, c.answer) for c in stranger.checks]
    assert (same.people, same.groups) == (stranger.people, stranger.groups) == (here.people, here.groups)
    assert digests(vl.load(tmp_path / "out")) == digests(here)


@pytest.mark.parametrize("missing", ["drop", "value"])
def test_missing_cells(missing: str, engine: Any, tmp_path: Path) -> None:
    frame = (
        people()
        .with_row_index()
        .with_columns(age=people()["age"].set(people().with_row_index()["index"] % 97 == 0, None))
    )
    frame.write_parquet(tmp_path / "people.parquet")
    wanted = schema(missing=missing)
    data = vl.read(tmp_path / "people.parquet", wanted, engine=engine)
    assert data.dropped == (21 if missing == "drop" else 0)
    here = vl.publish(vl.read(frame, wanted), vl.KAnonymity(k=5), key=KEY)
    there = vl.publish(data, vl.KAnonymity(k=5), key=KEY)
    assert digests(there) == digests(here)


def test_what_is_wrong_is_said_as_it_is_said_in_memory(engine: Any, data: Any, table: Path, tmp_path: Path) -> None:
    people().with_columns(age=None).write_parquet(tmp_path / "people.parquet")
    with pytest.raises(vl.errors.DataError, match="2000 in 'age'"):
        vl.read(tmp_path / "people.parquet", schema(), engine=engine)
    with pytest.raises(vl.errors.SchemaError, match="wage"):
        vl.read(table, vl.Schema(quasi=["wage"]), engine=engine)
    with pytest.raises(vl.errors.Unsatisfiable):
        vl.publish(data, vl.LDiversity(l=49), vl.Anatomy())
    people().with_row_index("id").write_parquet(tmp_path / "people.parquet")
    named = vl.read(tmp_path / "people.parquet", schema(person="id"), engine=engine)
    here = vl.publish(
        vl.read(tmp_path / "people.parquet", schema(person="id")), vl.MInvariance(m=2), key=KEY, ledger=vl.Ledger()
    )
    assert digests(vl.publish(named, vl.MInvariance(m=2), key=KEY, ledger=vl.Ledger())) == digests(here)


@pytest.mark.skipif(NO_SPARK is not None, reason=NO_SPARK or "")
def test_a_spark_table_stays_where_it_is(table: Path) -> None:
    session = cluster.session("local[2]")
    data = vl.read(session.read.parquet(str(table)), schema())
    here = vl.publish(vl.read(people(), schema()), vl.KAnonymity(k=5), key=KEY)
    assert digests(vl.publish(data, vl.KAnonymity(k=5), key=KEY)) == digests(here)
    session.stop()


SETS = [["age", "gender"], ["gender", "education", "marital-status"]]
K5 = vl.Policy(vl.KAnonymity(k=5))
WISHES: dict[str, tuple[dict[str, Any], vl.Policy, vl.Method]] = {
    "weights and ranks": ({"steering": {"age": vl.Steer(weight=3, by_rank=True)}}, K5, vl.Mondrian(suppression=0.05)),
    "coded values": ({"steering": {"age": vl.Steer(bottom=20, top=80, round=5)}}, K5, vl.Cluster(suppression=0.05)),
    "never coarsened": ({"steering": {"gender": vl.Steer(coarsest=0)}}, K5, vl.Mondrian(suppression=0.02)),
    "withheld, values": ({}, vl.Policy(vl.LDiversity(l=2)), vl.Mondrian(suppression=0.05)),
    "sets": ({"quasi_sets": SETS}, K5, vl.Mondrian()),
    "sets, levels": ({"quasi_sets": SETS}, K5, vl.FullDomain(suppression=0)),
    "blanks": ({}, K5, vl.FullDomain(suppression=0.05, blanks=True)),
}


@pytest.mark.parametrize("engine", ["disk", "local[2]"], indirect=True)
@pytest.mark.parametrize("name", WISHES)
def test_wishes_are_followed_wherever_the_rows_lie(name: str, engine: Any, table: Path, tmp_path: Path) -> None:
    more, policy, method = WISHES[name]
    memory, elsewhere = vl.read(people(), schema(**more)), vl.read(table, schema(**more), engine=engine)
    here, there = (vl.publish(data, policy, method, key=KEY) for data in (memory, elsewhere))
    assert digests(there) == digests(here)
    assert there.dictionary == here.dictionary
    assert there.certificate == here.certificate
    here.save(tmp_path / "here")
    there.save(tmp_path / "there")
    assert digests(vl.load(tmp_path / "there")) == digests(vl.load(tmp_path / "here"))  # with the ends of ranges
    assert not vl.verify(tmp_path / "there", engine=engine).broken
    losses = [
        vl.measure(data, release, [vl.measures.Marginals()]) for data, release in ((memory, here), (elsewhere, there))
    ]
    assert losses[0].items[0].value == pytest.approx(losses[1].items[0].value, abs=1e-12)
