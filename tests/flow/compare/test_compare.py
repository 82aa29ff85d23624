"""Compare: which trials there are, what they find, and that the best one is the best."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.adversaries.adversary import Adversary, Knowledge
from voile.attacks.base import Attack, Guess
from voile.errors import DataError, PolicyError
from voile.flow.compare.compare import list_variations
from voile.measures.base import Measure
from voile.plugins import registry
from voile.plugins.registry import registered_classes
from voile.results import Belief
from voile.tables.microdata import Microdata

QUICK = [vl.measures.Certainty(), vl.measures.QueryError(queries=50, repetitions=2)]
COINS = vl.Key(bytes(32))


@pytest.fixture(scope="module")
def data() -> Microdata:
    schema = vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"], hierarchies={"zip": vl.prefixes(5, 3, 1)})
    return vl.read(vl.datasets.hospital(), schema)


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is forgotten."""
    known = {family: registered_classes(family) for family in registry.FAMILIES}
    monkeypatch.setattr(registry, "_registry", known)


def compared(data: Microdata, *arguments: Any, **options: Any) -> Any:
    return vl.compare(data, *arguments, **{"measures": QUICK, "key": COINS, **options})


def test_every_method_that_fits_in_the_settings_it_names(data: Microdata) -> None:
    found = compared(data, vl.LDiversity(l=3), attacks=[vl.attacks.Homogeneity()])
    titles = [row.title for row in found.rows]
    assert "mondrian" in titles
    assert "mondrian (recoding=hierarchy)" in titles
    assert "anatomy" in titles
    assert "art" not in titles, "it serves r-robustness alone"
    assert all(row.fault is None for row in found.rows)
    assert len(titles) == len(set(titles))


def test_variations_are_of_every_registered_method() -> None:
    made = list(list_variations(later=True))
    named = {"local-recoding"}  # it takes long on large tables, and is tried if it is named
    assert {method.name for method in made} == set(registered_classes("methods")) - named
    assert len(set(map(repr, made))) == len(made)


def test_a_trial_says_what_publish_audit_and_measure_say(data: Microdata) -> None:
    policy, method = vl.Policy(vl.KAnonymity(k=4), vl.LDiversity(l=2)), vl.Mondrian()
    attacks = [vl.attacks.Linking(), vl.attacks.Homogeneity(), vl.attacks.Skewness()]
    (row,) = compared(data, policy, [method], attacks).rows
    release = vl.publish(data, policy, method, key=COINS)
    audit = vl.audit(release, data, attacks)
    losses = vl.measure(data, release, QUICK)
    assert [(item.title, item.worst, item.mean, item.inside, item.passed) for item in row.reached] == [
        (item.title, item.belief.worst, item.belief.mean, item.inside, item.passed) for item in audit.findings
    ]
    assert [item.value for item in row.losses] == [item.value for item in losses.items]
    assert (row.people, row.groups, row.verified) == (release.people, release.groups, "holds")
    assert row.kept is audit.passed is True


def test_the_best_keeps_the_promise_at_the_least_loss(data: Microdata) -> None:
    found = compared(data, vl.LDiversity(l=3), attacks=[vl.attacks.Homogeneity()])
    assert found.by == "query-error"
    assert found.best.loss("query-error") == min(row.loss("query-error") for row in found.rows if row.kept)
    by_cells = compared(data, vl.LDiversity(l=3), attacks=[], by="certainty")
    assert by_cells.best.loss("certainty") == min(row.loss("certainty") for row in by_cells.rows)


@dataclass(frozen=True)
class Seer(Attack):
    """Knows the value of everybody in a bucketized release."""

    def applies(self, target: object) -> bool:
        return getattr(target, "shape", "") == "bucketized"

    def guesses(self, target: Any, external: Any) -> list[Guess]:
        who = Adversary.who("seer", Knowledge.QUASI)
        return [Guess("Seer", who, Belief("belief", np.array([1.0]), np.array([target.people]), 0.1, "disease"))]


def test_an_attack_inside_the_promise_that_succeeds_disqualifies(data: Microdata) -> None:
    found = compared(data, vl.LDiversity(l=3), [vl.Anatomy(), vl.Mondrian()], [Seer()])
    anatomy, mondrian = found.rows
    assert anatomy.loss("query-error") < mondrian.loss("query-error")
    assert not anatomy.kept
    assert anatomy.reached[0].share == 1.0
    assert mondrian.reached[0].worst is None, "it says nothing there"
    assert found.best is mondrian
    assert found.frontier("nobody") == []


