"""The publisher's private file: what it answers, where it may lie, and what is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import voile as vl
from voile.adversaries.private_file import PrivateFile
from voile.errors import DataError, SpecError
from voile.results import Answer

ROBUST = vl.RRobustness(r=2, protect=("HIV infection",), min_support=20)


@pytest.fixture(scope="module")
def data() -> Any:
    return vl.read(vl.datasets.hospital(), vl.Schema(quasi=["sex", "zip"], sensitive=["disease"]))


def answers(folder: Path, **evidence: Any) -> Answer:
    return vl.verify(folder, **evidence).checks[-1].answer


def test_it_answers_what_a_stranger_must_leave_open(data: Any, tmp_path: Path) -> None:
    path, key = tmp_path / "private.json", vl.Key(bytes(range(32)))
    release = vl.publish(data, ROBUST, key=key, private=path)
    folder = release.save(tmp_path / "out")
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert sorted(item.name for item in tmp_path.iterdir()) == ["out", "private.json"]
    assert answers(folder) is Answer.NEEDS
    assert answers(folder, private=path) is Answer.HOLDS
    assert vl.verify(release, private=path).holds
    assert answers(folder, data=data, key=key) is Answer.HOLDS, "the table and the key give the same statistics"
    assert answers(folder, data=data, key=vl.Key.fresh()) is Answer.NEEDS
    assert repr(PrivateFile.read(path)) == "PrivateFile(1 priors)"
    assert key.secret.hex() not in "".join(item.read_bytes().decode("latin-1") for item in folder.iterdir())


def test_it_has_the_key_of_a_release_that_rests_on_draws(data: Any, tmp_path: Path) -> None:
    path = tmp_path / "private.json"
    release = vl.publish(data, vl.MConfidentiality(m=2, protect=("HIV infection",)), private=path)
    assert not vl.verify(release, private=path).holds, "it needs the table, too"
    assert vl.verify(release, private=path, data=data).holds


def test_the_file_of_another_release_is_refused(data: Any, tmp_path: Path) -> None:
    releases = [vl.publish(data, ROBUST, private=tmp_path / f"{number}.json") for number in range(2)]
    with pytest.raises(DataError, match="belongs to another release"):
        vl.verify(releases[0], private=tmp_path / "1.json")


def test_it_replaces_nothing_and_lies_in_no_release_folder(data: Any, tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("mine")
    (tmp_path / "link.json").symlink_to(tmp_path / "nowhere.json")
    for name in ("old.json", "link.json"):
        with pytest.raises(SpecError, match="already something"):
            vl.publish(data, ROBUST, private=tmp_path / name)
    assert (tmp_path / "old.json").read_text() == "mine"
    folder = vl.publish(data, vl.KAnonymity(k=5)).save(tmp_path / "out")
    with pytest.raises(SpecError, match="goes to recipients"):
        vl.publish(data, ROBUST, private=folder / "private.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be written"):
        vl.publish(data, ROBUST, private=tmp_path / "file" / "private.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda body: "no JSON", "not JSON"),
        (lambda body: [body], "does not say"),
        (lambda body: {**body, "kind": "voile ledger"}, "does not say"),
        (lambda body: {**body, "format": 2}, "does not know"),
        (lambda body: {**body, "format": "1"}, "does not know"),
        (lambda body: {**body, "format": 0}, "lacks entries"),
        (lambda body: {**body, "seed": 1}, "unknown ones"),
        (lambda body: {**body, "key": "CANARY"}, "wrong type"),
        (lambda body: {**body, "key": "CA" * 32}, "wrong type"),
        (lambda body: {**body, "priors": {}}, "wrong type"),
        (lambda body: {**body, "priors": [{"column": "disease", "rows": [["sex", "f", "flu", "CANARY"]]}]}, "read"),
        (lambda body: {**body, "priors": [{"column": "disease", "rows": []}]}, "not a prior"),
        (lambda body: {**body, "priors": [{"column": "disease"}]}, "cannot be read"),
    ],
)
def test_a_file_that_is_something_else_is_refused(change: Any, message: str, tmp_path: Path) -> None:
    prior = vl.learn_prior(vl.read(vl.datasets.hospital(), vl.Schema(quasi=["sex"], sensitive=["disease"])))
    path = PrivateFile("sha256:00", vl.Key(bytes(32)), (prior,)).save(tmp_path / "private.json")
    assert PrivateFile.read(path).priors[0].digest == prior.digest
    changed = change(json.loads(path.read_text()))
    path.write_text(changed if isinstance(changed, str) else json.dumps(changed))
    with pytest.raises(DataError, match=message) as caught:
        PrivateFile.read(path)
    assert "CANARY" not in str(caught.value)
    with pytest.raises(DataError, match="cannot be read"):
        PrivateFile.read(tmp_path / "missing.json")
