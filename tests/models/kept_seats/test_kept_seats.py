"""Kept seats: what a stranger finds out from the folders, and what the ledger adds."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import PolicyError
from voile.models.evidence import Evidence
from voile.models.kept_seats.added_groups import find_added_groups
from voile.models.kept_seats.seat_check import count_moved_people
from voile.results import Answer

SCHEMA = vl.Schema(person="id", quasi=["age"], sensitive=["disease"])
GROUPINGS = (vl.Mondrian(), vl.Anatomy())


def make_people(first: int, last: int) -> pl.DataFrame:
    ids = np.arange(first, last)
    diseases = ["abcd"[number % 4] for number in ids]
    return pl.DataFrame({"id": [f"p{number}" for number in ids], "age": 20 + ids, "disease": diseases})


def publish_two(grouping: Any) -> tuple[Any, Any, vl.Ledger]:
    ledger = vl.Ledger()
    method, key = vl.Append(grouping=grouping), vl.Key(bytes(32))
    first = vl.publish(vl.read(make_people(0, 12), SCHEMA), vl.LDiversity(l=2), method, key=key, ledger=ledger)
    data = vl.read(make_people(2, 20), SCHEMA)
    second = vl.publish(data, vl.LDiversity(l=2), method, key=key, after=[first], ledger=ledger)
    return first, second, ledger


def judge(release: Any, first: Any, ledger: vl.Ledger | None = None) -> Any:
    return vl.verify(release, after=[first], ledger=ledger).checks[-1]


def change(release: Any, **tables: pl.DataFrame) -> Any:
    return replace(release, tables={**release.tables, **tables})


@pytest.mark.parametrize("grouping", GROUPINGS, ids=lambda method: method.name)
def test_copies_and_new_groups_hold(grouping: Any) -> None:
    first, second, ledger = publish_two(grouping)
    check = judge(second, first)
    assert check.answer is Answer.HOLDS
    assert "publisher's word" in check.detail
    assert "agrees with the ledger" in judge(second, first, ledger).detail
    added = find_added_groups(second, first)
    assert added.changes == 0
    assert added.sizes.sum() == 8
    assert vl.verify(second).checks[-1].answer is Answer.NEEDS


def test_a_leaver_whose_seat_is_gone_is_noticed() -> None:
    first, second, _ = publish_two(vl.Mondrian())
    table = second.tables["table"]
    without = change(second, table=table[1:])
    assert find_added_groups(without, first).changes == 1
    check = judge(without, first)
    assert check.answer is Answer.BROKEN


def test_other_values_in_copied_groups_are_noticed() -> None:
    """Every group keeps l-diversity by itself, but shows other values than before."""
    first, second, _ = publish_two(vl.Mondrian())
    table = second.tables["table"]
    shifted = table["disease"].replace_strict(list("abcd"), list("bcda"))
    is_copy = pl.int_range(pl.len()) < first.people
    changed = change(
        second, table=table.with_columns(pl.when(is_copy).then(shifted).otherwise("disease").alias("disease"))
    )
    assert vl.verify(changed).checks[1].answer is Answer.HOLDS
    check = judge(changed, first)
    assert check.answer is Answer.BROKEN
    assert "lacks or changes" in check.detail


def test_somebody_added_to_a_copied_box_is_noticed() -> None:
    """The difference is one person with a known value."""
    first, second, _ = publish_two(vl.Mondrian())
    table = second.tables["table"]
    more = table.filter(pl.col("age") == table["age"][0]).head(1).with_columns(disease=pl.lit("c"))
    crowded = change(second, table=pl.concat([table, more.cast(dict(table.schema))]))
    check = judge(crowded, first)
    assert check.answer is Answer.BROKEN
    assert "by themselves" in check.detail


def test_a_row_added_to_a_numbered_group_is_noticed() -> None:
    first, second, _ = publish_two(vl.Anatomy())
    group = int(first.tables["quasi"]["group"][0])
    quasi = pl.concat([second.tables["quasi"], pl.DataFrame({"group": [group], "age": [70]})])
    values = set("abcd") - set(first.tables["sensitive"].filter(pl.col("group") == group)["disease"].to_list())
    listed = pl.DataFrame({"group": [group], "disease": [min(values)], "count": [1]})
    changed = change(second, quasi=quasi, sensitive=pl.concat([second.tables["sensitive"], listed]))
    assert find_added_groups(changed, first).changes == 1
    assert judge(changed, first).answer is Answer.BROKEN


def test_releases_made_afresh_do_not_pass() -> None:
    first, second, _ = publish_two(vl.Mondrian())
    fresh = vl.publish(vl.read(make_people(2, 20), SCHEMA), vl.LDiversity(l=2), vl.Mondrian())
    forged = replace(fresh, certificate=second.certificate)
    assert judge(forged, first).answer is Answer.BROKEN


def test_the_ledger_finds_people_who_sit_elsewhere() -> None:
    """The tables look right, but two people of different groups have exchanged their seats."""
    first, second, ledger = publish_two(vl.Mondrian())
    seating = ledger.seating(1)
    now = seating.group.copy()
    one, other = (int(np.flatnonzero(ledger.seating(0).group == group)[0]) for group in (0, 1))
    now[one], now[other] = now[other], now[one]
    earlier_ledger = vl.Ledger()
    earlier_ledger.salt = ledger.salt
    earlier_ledger.record(first.digest, ledger.seating(0))
    evidence = Evidence(earlier=(first,), ledger=earlier_ledger, seating=replace(seating, group=now))
    moved = count_moved_people(second, [first], evidence)
    assert moved == int(np.isin(ledger.seating(0).group, [0, 1]).sum())
    claim = second.certificate.claims[-1]
    model = vl.KeptSeats(vl.LDiversity(l=2), (first,))
    assert claim["model"] == model.name
    verdict = model.verify(second, second.tallies["disease"], evidence)
    assert verdict.answer is Answer.BROKEN
    assert f"{moved} people" in verdict.detail


def test_a_claim_about_waiting_must_be_that_of_the_method() -> None:
    first, second, _ = publish_two(vl.Mondrian())
    model = vl.KeptSeats(vl.LDiversity(l=2), (first,), "blind")
    verdict = model.verify(second, second.tallies["disease"], Evidence(earlier=(first,)))
    assert verdict.answer is Answer.BROKEN


def test_the_bound_and_what_it_may_require() -> None:
    assert vl.KeptSeats(vl.LDiversity(l=3)).bound() == Fraction(1, 3)
    assert vl.KeptSeats(vl.KAnonymity(k=4)).limits == "identity"
    for model in (vl.TCloseness(t=0.2), vl.MInvariance(m=2), vl.KeptSeats()):
        with pytest.raises(PolicyError, match="does not depend on each group alone"):
            vl.KeptSeats(model)