@dataclass(frozen=True)
class Stumbling(Attack):
    """Ends in an error."""

    def guesses(self, target: Any, external: Any) -> list[Guess]:
        raise DataError("It stumbles.", code="data.stumble", hint="Lift your feet.")


@dataclass(frozen=True)
class Speechless(Measure):
    """Has no value."""

    def __call__(self, data: Any, release: Any) -> Any:
        raise PolicyError("It has no word for this.", code="policy.speechless")


def test_errors_of_attacks_and_measures_are_kept_with_the_trial(data: Microdata) -> None:
    found = compared(data, vl.LDiversity(l=3), [vl.Mondrian()], [Stumbling()], measures=[Speechless(), *QUICK])
    (row,) = found.rows
    assert row.reached[0].fault.code == "data.stumble"
    assert row.losses[0].fault.code == "policy.speechless"
    assert row.loss("query-error") is not None
    assert not row.kept, "an attack that fails leaves the promise open"
    assert found.best is None
    assert "It stumbles." in found.html
    assert "OPEN" in found.html


def test_what_does_not_fit_or_cannot_be_done_is_a_row_with_a_reason(data: Microdata) -> None:
    found = compared(data, [vl.LDiversity(l=3), vl.LDiversity(l=50)], [vl.Art(), vl.Mondrian()], [])
    reasons = [(row.promise, row.title, row.fault.code if row.fault else None) for row in found.rows]
    assert reasons == [
        ("l-diversity (l=3)", "art", "policy.method"),
        ("l-diversity (l=3)", "mondrian", None),
        ("l-diversity (l=50)", "art", "policy.method"),
        ("l-diversity (l=50)", "mondrian", "unsatisfiable.l-diversity"),
    ]
    assert "largest possible l is 7" in found.rows[3].fault.hint
    assert found.best_for("l-diversity (l=50)") is None
    assert found.best is found.rows[1]
    assert "NO RELEASE" in found.html
    assert "None of 2 trials keeps l-diversity (l=50). The most frequent value of" in found.html


@pytest.mark.parametrize(
    ("arguments", "options", "code"),
    [
        (([],), {}, "policy.empty"),
        ((vl.KAnonymity(k=3), []), {}, "policy.method"),
        ((vl.KAnonymity(k=3),), {"adversary": "nobody"}, "policy.unknown-adversary"),
        ((vl.KAnonymity(k=3),), {"by": "class-size"}, "policy.by"),
        ((vl.LDiversity(l=3, column="cost"),), {}, "policy.column"),
        ((vl.Policy(vl.MConfidentiality(m=2), vl.AntiCorruption()),), {}, "policy.method"),
    ],
)
def test_a_wrong_request_is_refused_before_any_work(data: Microdata, arguments: Any, options: Any, code: str) -> None:
    words: list[str] = []
    with pytest.raises(PolicyError) as caught:
        compared(data, *arguments, progress=lambda done, total, what: words.append(what), **options)
    assert caught.value.code == code
    assert caught.value.hint
    assert words == []


def test_faults_of_several_policies_are_raised_together(data: Microdata) -> None:
    with pytest.raises(PolicyError) as caught:
        compared(data, [vl.LDiversity(l=3, column="cost"), vl.KE(k=2, e=1)])
    assert len(caught.value.problems) == 2


def test_adversaries_by_name(data: Microdata) -> None:
    found = compared(data, vl.KAnonymity(k=4), [vl.Mondrian()], adversary=["neighbour", "employer"])
    reached = found.rows[0].reached
    assert {item.presets for item in reached} == {("neighbour",), ("employer",)}
    assert [item.worst for item in reached if "employer" in item.presets] == [None, None]
    assert "Attacks that apply to none of these releases: chain, exclusion." in found.html


