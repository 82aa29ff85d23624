"""Two releases in one: their rows, and a dictionary for both."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import DataError

AGES = vl.Schema(person="id", quasi=["age"], sensitive=["disease"])


def make_table(first: int, ages: list[int], diseases: str, **more: Any) -> pl.DataFrame:
    ids = [f"p{first + number}" for number in range(len(ages))]
    return pl.DataFrame({"id": ids, "age": ages, "disease": list(diseases)}).with_columns(**more)


def publish_both(first: pl.DataFrame, second: pl.DataFrame, schema: Any = AGES, **method: Any) -> tuple[Any, Any]:
    ledger, releases = vl.Ledger(), list[Any]()
    for frame in (first, pl.concat([first, second])):
        data = vl.read(frame, schema)
        releases.append(vl.publish(data, vl.LDiversity(l=2), vl.Append(**method), after=releases, ledger=ledger))
        assert vl.verify(releases[-1], after=releases[:-1]).holds
    return releases[0], releases[1]


def test_a_column_that_was_exact_is_labelled_when_new_groups_need_ranges() -> None:
    first, second = publish_both(make_table(0, [30, 30, 50, 50], "abab"), make_table(4, [31, 40], "ab"))
    assert first.tables["table"]["age"].to_list() == [30, 30, 50, 50]
    assert second.tables["table"]["age"].to_list() == ["30", "30", "50", "50", "[31, 40]", "[31, 40]"]
    entry = second.dictionary["columns"][0]
    assert (entry["shown"], entry["domain"]["min"], entry["domain"]["max"]) == ("generalized", 30, 50)


def test_exact_new_cells_are_labelled_where_earlier_ones_are_ranges() -> None:
    _, second = publish_both(make_table(0, [30, 31], "ab"), make_table(2, [40, 40], "ab"))
    assert second.tables["table"]["age"].to_list()[2:] == ["40", "40"]


def test_a_new_group_with_the_box_of_an_earlier_one_joins_it() -> None:
    """The box then shows six people. Whoever has both releases sees the two groups of three and keeps 1/2."""
    first, second = publish_both(make_table(0, [30, 40], "ab"), make_table(2, [30, 40], "cd"))
    assert (first.groups, second.groups) == (1, 1)
    assert second.sizes.tolist() == [4]


def test_values_that_nobody_has_any_more_stay_in_the_dictionary() -> None:
    first, later = make_table(0, [30, 31], "ab"), make_table(2, [40, 41], "cd")
    ledger = vl.Ledger()
    data = [vl.read(frame, AGES) for frame in (first, pl.concat([first.head(1), later]))]
    one = vl.publish(data[0], vl.LDiversity(l=2), vl.Append(), ledger=ledger)
    two = vl.publish(data[1], vl.LDiversity(l=2), vl.Append(), after=[one], ledger=ledger)
    assert two.dictionary["columns"][1]["domain"]["values"] == ["a", "b", "c", "d"]
    assert (two.absent, two.dictionary["absent"]) == (1, 1)
    assert vl.verify(two, after=[one], data=data[1], ledger=ledger).holds


@pytest.mark.parametrize("absent", [-1, 0, True, 1.5, "1", 5])
def test_an_odd_number_of_leavers_is_noticed(absent: Any) -> None:
    """A release without leavers does not mention them, and there are no more of them than rows."""
    release, _ = publish_both(make_table(0, [30, 31], "ab"), make_table(2, [40, 41], "cd"))
    assert "absent" not in release.dictionary
    assert vl.verify(replace(release, dictionary={**release.dictionary, "absent": absent})).broken
    assert vl.verify(replace(release, dictionary={**release.dictionary, "absent": 1})).holds


def test_what_waiting_people_have_is_not_mentioned() -> None:
    _, second = publish_both(make_table(0, [30, 31], "ab"), make_table(2, [99], "z"))
    assert second.dictionary["withheld"] == 1
    assert "z" not in str(second.dictionary)
    assert "99" not in str(second.dictionary)


@pytest.mark.parametrize("method", [{}, {"grouping": vl.Anatomy()}], ids=["boxes", "linked tables"])
def test_other_columns_and_missing_values_are_copied_too(method: Any) -> None:
    schema = vl.Schema(person="id", quasi=["age"], sensitive=["disease"], other=["note"], missing="value")
    first = make_table(0, [30, 31, 50, 51], "abab", note=pl.Series(["n", None, "m", "m"]))
    second = make_table(4, [60, 61], "ab", note=pl.Series([None, "k"]))
    _, release = publish_both(first, second, schema, **method)
    table = release.tables["quasi" if method else "table"]
    assert sorted(map(str, table["note"].to_list())) == ["None", "None", "k", "m", "m", "n"]


def test_declared_domains_must_stay_and_hierarchies_too() -> None:
    first, second = make_table(0, [30, 31], "ab"), make_table(2, [40, 41], "ab")
    ledger = vl.Ledger()
    declared = vl.Schema(person="id", quasi=["age"], sensitive=["disease"], domains={"disease": ["a", "b", "c"]})
    release = vl.publish(vl.read(first, declared), vl.LDiversity(l=2), vl.Append(), ledger=ledger)
    for schema in (AGES, vl.Schema(**{**vars(declared), "domains": {"disease": ["a", "b", "d"]}})):
        data = vl.read(pl.concat([first, second]), schema)
        with pytest.raises(DataError, match="differ in 'disease'"):
            vl.publish(data, vl.LDiversity(l=2), vl.Append(), after=[release], ledger=ledger)


def test_labels_of_a_hierarchy_are_copied() -> None:
    schema = vl.Schema(person="id", quasi=["age"], sensitive=["disease"], hierarchies={"age": vl.intervals(10, 50)})
    first, second = make_table(0, [30, 34, 51, 52], "abab"), make_table(4, [61, 63], "ab")
    one, two = publish_both(first, second, schema, grouping=vl.Mondrian(recoding="hierarchy"))
    assert (
        two.tables["table"]["age"].cast(pl.String).to_list()[:4] == one.tables["table"]["age"].cast(pl.String).to_list()
    )
