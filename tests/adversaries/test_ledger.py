"""The file of a ledger: saved with its release, resolved after a crash, and refused where it must not lie."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.adversaries.seating import Seating, SeatValues, pack_array
from voile.errors import DataError, SpecError
from voile.releases.release import Release

ANN, BOB, CID = np.array([11, 22, 33], dtype=np.uint64)


def seat(ledger: vl.Ledger, hashes: list[Any], groups: list[int], values: list[int]) -> Seating:
    """Seat people, given by their hashes, in groups; -1 is no seat."""
    people = ledger.make_pseudonyms(np.array(hashes, dtype=np.uint64))
    codes = SeatValues(("flu", "HIV", "gout"), np.array(values))
    present = np.ones(len(hashes), dtype=bool)
    return Seating(people, np.array(groups), np.zeros(len(hashes), dtype=int), present, {"disease": codes})


def publish(seed: int) -> Release:
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({"age": rng.integers(18, 90, 40), "disease": rng.choice(["flu", "HIV", "gout"], 40)})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"]))
    return vl.publish(data, vl.LDiversity(l=2), key=vl.Key(bytes(32)))


FIRST, SECOND = publish(0), publish(1)


def open_recorded(path: Path, release: Release) -> vl.Ledger:
    ledger = vl.Ledger.open(path)
    ledger.record(release.digest, seat(ledger, [ANN, BOB], [0, 1], [0, 2]))
    return ledger


def last_groups(ledger: vl.Ledger, *hashes: Any) -> list[tuple[int, int]]:
    position = ledger.find_people(ledger.make_pseudonyms(np.array(hashes, dtype=np.uint64)))
    release, group = ledger.last_seats()
    return [(int(release[p]), int(group[p])) if p >= 0 else (-1, -1) for p in position]


def test_a_ledger_is_saved_with_its_release_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "private" / "ledger"
    ledger = open_recorded(path, FIRST)
    FIRST.save(tmp_path / "one", ledger=ledger)
    assert vl.Ledger.read(path).releases == [FIRST.digest]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["ledger"]
    assert json.loads(path.read_text())["format"] == 3
    ledger.record(SECOND.digest, seat(ledger, [CID, ANN], [4, -1], [1, -1]))
    SECOND.save(tmp_path / "two", ledger=ledger)
    assert vl.Ledger.read(path).releases == [FIRST.digest, SECOND.digest]
    kept = vl.Ledger.read(path)
    assert last_groups(kept, ANN, BOB, CID, 44) == [(0, 0), (0, 1), (1, 4), (-1, -1)]
    assert sorted(kept.seating(1).group.tolist()) == [-1, -1, 4]
    assert sorted(map(str, kept.seating(0).values["disease"].texts())) == ["None", "flu", "gout"]


def test_a_ledger_that_another_process_changed_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    mine, theirs = open_recorded(path, FIRST), open_recorded(path, SECOND)
    SECOND.save(tmp_path / "theirs", ledger=theirs)
    with pytest.raises(DataError, match="changed by another process") as error:
        FIRST.save(tmp_path / "mine", ledger=mine)
    assert error.value.code == "data.ledger"
    assert vl.Ledger.read(path).releases == [SECOND.digest]
    assert not (tmp_path / "mine").exists()


def test_a_ledger_without_a_file_cannot_be_saved_with_a_release(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="has no file"):
        FIRST.save(tmp_path / "one", ledger=vl.Ledger())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["one/ledger", "one/sub/ledger", "earlier/ledger"])
def test_a_ledger_never_lies_in_a_release_folder(tmp_path: Path, place: str) -> None:
    SECOND.save(tmp_path / "earlier")
    with pytest.raises(SpecError, match="goes to recipients"):
        FIRST.save(tmp_path / "one", ledger=open_recorded(tmp_path / place, FIRST))
    assert not (tmp_path / "one").exists()
    assert not (tmp_path / "earlier" / "ledger").exists()


def test_a_ledger_at_a_link_is_refused(tmp_path: Path) -> None:
    real = vl.Ledger().save(tmp_path / "real")
    before = real.read_bytes()
    (tmp_path / "link").symlink_to(real)
    with pytest.raises(SpecError, match="is a link"):
        FIRST.save(tmp_path / "one", ledger=open_recorded(tmp_path / "link", FIRST))
    assert real.read_bytes() == before
    assert not (tmp_path / "one").exists()


def test_a_release_that_cannot_be_moved_leaves_the_ledger_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("voile.io.release_folder.folder_writing.move_into_place", fail)
    for path in (tmp_path / "new", vl.Ledger().save(tmp_path / "old")):
        before = path.read_bytes() if path.exists() else None
        with pytest.raises(DataError, match="nothing was changed"):
            FIRST.save(tmp_path / "one", ledger=open_recorded(path, FIRST))
        assert (path.read_bytes() if path.exists() else None) == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["old"]


def test_after_a_kill_the_named_releases_may_decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The release was in place, its process was killed before it settled the ledger, and then somebody moved it."""
    path = tmp_path / "ledger"
    with monkeypatch.context() as patch:
        patch.setattr("voile.io.release_folder.companion.Companion.settle", lambda *_, **__: None)
        FIRST.save(tmp_path / "one", ledger=open_recorded(path, FIRST))
    assert json.loads(path.read_text())["format"] == 4
    assert vl.Ledger.read(path).releases == [FIRST.digest]
    vl.Ledger.read(path).check([FIRST.digest])
    with pytest.raises(DataError, match="records 1 release,"):
        vl.Ledger.read(path).check([])
    (tmp_path / "one").rename(tmp_path / "archive")
    moved = vl.Ledger.read(path)
    assert moved.releases == []
    moved.check([FIRST.digest])
    assert moved.releases == [FIRST.digest]
    assert last_groups(moved, BOB) == [(0, 1)]


