"""Append: what was published stays as it was, and newcomers form groups of their own."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from oracle.append.sequences import publish_sequence

import voile as vl
from voile.errors import DataError, PolicyError, Unsatisfiable
from voile.results import Answer

SCHEMA = vl.Schema(person="id", quasi=["age", "city"], sensitive=["disease"])
GROUPINGS = (vl.Mondrian(), vl.Anatomy())
KEYS = [vl.Key(bytes([number]) * 32) for number in range(4)]


def make_people(first: int, last: int, diseases: str = "abcd") -> pl.DataFrame:
    """Return the people with these numbers, whose rows are the same in every table."""
    ids = np.arange(first, last)
    return pl.DataFrame(
        {
            "id": [f"person {number}" for number in ids],
            "age": 20 + ids * 7 % 41,
            "city": ["xyz"[number % 3] for number in ids],
            "disease": [diseases[number * 5 % len(diseases)] for number in ids],
        }
    )


def publish_series(frames: list[pl.DataFrame], method: vl.Append, policy: Any = None, schema: Any = SCHEMA) -> Any:
    """Publish tables one after the other; return the releases and the ledger."""
    ledger, releases = vl.Ledger(), list[Any]()
    for frame, key in zip(frames, KEYS, strict=False):
        data = vl.read(frame, schema)
        asked = policy or vl.LDiversity(l=2)
        releases.append(vl.publish(data, asked, method, key=key, after=releases, ledger=ledger))
    return releases, ledger


def list_rows(release: Any, table: str) -> Counter[tuple[Any, ...]]:
    return Counter(release.tables[table].cast(pl.String).rows())


FIRST = make_people(0, 30)
SECOND = pl.concat([make_people(4, 30), make_people(40, 52)])
THIRD = pl.concat([make_people(0, 20), make_people(45, 60)])


def test_nobody_who_keeps_every_release_believes_more() -> None:
    """The long form is `python bench/append_worlds.py`."""
    outcomes = [publish_sequence(seed) for seed in range(60)]
    assert all(outcome.belief <= outcome.bound for outcome in outcomes)
    assert sum(outcome.without_leavers > outcome.bound for outcome in outcomes) > 20  # or the test sees nothing
    events: Counter[str] = sum((outcome.events for outcome in outcomes), Counter())
    assert min(events[name] for name in ("Mondrian", "Anatomy", "4 releases", "absent", "withheld")) > 0


@pytest.mark.parametrize("grouping", GROUPINGS, ids=lambda method: method.name)
def test_earlier_groups_are_shown_as_they_were(grouping: Any) -> None:
    releases, ledger = publish_series([FIRST, SECOND, THIRD], vl.Append(grouping=grouping))
    for before, after in pairwise(releases):
        for table in before.tables:
            assert list_rows(before, table) <= list_rows(after, table)
    assert [release.people for release in releases] == [30, 42, 50]
    assert [release.absent for release in releases] == [0, 4, 10 + 5]
    assert all(release.shape == grouping.produces for release in releases)
    for number, release in enumerate(releases):
        assert vl.verify(release, after=releases[:number]).holds
    moved = ledger.seating(2).present
    assert int(moved.sum()) == THIRD.height


def test_people_who_return_or_change_have_their_old_seat() -> None:
    changed = FIRST.with_columns(disease=pl.lit("d"), age=pl.col("age") + 1)
    releases, ledger = publish_series([FIRST, FIRST.tail(20), changed], vl.Append())
    assert releases[0].tables["table"].equals(releases[2].tables["table"])
    assert [release.absent for release in releases] == [0, 10, 0]
    groups = [ledger.seating(number).group.tolist() for number in range(3)]
    assert groups[0] == groups[1] == groups[2]


@pytest.mark.parametrize("grouping", GROUPINGS, ids=lambda method: method.name)
def test_newcomers_who_cannot_be_grouped_wait(grouping: Any) -> None:
    alike = make_people(40, 44, diseases="a")
    later = make_people(44, 48, diseases="bc")
    releases, _ = publish_series(
        [FIRST, pl.concat([FIRST, alike]), pl.concat([FIRST, alike, later])], vl.Append(grouping=grouping)
    )
    assert [(release.people, release.dictionary["withheld"]) for release in releases] == [(30, 0), (30, 4), (38, 0)]


def test_who_waits_does_not_follow_from_a_value() -> None:
    """Of eight newcomers five share a value, so one of them must wait; the key says who, whatever the value is."""
    newcomers = make_people(40, 48).with_columns(disease=pl.Series(list("aaaaabcd")))
    waiting = Counter[str]()
    for seed in range(40):
        ledger, key = vl.Ledger(), vl.Key(bytes([seed]) * 32)
        first = vl.publish(vl.read(FIRST, SCHEMA), vl.LDiversity(l=2), vl.Append(), key=key, ledger=ledger)
        data = vl.read(pl.concat([FIRST, newcomers]), SCHEMA)
        second = vl.publish(data, vl.LDiversity(l=2), vl.Append(), key=key, after=[first], ledger=ledger)
        shown = Counter(second.tables["table"]["disease"].to_list()) - Counter(FIRST["disease"].to_list())
        waiting.update(Counter(newcomers["disease"].to_list()) - shown)
    assert set(waiting) == set("abcd")


def test_blind_waiting_looks_at_the_number_alone() -> None:
    alike = make_people(40, 44, diseases="a")
    blind = vl.Append(waiting="blind", batch=6)
    releases, ledger = publish_series([FIRST, pl.concat([FIRST, alike])], blind)
    assert releases[1].dictionary["withheld"] == 4
    data = vl.read(pl.concat([FIRST, alike, make_people(44, 46, diseases="b")]), SCHEMA)
    with pytest.raises(Unsatisfiable, match="6 newcomers cannot be grouped") as error:
        vl.publish(data, vl.LDiversity(l=2), blind, after=releases, ledger=ledger)
    assert error.value.code == "unsatisfiable.newcomers"
    assert len(ledger.releases) == 2  # a refused release leaves no trace
    said = [
        release.certificate.claims[-1] for release in (releases[1], publish_series([FIRST, SECOND], vl.Append())[0][1])
    ]
    assert "by their number alone" in said[0]["promise"]
    assert not any("who had to wait" in gap for gap in said[0]["not_covered"])
    assert "depends on their values" in said[1]["promise"]
    assert any("who had to wait" in gap for gap in said[1]["not_covered"])


def test_claims_name_the_releases_and_the_adversary() -> None:
    releases, _ = publish_series([FIRST, SECOND, THIRD], vl.Append())
    assert [claim["model"] for claim in releases[0].certificate.claims] == ["l-diversity"]
    claim = releases[2].certificate.claims[1]
    assert claim["model"] == "kept-seats"
    assert claim["parameters"]["earlier"] == [release.digest for release in releases[:2]]
    assert {"earlier", "statistics"} <= set(claim["adversary"]["knows"])
    sizes, _ = publish_series([FIRST, SECOND], vl.Append(), vl.KAnonymity(k=3))
    knows = [claim["adversary"]["knows"] for claim in sizes[1].certificate.claims]
    assert all("algorithm" in items for items in knows)  # nothing depends on values
    assert all("algorithm" not in claim["adversary"]["knows"] for claim in releases[2].certificate.claims)


@pytest.mark.parametrize("grouping", GROUPINGS, ids=lambda method: method.name)
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_folders_alone_are_enough_to_verify(tmp_path: Path, grouping: Any, format: str) -> None:
    ledger, folders = vl.Ledger.open(tmp_path / "private" / "ledger.json"), list[Path]()
    for number, frame in enumerate((FIRST, SECOND, THIRD)):
        data = vl.read(frame, SCHEMA)
        release = vl.publish(data, vl.LDiversity(l=2), vl.Append(grouping=grouping), after=folders, ledger=ledger)
        folders.append(release.save(tmp_path / str(number), format=format, ledger=ledger))
    assert vl.verify(folders[2], after=folders[:2]).holds
    assert vl.verify(folders[2]).checks[-1].answer is Answer.NEEDS
    decided = vl.verify(folders[2], after=folders[:2], ledger=vl.Ledger.read(tmp_path / "private" / "ledger.json"))
    assert decided.holds
    assert "agrees with the ledger" in decided.checks[-1].detail
    content = b"".join(file.read_bytes() for folder in folders for file in folder.iterdir())
    assert b"person 1" not in content
    assert b"#person" not in content


@pytest.mark.parametrize("grouping", GROUPINGS, ids=lambda method: method.name)
def test_every_engine_makes_the_same_releases(tmp_path: Path, grouping: Any) -> None:
    digests = list[list[str]]()
    for engine in (None, vl.Disk()):
        ledger, releases = vl.Ledger(), list[Any]()
        for number, frame in enumerate((FIRST, SECOND, THIRD)):
            path = tmp_path / f"{number}.csv"
            frame.write_csv(path)
            data = vl.read(path, SCHEMA, engine=engine)
            method = vl.Append(grouping=grouping)
            releases.append(
                vl.publish(data, vl.LDiversity(l=2), method, key=KEYS[number], after=releases, ledger=ledger)
            )
        digests.append([release.digest for release in releases])
    assert digests[0] == digests[1]


@pytest.mark.parametrize("grouping", GROUPINGS, ids=lambda method: method.name)
def test_releases_do_not_depend_on_the_order_of_rows(grouping: Any) -> None:
    frames = [FIRST, SECOND, THIRD]
    one, _ = publish_series(frames, vl.Append(grouping=grouping))
    other, _ = publish_series([frame.reverse() for frame in frames], vl.Append(grouping=grouping))
    assert [release.digest for release in one] == [release.digest for release in other]


def test_the_first_release_is_that_of_the_grouping() -> None:
    data = vl.read(FIRST, SCHEMA)
    plain = vl.publish(data, vl.LDiversity(l=2), vl.Mondrian())
    assert vl.publish(data, vl.LDiversity(l=2), vl.Append()).digest == plain.digest
    assert vl.publish(data, vl.LDiversity(l=2), vl.Append(), ledger=vl.Ledger()).digest == plain.digest


def test_append_continues_a_release_of_its_grouping() -> None:
    ledger = vl.Ledger()
    first = vl.publish(vl.read(FIRST, SCHEMA), vl.LDiversity(l=2), vl.Mondrian(), ledger=ledger)
    second = vl.publish(vl.read(SECOND, SCHEMA), vl.LDiversity(l=2), vl.Append(), after=[first], ledger=ledger)
    assert list_rows(first, "table") <= list_rows(second, "table")


def test_what_does_not_fit_is_refused() -> None:
    releases, ledger = publish_series([FIRST, SECOND], vl.Append())
    data, policy = vl.read(THIRD, SCHEMA), vl.LDiversity(l=2)

    def publish(table: Any = data, method: Any = None, after: Any = releases, book: Any = ledger) -> Any:
        return vl.publish(table, policy, method or vl.Append(), after=after, ledger=book)

    with pytest.raises(DataError, match="oldest first"):
        publish(after=releases[::-1])
    with pytest.raises(DataError, match="it must be known who sat") as error:
        publish(book=None)
    assert error.value.code == "data.ledger"
    _, other_ledger = publish_series([FIRST, SECOND], vl.Append(), vl.LDiversity(l=3))
    with pytest.raises(DataError, match="ledger") as error:
        publish(book=other_ledger)
    assert error.value.code == "data.ledger"
    with pytest.raises(PolicyError, match="Release 1 is generalized, and anatomy makes bucketized") as policy_error:
        publish(method=vl.Append(grouping=vl.Anatomy()))
    assert policy_error.value.code == "policy.after-shape"
    several = vl.read(THIRD, replace(SCHEMA, rows_per_person=2))
    with pytest.raises(PolicyError, match="another unit"):
        publish(several)
    renamed = vl.read(THIRD.rename({"city": "town"}), replace(SCHEMA, quasi=["age", "town"]))
    with pytest.raises(DataError, match="'city', 'town'") as error:
        publish(renamed)
    assert error.value.code == "data.after-schema"
    typed = vl.read(THIRD.with_columns(pl.col("age") + 0.5), SCHEMA)
    with pytest.raises(DataError, match="differ in 'age'") as error:
        publish(typed)
    assert error.value.code == "data.after-schema"
    more = vl.read(THIRD.with_columns(more=pl.lit("m")), replace(SCHEMA, other=["more"]))
    with pytest.raises(DataError, match="differ in 'more'"):
        publish(more)
    assert len(ledger.releases) == 2


def test_a_series_of_other_releases_is_refused() -> None:
    """A coarser release of the same people is safe, but does not contain the groups of the finer one."""
    ledger, releases = vl.Ledger(), list[Any]()
    for policy in (vl.Policy(vl.LDiversity(l=2)), vl.Policy(vl.KAnonymity(k=30), vl.LDiversity(l=2))):
        data = vl.read(FIRST, SCHEMA)
        releases.append(vl.publish(data, policy, vl.Mondrian(), after=releases, ledger=ledger))
    with pytest.raises(DataError, match="does not show the groups of release 1") as error:
        vl.publish(vl.read(FIRST, SCHEMA), vl.LDiversity(l=2), vl.Append(), after=releases, ledger=ledger)
    assert error.value.code == "data.append"


def test_policies_and_groupings_that_append_cannot_serve_are_refused() -> None:
    data = vl.read(FIRST, SCHEMA)
    for policy, method in (
        (vl.TCloseness(t=0.5), vl.Append()),
        (vl.LDiversity(l=2), vl.Append(grouping=vl.Decompose())),
        (vl.LDiversity(l=2), vl.Append(grouping=vl.Append())),
        (vl.MConfidentiality(m=2, protect=("a",)), vl.Append(grouping=vl.Mask())),
    ):
        with pytest.raises(PolicyError, match="append cannot"):
            vl.publish(data, policy, method)
