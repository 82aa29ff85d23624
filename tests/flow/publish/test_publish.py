"""Publishing: the key decides the coins, the policy the rest, and the default method serves the model."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import BrokenPromise, PolicyError, SpecError, Unsatisfiable
from voile.results import Answer, Checked, Verdict

SCHEMA = vl.Schema(identifier=["name"], quasi=["birth", "sex", "zip"], sensitive=["disease"])
METHODS = [vl.Mondrian(), vl.FullDomain(), vl.Anatomy()]


@pytest.fixture(scope="module")
def data() -> Any:
    return vl.read(vl.datasets.hospital(), SCHEMA)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_the_same_key_gives_the_same_release(data: Any, method: Any) -> None:
    key = vl.Key(bytes(range(32)))
    one, two = (vl.publish(data, vl.LDiversity(l=3), method, key=key) for _ in range(2))
    assert one.tables.keys() == two.tables.keys()
    assert all(one.tables[name].equals(two.tables[name]) for name in one.tables)
    assert one.dictionary == two.dictionary
    assert one.certificate == two.certificate


def test_another_key_deals_otherwise(data: Any) -> None:
    one, two = (vl.publish(data, vl.LDiversity(l=3), vl.Anatomy(), key=vl.Key(bytes([n]) * 32)) for n in (1, 2))
    assert not one.tables["quasi"].equals(two.tables["quasi"])
    fresh = [vl.publish(data, vl.LDiversity(l=3), vl.Anatomy()).tables["quasi"] for _ in range(2)]
    assert not fresh[0].equals(fresh[1])


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_no_key_in_the_release(data: Any, method: Any) -> None:
    key = vl.Key(b"\xab" * 32)
    release = vl.publish(data, vl.LDiversity(l=3), method, key=key)
    shown = f"{release!r}{release.certificate!r}{release.certificate.as_json()}{release.dictionary}"
    assert key.secret.hex() not in shown
    assert "\\xab" not in shown


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_everybody_is_published_once(data: Any, method: Any) -> None:
    release = vl.publish(data, vl.LDiversity(l=3), method)
    assert release.people == data.rows.total == int(release.sizes.sum())
    published = release.tables["table"]["disease"] if "table" in release.tables else None
    wanted = vl.datasets.hospital()["disease"].sort().to_list()
    if published is not None:
        assert published.sort().to_list() == wanted
    else:
        table = release.tables["sensitive"]
        assert table["disease"].repeat_by(table["count"]).explode().sort().to_list() == wanted


def test_a_single_model_is_a_policy(data: Any) -> None:
    key = vl.Key(bytes(32))
    one = vl.publish(data, vl.KAnonymity(k=4), key=key)
    two = vl.publish(data, vl.Policy(vl.KAnonymity(k=4)), key=key)
    assert one.tables["table"].equals(two.tables["table"])
    assert one.certificate.method["name"] == "mondrian"


def test_requests_that_cannot_be_served(data: Any) -> None:
    with pytest.raises(PolicyError, match="for which k-anonymity has no meaning"):
        vl.publish(data, vl.KAnonymity(k=2), vl.Anatomy())
    with pytest.raises(Unsatisfiable) as error:
        vl.publish(data, vl.KAnonymity(k=401))
    assert "largest possible k is 400" in error.value.best
    with pytest.raises(Unsatisfiable, match="the largest possible l is"):
        vl.publish(data, vl.LDiversity(l=12))
    with pytest.raises(Unsatisfiable):
        vl.publish(data, vl.LDiversity(l=12), vl.Anatomy())
    with pytest.raises(PolicyError, match="needs a sensitive column"):
        vl.publish(vl.read(vl.datasets.hospital(), vl.Schema(quasi=["sex"])), vl.LDiversity(l=2))


def test_the_publisher_is_not_trusted(data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = Verdict((Checked("claim", Answer.BROKEN, "2 of 9 groups do not satisfy it."),))
    monkeypatch.setattr("voile.flow.publish.publish.check_release", lambda release, evidence: verdict)
    with pytest.raises(BrokenPromise, match="2 of 9 groups"):
        vl.publish(data, vl.KAnonymity(k=2))


def test_columns_that_share_a_name_with_ours() -> None:
    """`group` and `count` are columns of a bucketized release: a table that has them must be refused or survive."""
    frame = vl.datasets.hospital().rename({"sex": "group", "disease": "count"})
    data = vl.read(frame, vl.Schema(quasi=["group", "zip"], sensitive=["count"]))
    assert vl.publish(data, vl.LDiversity(l=2)).people == 400
    with pytest.raises(SpecError, match="group"):
        vl.publish(data, vl.LDiversity(l=2), vl.Anatomy())


def test_one_row_and_one_value() -> None:
    frame = pl.DataFrame({"q": ["a", "a"], "s": ["x", "y"]})
    data = vl.read(frame, vl.Schema(quasi=["q"], sensitive=["s"]))
    for method in METHODS:
        assert vl.publish(data, vl.LDiversity(l=2), method).groups == 1