def test_who_sits_where_is_found_by_pseudonyms_that_depend_on_the_salt() -> None:
    one, other = vl.Ledger(), vl.Ledger()
    hashes = np.array([11, 22, 33], dtype=np.uint64)
    assert len(set(one.make_pseudonyms(hashes).tolist()) & set(other.make_pseudonyms(hashes).tolist())) == 0
    assert not set(one.make_pseudonyms(hashes).tolist()) & {11, 22, 33}
    one.record("first", seat(one, [ANN, BOB, CID], [0, 0, 1], [0, 1, 0]))
    one.record("second", seat(one, [44, ANN], [2, 1], [1, 0]))
    assert one.seating(0).group.tolist()[-1] == -1  # the newcomer had no seat
    assert last_groups(one, ANN, BOB, 44) == [(1, 1), (0, 0), (1, 2)]
    assert repr(one) == "Ledger(4 people in 2 releases)"


def test_nobody_has_two_seats() -> None:
    ledger = vl.Ledger()
    with pytest.raises(DataError, match="more than one seat") as error:
        ledger.record("first", seat(ledger, [ANN, ANN], [0, 1], [0, 1]))
    assert error.value.code == "data.person-twice"
    assert ledger.releases == []


def test_a_ledger_of_other_releases_or_in_another_order() -> None:
    ledger = vl.Ledger()
    for name in ("first", "second"):
        ledger.record(name, seat(ledger, [ANN], [0], [0]))
    ledger.check(["first", "second"])
    ledger.check_beginning(["first"])
    with pytest.raises(DataError, match="in another order"):
        ledger.check(["second", "first"])
    with pytest.raises(DataError, match="records 2 releases, and 1 is named"):
        ledger.check(["first"])
    with pytest.raises(DataError, match="oldest first"):
        ledger.check_beginning(["second"])


def test_the_seats_must_show_values_that_the_release_has() -> None:
    ledger = vl.Ledger()
    counts = FIRST.tallies["disease"]
    label = counts.column.domain.labels[counts.values[0]]  # type: ignore[union-attr]
    often = int(counts.counts[0])
    codes = [("flu", "HIV", "gout").index(label)] * (often + 1)
    ledger.record("fits", seat(ledger, list(range(often)), [0] * often, codes[:-1]))
    ledger.record("too often", seat(ledger, list(range(often + 1)), [0] * (often + 1), codes))
    ledger.record("no such group", seat(ledger, [1], [counts.groups], [0]))
    ledger.check_values(0, FIRST.tallies)
    for number in (1, 2):
        with pytest.raises(DataError, match="that release"):
            ledger.check_values(number, FIRST.tallies)


@pytest.mark.parametrize("old", [{"format": 1}, {"format": 2, "after": {"salt": ""}}])
def test_a_ledger_of_an_earlier_version_is_refused_by_name(tmp_path: Path, old: dict[str, Any]) -> None:
    (tmp_path / "ledger").write_text(json.dumps({"salt": "00" * 32, **old}))
    with pytest.raises(DataError, match="earlier version"):
        vl.Ledger.read(tmp_path / "ledger")


