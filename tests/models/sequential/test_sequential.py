"""Releases judged together: examples that row by row comparison gets wrong, and what each kind of evidence tells."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.adversaries.seating import Seating
from voile.errors import BrokenPromise, DataError, PolicyError, Unsatisfiable
from voile.models.sequential.joint_judgement import JointVerdict, judge_history
from voile.models.sequential.requirement import Requirement
from voile.releases.joint.closure import NoWorldError
from voile.releases.joint.history import gather_history
from voile.releases.joint.value_types import GroupValues, TypedReleases
from voile.results import Answer
from voile.tables.domain import Domain
from voile.tables.schema import Column

SCHEMA = vl.Schema(person="who", quasi=["age"], sensitive=["disease"])
Groups = list[tuple[str, str]]  # the people of a group, and their values: one letter each


def judge(
    *releases: Groups,
    model: Any = None,
    known_rates: bool = True,
    kinds: dict[str, int] | None = None,
    merged: dict[str, str] | None = None,
) -> JointVerdict:
    """Judge releases that are written as groups of letters. `kinds` numbers people who look alike, and `merged` says
    which letters are the same value of the column that is judged."""
    letters = sorted({letter for release in releases for _, values in release for letter in values})
    shown, seats = [], []
    for release in releases:
        entries = [(g, letters.index(v), n) for g, (_, own) in enumerate(release) for v, n in Counter(own).items()]
        group, kind, count = np.array(entries).T
        shown.append(GroupValues(group, kind, count, len(release)))
        pairs = [(ord(person), number) for number, (people, _) in enumerate(release) for person in people]
        people, home = np.array(pairs, dtype=np.uint64).T
        looks = np.array([(kinds or {}).get(chr(int(person)), -1) for person in people])
        seats.append(Seating(people, home.astype(np.int64), looks, np.ones(len(home), dtype=bool), {}))
    typed = TypedReleases(("value",), [(letter,) for letter in letters], shown)
    column = Column("value", "sensitive", Domain(pl.Series(letters), "categorical"))
    codes = np.array([letters.index((merged or {}).get(letter, letter)) for letter in letters])
    requirement = Requirement(model or vl.LDiversity(l=2), column, codes)
    history = gather_history(typed, seats, [False] * len(releases))
    return judge_history(history, requirement, known_rates=known_rates)


def test_a_newcomer_who_is_the_difference_is_found() -> None:
    assert judge([("AB", "xy")], [("ABC", "xyz")]).answer is Answer.BROKEN
    assert judge([("AB", "xy")], [("AB", "xy"), ("CD", "xz")]).answer is Answer.HOLDS


def test_somebody_who_left_is_the_difference_too() -> None:
    assert judge([("ABC", "xyz")], [("AB", "xy")]).answer is Answer.BROKEN
    assert judge([("ABCD", "xyxy")], [("AB", "xy")]).answer is Answer.HOLDS


def test_known_rates_tell_what_twins_hide() -> None:
    """A stays while the companion is replaced: with rates of 10 % and 1 % belief in x is .909, without them .5."""
    releases: tuple[Groups, Groups] = [("AB", "xy")], [("AC", "xy")]
    assert judge(*releases).answer is Answer.BROKEN
    assert judge(*releases, known_rates=False).answer is Answer.HOLDS


def test_differences_are_followed_through_more_than_two_releases() -> None:
    first, second = [("ABCD", "xxyy")], [("AB", "xy"), ("CD", "xy")]
    assert judge(first, second).answer is Answer.HOLDS
    assert judge(first, second, [("ABE", "xyz"), ("CDF", "xyz")]).answer is Answer.BROKEN


def test_chains_over_overlapping_groups_are_followed() -> None:
    """Row by row, A and C each keep two values; together the groups leave only x for A."""
    assert judge([("AB", "xy"), ("CD", "xz")], [("AC", "xx"), ("BD", "yz")]).answer is Answer.BROKEN
    assert judge([("AB", "xy"), ("CD", "xy")], [("AC", "xy"), ("BD", "xy")]).answer is Answer.HOLDS


def test_people_who_look_alike_may_sit_the_other_way_round() -> None:
    """A and C look alike, and so do their groups: somebody who cannot tell them apart also considers that A was with B
    first and with D then, and believes x with .6."""
    releases: tuple[Groups, Groups] = [("AB", "xy"), ("CD", "xz")], [("AB", "xy"), ("CD", "xz")]
    assert judge(*releases).answer is Answer.HOLDS
    assert judge(*releases, kinds={"A": 1, "C": 1, "B": 2, "D": 3}).answer is Answer.BROKEN


def test_the_same_people_with_other_values() -> None:
    with pytest.raises(NoWorldError):
        judge([("AB", "xy")], [("AB", "xz")])


def test_other_models_are_judged_where_groups_do_not_overlap() -> None:
    entropy, protected = vl.LDiversity(l=2, form="entropy"), vl.AlphaK(alpha=0.5, k=2, protect=("x",))
    assert judge([("ABCD", "xyxy")], [("AB", "xy")], model=entropy).answer is Answer.HOLDS
    crossing: tuple[Groups, Groups] = [("AB", "xy"), ("CD", "xy")], [("AC", "xy"), ("BD", "xy")]
    assert judge(*crossing, model=entropy).answer is Answer.NEEDS
    assert judge([("ABCD", "xyzz")], [("AB", "xy")], model=protected).answer is Answer.HOLDS
    assert judge([("ABCD", "xyzz")], [("AB", "xy")]).answer is Answer.BROKEN
    assert judge([("ABC", "xyz")], [("AB", "xy")], model=protected).answer is Answer.BROKEN  # C is alone


def test_rows_with_several_columns_are_compared_whole() -> None:
    """By the judged column alone the groups look like twins, but whole rows tell who is who."""
    whole: tuple[Groups, Groups] = [("AB", "pr"), ("CD", "qs")], [("AC", "ps"), ("BD", "rq")]
    same = {"q": "p", "s": "r"}
    halves: tuple[Groups, Groups] = [("AB", "pr"), ("CD", "pr")], [("AC", "pr"), ("BD", "rp")]
    assert judge(*halves).answer is Answer.HOLDS
    assert judge(*whole, merged=same).answer is Answer.BROKEN


# publish and verify ----------------------------------------------------------------------------------------------
def table(ages: list[int], values: str) -> Any:
    frame = pl.DataFrame({"who": [f"p{age}" for age in ages], "age": ages, "disease": list(values)})
    return vl.read(frame, SCHEMA)


def last(verdict: Any) -> Any:
    return verdict.checks[-1]


def test_the_folders_alone_the_ledger_and_a_forged_claim() -> None:
    ledger = vl.Ledger()
    first = vl.publish(table([30, 31, 40, 41], "xyxy"), vl.LDiversity(l=2), ledger=ledger)
    second = vl.publish(table([30, 31, 40, 41], "xyxy"), vl.LDiversity(l=2), after=[first], ledger=ledger)
    claim = second.certificate.claims[-1]
    assert claim["parameters"]["earlier"] == [first.digest]
    assert "earlier" in claim["adversary"]["knows"]
    assert "knows how common the values are" in claim["promise"]
    assert last(vl.verify(second)).answer is Answer.NEEDS
    alone = last(vl.verify(second, after=[first]))
    assert alone.answer is Answer.NEEDS
    assert "ledger" in alone.detail
    assert last(vl.verify(second, after=[first], ledger=ledger)).answer is Answer.HOLDS
    # somebody publishes without looking back, and copies the claim of an honest release
    other, book = vl.Ledger(), table([30, 31, 32, 40, 41], "xyzxy")
    other.salt = ledger.salt
    careless = vl.publish(book, vl.LDiversity(l=2), ledger=other)
    forged = replace(careless, certificate=replace(careless.certificate, claims=second.certificate.claims))
    mixed = vl.Ledger()
    mixed.salt = ledger.salt
    mixed.record(first.digest, ledger.seating(0))
    mixed.record(forged.digest, other.seating(0))
    assert last(vl.verify(forged, after=[first], ledger=mixed)).answer is Answer.BROKEN


def test_groups_that_overlap_with_no_other_need_no_ledger() -> None:
    schema = vl.Schema(quasi=["age", "ward"], sensitive=["disease"])

    def ward(name: str) -> Any:
        frame = pl.DataFrame({"age": [30, 31, 40, 41], "ward": [name] * 4, "disease": list("xyxy")})
        return vl.read(frame, replace(schema, domains={"ward": ["east", "west"]}))

    first = vl.publish(ward("east"), vl.LDiversity(l=2), vl.Anatomy())
    second = vl.publish(ward("west"), vl.LDiversity(l=2), vl.Anatomy(), after=[first])
    assert last(vl.verify(second, after=[first])).answer is Answer.HOLDS


def test_twins_suffice_from_the_folders_for_whoever_knows_no_rates() -> None:
    first = vl.publish(table([30, 31, 40, 41], "xyxy"), vl.LDiversity(l=2))
    with pytest.raises(BrokenPromise, match="not known whether") as caught:
        vl.publish(table([30, 31, 40, 42], "xyxy"), vl.LDiversity(l=2), after=[first])
    assert caught.value.code == "broken.undecided"
    assert "ledger" in str(caught.value)
    asked = vl.Sequential(vl.LDiversity(l=2), known_rates=False)
    second = vl.publish(table([30, 31, 40, 42], "xyxy"), asked, after=[first])
    assert "an adversary who knows how common the values are" in second.certificate.claims[-1]["not_covered"]
    assert last(vl.verify(second, after=[first])).answer is Answer.HOLDS


def test_what_is_refused_says_what_would_pass() -> None:
    ledger = vl.Ledger()
    first = vl.publish(table([30, 31, 40, 41], "xyxy"), vl.LDiversity(l=2), ledger=ledger)
    with pytest.raises(BrokenPromise, match=r"(?i)append") as caught:
        vl.publish(table([30, 31, 32, 40, 41], "xyzxy"), vl.LDiversity(l=2), after=[first], ledger=ledger)
    assert caught.value.code == "broken.jointly"
    assert ledger.releases == [first.digest]  # nothing was recorded


def test_a_changed_value_is_refused_by_name() -> None:
    ledger = vl.Ledger()
    first = vl.publish(table([30, 31, 40, 41], "xyxy"), vl.LDiversity(l=2), ledger=ledger)
    with pytest.raises(Unsatisfiable, match="2 people have a sensitive value"):
        vl.publish(table([30, 31, 40, 41], "xyyx"), vl.LDiversity(l=2), after=[first], ledger=ledger)


def test_the_wrong_order_a_missing_release_and_a_ledger_of_others() -> None:
    ledger, data = vl.Ledger(), table([30, 31, 40, 41], "xyxy")
    first = vl.publish(data, vl.LDiversity(l=2), ledger=ledger)
    second = vl.publish(data, vl.Policy(vl.LDiversity(l=2), vl.KAnonymity(k=4)), after=[first], ledger=ledger)
    both = [second, first]
    with pytest.raises(DataError, match="oldest first") as caught:
        vl.publish(data, vl.LDiversity(l=2), after=both, ledger=ledger)
    assert caught.value.code == "data.after-order"
    with pytest.raises(DataError) as caught:
        vl.publish(data, vl.LDiversity(l=2), after=[second], ledger=ledger)
    assert caught.value.code == "data.after-missing"
    with pytest.raises(DataError, match="It records 0 releases"):
        vl.publish(data, vl.LDiversity(l=2), after=[first, second], ledger=vl.Ledger())
    with pytest.raises(DataError, match="knows nobody of this table"):
        vl.publish(table([50, 51], "xy"), vl.LDiversity(l=2), after=[first, second], ledger=ledger)
    with pytest.raises(DataError, match="does not belong to"):
        vl.verify(second, after=[second], ledger=ledger)
    other = vl.Ledger()
    vl.publish(table([30, 31, 40, 41, 42, 43], "xyzxyz"), vl.LDiversity(l=3), ledger=other)
    other.releases[0] = first.digest
    with pytest.raises(DataError, match="does not have"):
        vl.publish(data, vl.LDiversity(l=2), after=[first], ledger=other)


def test_shapes_that_cannot_be_judged_together_are_refused() -> None:
    schema = replace(SCHEMA, sensitive=["disease", "ward"])
    frame = pl.DataFrame({"who": list("abcd"), "age": [1, 2, 3, 4], "disease": list("xyxy"), "ward": list("eeww")})
    data = vl.read(frame, schema)
    method, policy = vl.Decompose(), vl.MultiDiversity({"disease": 2, "ward": 2})
    first = vl.publish(data, policy, method)
    with pytest.raises(PolicyError, match="cannot be judged together"):
        vl.publish(data, policy, method, after=[first])
