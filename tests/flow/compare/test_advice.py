"""What a comparison says beside its numbers: who is recognisable, equal releases once, columns, meanings and prices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import voile as vl
from voile.flow.compare.attack_meanings import explain_attacks
from voile.flow.compare.comparison import Comparison
from voile.flow.compare.trial import AttackResult, Trial
from voile.flow.compare.trial_table import TrialTable
from voile.flow.measure.size_losses import measure_losses, price_steps
from voile.tables.microdata import Microdata

METHODS = [vl.Anatomy(), vl.Mondrian(), vl.Mondrian(recoding="hierarchy")]


@pytest.fixture(scope="module")
def data() -> Microdata:
    return vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))


@pytest.fixture(scope="module")
def found(data: Microdata) -> tuple[Comparison, list[Any]]:
    shared: list[Any] = []
    comparison = vl.compare(
        data,
        vl.LDiversity(l=3),
        METHODS,
        [vl.attacks.Homogeneity(), vl.attacks.Linking()],
        [vl.measures.Marginals()],
        so_far=shared.append,
    )
    return comparison, shared


def test_who_shows_everyone_never_wins_in_silence(found: tuple[Comparison, list[Any]]) -> None:
    comparison = found[0]
    assert comparison.best is not None
    assert comparison.best.recognisable
    assert comparison.best_hiding is not None
    assert comparison.best_hiding.title == "mondrian"
    assert "everyone is recognisable; best that hides people: mondrian" in repr(comparison)
    assert "Least loss among those that hide who is who" in comparison.html
    assert comparison.as_json()["best_hiding"] == 1


def test_the_same_release_is_listed_once(found: tuple[Comparison, list[Any]]) -> None:
    """Without hierarchies, cutting along them gives the same boxes."""
    comparison = found[0]
    assert [row.title for row in comparison.rows] == ["anatomy", "mondrian"]
    assert comparison.rows[1].also == ("mondrian (recoding=hierarchy)",)
    assert "The same release: mondrian (recoding=hierarchy)." in comparison.html


def test_of_equal_releases_the_less_exposed_one_stays() -> None:
    risky, safe = AttackResult("minimality", "m", worst=0.9), AttackResult("minimality", "m", worst=0.4)
    one = Trial("one", "p", {}, (), verified="holds", digest="a", reached=(risky,))
    two = replace(one, title="two", reached=(safe,))
    (row,) = TrialTable((one,), (), "marginals", 9).with_trial(two).rows
    assert (row.title, row.also) == ("two", ("one",))
    for other in (replace(two, digest="b"), replace(two, digest=""), replace(two, verified="broken")):
        assert len(TrialTable((one,), (), "marginals", 9).with_trial(other).rows) == 2
    assert len(TrialTable((one,), (), "marginals", 9).with_trial(replace(two, promise="q")).rows) == 2


def test_a_trial_is_shared_before_its_attacks_and_wins_nothing_then() -> None:
    trial = Trial("one", "p", {}, (), verified="holds", complete=False)
    assert not trial.kept
    assert replace(trial, complete=True).kept


def test_the_share_of_stars_is_that_of_the_table(data: Microdata) -> None:
    release = vl.publish(data, vl.KAnonymity(k=5), vl.FullDomain())
    comparison = vl.compare(data, vl.KAnonymity(k=5), [vl.FullDomain()], [], [vl.measures.Marginals()], allow_lost=True)
    table = release.to_polars()
    assert comparison.rows[0].stars == {name: (table[name] == "*").mean() for name in ("birth", "sex", "zip")}
    assert any(comparison.rows[0].stars.values())
    each = comparison.as_json()["trials"][0]["columns"]["each"]
    assert [entry["column"] for entry in each] == ["birth", "sex", "zip", "disease"]
    assert [entry["stars"] for entry in each][-1] is None


def test_attacks_inside_come_first_and_each_has_a_sentence(found: tuple[Comparison, list[Any]]) -> None:
    meanings = explain_attacks(found[0].rows)
    assert [item.inside for item in meanings] == [True, False, False]
    ends = {item.title: item.sentence.rpartition(", ")[2] for item in meanings}
    assert ends.pop("Marketer") == "on average over all people."
    assert set(ends.values()) == {"for the person most at risk."}
    assert "how likely the row that an adversary picks is the person's" in meanings[-1].sentence


def test_prices_are_those_of_the_sizes_alone(data: Microdata) -> None:
    prices = price_steps(data, vl.Policy(vl.KAnonymity(k=5)))
    assert [price.step for price in prices][:2] == [
        "groups of 10 rows instead of 5",
        "withholding 1 % of the rows",
    ]
    rows = data.rows.collect()
    assert prices[0].before == measure_losses(data.columns, rows, 5).mean()
    assert prices[0].after == measure_losses(data.columns, rows, 10).mean() > prices[0].before
    assert all(price.after < price.before for price in prices[2:]), "without a column the others lose less"
    assert price_steps(data, vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=2))) == prices
    assert price_steps(data, vl.Policy(vl.KAnonymity(k=5000))) == ()