def make_body() -> dict[str, Any]:
    ledger = vl.Ledger()
    ledger.record("first", seat(ledger, [ANN, BOB], [0, 1], [0, 2]))
    return dict(ledger._body())


BODY = make_body()
SEATS = BODY["releases"][0]


@pytest.mark.parametrize(
    "change",
    [
        {"salt": "00"},
        {"salt": "00" * 100},
        {"salt": 5},
        {"people": pack_array(np.array([7, 7]), np.uint64)},
        {"people": pack_array(np.array([7]), np.uint64)},
        {"people": []},
        {"people": "x"},
        {"releases": None},
        {"releases": [{**SEATS, "group": pack_array(np.array([0, -2]), np.int32)}]},
        {"releases": [{**SEATS, "kind": pack_array(np.array([0]), np.int32)}]},
        {"releases": [{**SEATS, "values": {"disease": {"labels": ["a"], "codes": SEATS["kind"][:-4]}}}]},
        {"releases": [{**SEATS, "values": {"disease": {"labels": [], "codes": SEATS["kind"]}}}]},
        {"format": 5},
        {"after": {}},
        {"after": BODY, "before": None, "release": "x"},
        {"after": BODY, "before": 5, "release": {"folder": "x", "certificate": "y"}},
        {"after": BODY, "before": None, "release": {"folder": "a\0b", "certificate": "y"}},
    ],
)
def test_files_that_are_no_ledger(tmp_path: Path, change: dict[str, Any]) -> None:
    (tmp_path / "ledger").write_text(json.dumps({**BODY, **change}))
    with pytest.raises(DataError, match="cannot be read"):
        vl.Ledger.read(tmp_path / "ledger")


@pytest.mark.parametrize("content", [b"", b"[]", b"5", b"null", b'"after"', b"\xff", b"[" * 100_000, b"9" * 5000])
def test_files_that_are_no_document(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "ledger").write_bytes(content)
    for read in (vl.Ledger.read, vl.Ledger.open):
        with pytest.raises(DataError, match="cannot be read"):
            read(tmp_path / "ledger")


def test_a_ledger_that_was_sent_opens_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The releases that it is used with decide between its two states."""
    ledger = open_recorded(tmp_path / "ledger", FIRST)
    before = json.loads(ledger.write_state())
    ledger.record(SECOND.digest, seat(ledger, [BOB, CID], [0, 1], [2, 1]))
    place = {"folder": str(tmp_path / "elsewhere"), "certificate": "0" * 64}
    both = {"format": 4, "release": place, "before": before, "after": json.loads(ledger.write_state())}
    (tmp_path / "both").write_text(json.dumps(both))
    opened: list[Path] = []
    monkeypatch.setattr("voile.adversaries.ledger.recover", opened.append)
    for digests in ([FIRST.digest], [FIRST.digest, SECOND.digest]):
        sent = vl.Ledger.read(tmp_path / "both", sent=True)
        sent.check(digests)
        assert sent.releases == digests
    assert not opened
    vl.Ledger.read(tmp_path / "both")
    assert opened == [tmp_path / "elsewhere"]


def test_a_copy_is_added_to_alone(tmp_path: Path) -> None:
    ledger = open_recorded(tmp_path / "ledger", FIRST)
    before, copy = ledger.write_state(), ledger.copy()
    assert copy.write_state() == before
    copy.record(SECOND.digest, seat(copy, [BOB, CID], [0, 1], [2, 1]))
    assert ledger.write_state() == before
    assert (len(copy.releases), len(copy.people)) == (2, 3)
    with pytest.raises(SpecError, match="has no file"):
        copy.companion()


def test_an_array_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_recorded(tmp_path / "ledger", FIRST).save(tmp_path / "ledger")
    monkeypatch.setattr("voile.adversaries.seating.LARGEST_ARRAY", 15)  # two people take 16 bytes
    with pytest.raises(DataError, match="cannot be read"):
        vl.Ledger.read(tmp_path / "ledger")
    monkeypatch.setattr("voile.adversaries.seating.LARGEST_ARRAY", 16)
    assert len(vl.Ledger.read(tmp_path / "ledger").people) == 2
