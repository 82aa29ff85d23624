"""Publishing after earlier releases: what breaks the promise jointly is refused, and anyone can recompute it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import BrokenPromise, DataError, PolicyError
from voile.results import Answer

SCHEMA = vl.Schema(person="who", quasi=["age", "city"], sensitive=["disease"])


def people(seed: int = 0, rows: int = 60) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "who": [f"p{i}" for i in range(rows)],
            "age": rng.integers(20, 60, rows),
            "city": rng.choice(["a", "b"], rows),
            "disease": rng.permutation(np.resize(["v", "w", "x", "y", "z"], rows)),
        }
    )


@pytest.fixture
def data() -> Any:
    return vl.read(people(), SCHEMA)


@pytest.fixture
def ledger() -> vl.Ledger:
    return vl.Ledger()


@pytest.fixture
def first(data: Any, ledger: vl.Ledger) -> Any:
    return vl.publish(data, vl.LDiversity(l=3), ledger=ledger)


def last(verdict: Any) -> Any:
    return verdict.checks[-1]


def test_the_same_release_again_tells_nothing_new(data: Any, first: Any, ledger: vl.Ledger, tmp_path: Path) -> None:
    second = vl.publish(data, vl.LDiversity(l=3), after=[first], ledger=ledger)
    assert [claim["model"] for claim in second.certificate.claims] == ["l-diversity", "sequential"]
    assert second.certificate.claims[1]["parameters"]["earlier"] == [first.digest]
    assert last(vl.verify(second, after=[first], ledger=ledger)).answer is Answer.HOLDS
    assert last(vl.verify(second, after=[first])).answer is Answer.NEEDS  # others may sit in the same boxes
    assert last(vl.verify(second)).answer is Answer.NEEDS  # without the earlier one nobody can tell
    for format in ("parquet", "csv"):
        old, new = (
            first.save(tmp_path / f"1{format}", format=format),
            second.save(tmp_path / f"2{format}", format=format),
        )
        assert last(vl.verify(new, after=[old], ledger=ledger)).answer is Answer.HOLDS
        assert vl.load(old).digest == first.digest


def test_what_is_broken_jointly_is_refused(first: Any, ledger: vl.Ledger) -> None:
    """Two groupings of one table, each diverse: together they leave some people one value."""
    other = vl.read(people().with_columns(pl.col("age") % 7 * 6 + 20), SCHEMA)
    assert vl.verify(vl.publish(other, vl.LDiversity(l=3))).holds
    with pytest.raises(BrokenPromise, match="Together with the earlier release, this one breaks its promise") as error:
        vl.publish(other, vl.LDiversity(l=3), after=[first], ledger=ledger)
    assert error.value.code == "broken.jointly"
    assert "sequential" in error.value.message


def test_every_release_counts(data: Any, first: Any, ledger: vl.Ledger) -> None:
    second = vl.publish(data, vl.LDiversity(l=3), after=[first], ledger=ledger)
    policy = vl.Policy(vl.KAnonymity(k=3), vl.LDiversity(l=3))
    third = vl.publish(data, policy, after=[first, second], ledger=ledger)
    assert last(vl.verify(third, after=[first, second], ledger=ledger)).answer is Answer.HOLDS
    assert len(third.certificate.claims[-1]["parameters"]["earlier"]) == 2
    assert last(vl.verify(third)).answer is Answer.NEEDS


def test_a_folder_with_another_schema(data: Any, tmp_path: Path) -> None:
    schema = vl.Schema(person="who", quasi=["age"], sensitive=["disease"])
    place = vl.publish(vl.read(people(), schema), vl.LDiversity(l=3)).save(tmp_path / "old")
    with pytest.raises(DataError, match="another schema: it differs in 'city'") as error:
        vl.publish(data, vl.LDiversity(l=3), after=[place])
    assert error.value.code == "data.after-schema"


def test_a_folder_with_a_broken_certificate(data: Any, first: Any, tmp_path: Path) -> None:
    place = first.save(tmp_path / "old")
    certificate = json.loads((place / "certificate.json").read_text())
    certificate["claims"][0]["parameters"]["l"] = 4
    certificate["claims"][0]["bound"] = "1/4"
    (place / "certificate.json").write_text(json.dumps(certificate))
    with pytest.raises(BrokenPromise, match="Earlier release 1 does not keep what it claims") as error:
        vl.publish(data, vl.LDiversity(l=3), after=[place])
    assert error.value.code == "broken.after"
    with pytest.raises(DataError, match="holds no certificate"):
        vl.publish(data, vl.LDiversity(l=3), after=[tmp_path / "nothing"])


def test_sequential_may_be_asked_for_by_name(data: Any, first: Any, ledger: vl.Ledger) -> None:
    release = vl.publish(data, vl.Sequential(vl.LDiversity(l=3)), after=[first], ledger=ledger)
    assert [claim["model"] for claim in release.certificate.claims] == ["sequential"]
    assert vl.verify(release, after=[first], ledger=ledger).holds
    alone = vl.publish(data, vl.Sequential(vl.LDiversity(l=3)))
    assert vl.verify(alone).holds
    with pytest.raises(PolicyError, match="it does not count values"):
        vl.Sequential(vl.KAnonymity(k=2))


def test_the_digest_is_of_what_is_shown(first: Any, data: Any) -> None:
    again = vl.publish(data, vl.LDiversity(l=3))
    coarser = vl.publish(data, vl.Policy(vl.LDiversity(l=3), vl.KAnonymity(k=30)))
    assert again.digest == first.digest
    assert coarser.digest != first.digest


def test_a_ledger_needs_people_who_can_be_told_apart() -> None:
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
    with pytest.raises(DataError) as caught:
        vl.publish(data, vl.KAnonymity(k=5), ledger=vl.Ledger())
    assert caught.value.code == "data.person"