def test_long_attacks_are_quick_where_nothing_is_promised(data: Microdata) -> None:
    by_name = compared(data, vl.KAnonymity(k=4), [vl.Mondrian()], adversary="statistician").rows[0]
    listed = compared(data, vl.KAnonymity(k=4), [vl.Mondrian()], [vl.attacks.Prior()]).rows[0]
    assert "6 column sets" in by_name.reached[0].title, "two columns at most"
    assert "7 column sets" in listed.reached[0].title, "as it was asked for"


def test_a_promise_about_statistics_is_attacked_with_them(data: Microdata) -> None:
    (row,) = compared(data, vl.RRobustness(r=3), [vl.Art()], adversary="insurer").rows
    prior = next(item for item in row.reached if item.attack == "prior")
    assert prior.inside
    assert prior.passed
    assert "7 column sets" in prior.title
    assert row.verified == "holds"


def test_a_promise_about_coins_is_verified_with_the_key(data: Microdata) -> None:
    policy = vl.AntiCorruption(rho1=0.2, rho2=0.5)
    (row,) = compared(data, policy, [vl.PerturbedGeneralization()], adversary="thief", measures=QUICK).rows
    assert row.verified == "holds"
    assert row.kept


def test_several_promises_make_a_frontier(data: Microdata) -> None:
    policies = [vl.KAnonymity(k=k) for k in (2, 5, 20)]
    found = compared(data, policies, [vl.Mondrian()], [vl.attacks.Linking()], by="certainty")
    risks = [row.risk() for row in found.rows]
    losses = [row.loss("certainty") for row in found.rows]
    assert risks == sorted(risks, reverse=True)
    assert losses == sorted(losses)
    assert found.frontier() == list(found.rows)
    assert found.best is found.rows[0], "of the promise that was asked for first"
    assert found.risk_before() > risks[0]


def test_word_of_progress(data: Microdata) -> None:
    words: list[tuple[int, int, str]] = []
    methods = [vl.Mondrian(), vl.Anatomy()]
    compared(data, vl.LDiversity(l=2), methods, [], progress=lambda *word: words.append(word))
    assert words[0][:2] == (0, 3)
    assert words[-1] == (3, 3, "the original table")
    assert [done for done, _, _ in words] == sorted(done for done, _, _ in words)
    frame = vl.datasets.hospital()
    said = " ".join(what for _, _, what in words)
    assert not [value for value in frame["disease"].unique() if value in said]


def test_json_and_frame(data: Microdata) -> None:
    found = compared(data, vl.LDiversity(l=3), [vl.Mondrian(), vl.Art()], [vl.attacks.Homogeneity()])
    told = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert told["best"] == 0
    assert told["best_for"] == {"l-diversity (l=3)": 0}
    assert told["frontier"] == [0]
    assert [row["kept"] for row in told["trials"]] == [True, False]
    frame = found.frame()
    assert frame.height == 2
    assert frame["fault"].to_list() == [None, "policy.method"]
    assert frame["share above"].to_list() == [0.0, None]
    assert frame["loss query-error"].dtype == pl.Float64


@pytest.mark.usefixtures("forgetful")
def test_what_is_registered_later_is_compared_without_a_word_about_it(data: Microdata) -> None:
    @dataclass(frozen=True)
    class Curious(Attack):
        """A third party's."""

        name: ClassVar[str] = "curious"

        def guesses(self, target: Any, external: Any) -> list[Guess]:
            who = Adversary.who("stranger", Knowledge.QUASI)
            return [Guess("Curious", who, Belief("identity", np.array([0.5]), np.array([target.people]), 0.1))]

    found = compared(data, vl.KAnonymity(k=4), [vl.Mondrian()], measures=QUICK)
    assert "Curious" in [item.title for item in found.rows[0].reached]
    assert "Curious" in found.html
    assert "curious" in found.frame()["attack"].to_list()


def test_what_there_is_so_far_after_each_trial(data: Microdata) -> None:
    seen: list[vl.Comparison] = []
    methods = [vl.Mondrian(), vl.Anatomy()]
    found = vl.compare(data, vl.LDiversity(l=3), methods, [], [vl.measures.QueryError(queries=20)], so_far=seen.append)
    assert found.rows[:1] in [one.rows for one in seen]
    assert seen[-1].rows == found.rows
    assert {len(one.rows) for one in seen} == {1, 2}  # a slow trial is shared before its attacks, too
    assert seen[0].best is not None
    assert seen[0].best.title == found.rows[0].title
