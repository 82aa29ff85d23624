"""Somebody else's classes: dropped in as a file, checked by the same contracts, and refused by name when they lie."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.attacks.base import Attack, Guess
from voile.errors import PolicyError, SpecError
from voile.measures.base import Measure
from voile.methods.base import Method
from voile.models.base import Model
from voile.plugins import registry
from voile.plugins.registry import build_plugin, knob, load_plugin, registered_classes
from voile.results import Belief, Loss
from voile.tables.group_counts import Counts
from voile.testing import check_attack, check_measure, check_method, check_model, sample

TOYS = '''
"""A toy model, attack and measure of a third party."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.extend import Adversary, Attack, Belief, Guess, Knowledge, Loss, Measure, Model, knob


@dataclass(frozen=True)
class ToyShare(Model):
    """No value covers more than a share of a group."""

    name: ClassVar[str] = "toy-share"

    share: float = knob(above=0, high=1)

    def holds(self, counts):
        return counts.largest() <= self.share * counts.sizes

    def bound(self):
        return Fraction(str(self.share))

    def adversary(self):
        return Adversary.who("neighbour", Knowledge.MEMBERSHIP, Knowledge.QUASI)

    def promise(self, column):
        return f"Nobody is linked to a value of {column!r} with probability above {self.share:g}."


@dataclass(frozen=True)
class ToyGuess(Attack):
    """Believe the most frequent value of the group."""

    name: ClassVar[str] = "toy-guess"

    def guesses(self, target, external):
        who = Adversary.who("neighbour", Knowledge.MEMBERSHIP, Knowledge.QUASI)
        found = []
        for name, counts in target.tallies.items():
            usual = float(counts.totals.max() / counts.totals.sum())
            belief = Belief("belief", counts.largest() / counts.sizes, counts.sizes, usual, name)
            found.append(Guess("Toy guess", who, belief))
        return found


@dataclass(frozen=True)
class ToyGroups(Measure):
    """One over the number of groups."""

    name: ClassVar[str] = "toy-groups"

    def __call__(self, data, release):
        return Loss(self.name, "Toy", 1 / release.groups)
'''


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """What a test registers is forgotten after it."""
    for family in registry.FAMILIES:
        registered_classes(family)
    before = {family: dict(known) for family, known in registry._registry.items()}
    registry._registry["models"]["honest"] = Honest
    yield
    for family, known in registry._registry.items():
        known.clear()
        known.update(before[family])
    sys.modules.pop("toys", None)


@pytest.fixture
def toys(tmp_path: Path) -> Path:
    path = tmp_path / "toys.py"
    path.write_text(TOYS, encoding="utf-8")
    return path


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "voile", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_a_file_is_enough(toys: Path) -> None:
    load_plugin(str(toys))
    check_model(registered_classes("models")["toy-share"])
    check_model(build_plugin("models", "toy-share", {"share": "1/3"}))  # type: ignore[arg-type]
    check_attack(registered_classes("attacks")["toy-guess"])
    check_measure(registered_classes("measures")["toy-groups"])


def test_a_toy_model_is_published_claimed_and_audited(toys: Path, tmp_path: Path) -> None:
    load_plugin(str(toys))
    data = vl.read(*sample(60, 0))
    model: Any = build_plugin("models", "toy-share", {"share": 0.5})
    release = vl.publish(data, vl.Policy(model))
    place = release.save(tmp_path / "out")
    assert vl.verify(place).holds
    assert release.certificate.claims[0]["bound"] == "1/2"
    found = vl.audit(vl.load(place), data, [build_plugin("attacks", "toy-guess", {}), vl.attacks.Homogeneity()])
    assert [finding.bound for finding in found.findings] == [Fraction(1, 2)] * 2
    assert found.passed


def test_a_claim_of_an_unknown_model_is_never_believed(toys: Path, tmp_path: Path) -> None:
    load_plugin(str(toys))
    model: Any = build_plugin("models", "toy-share", {"share": 0.5})
    place = vl.publish(vl.read(*sample(30, 0)), vl.Policy(model)).save(tmp_path / "out")
    del registry._registry["models"]["toy-share"]
    assert not vl.verify(place).holds


def test_the_command_line_takes_plugins(toys: Path, tmp_path: Path) -> None:
    frame, _ = sample(60, 1)
    frame.write_csv(tmp_path / "people.csv")
    roles = ("--quasi", "age,city,visit", "--sensitive", "disease")
    ask = ("publish", tmp_path / "people.csv", "--out", tmp_path / "out", *roles, "--model", "toy-share:share=0.5")
    refused = run(*ask)
    assert refused.returncode == 2
    assert "toy-share" in refused.stderr
    made = run(*ask, "--plugin", toys, "--json")
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["verdict"]["holds"] is True
    checked = run("verify", tmp_path / "out", "--plugin", toys)
    assert checked.returncode == 0, checked.stderr
    attacked = run("audit", tmp_path / "out", "--attack", "toy-guess", "--plugin", toys, "--json")
    assert attacked.returncode == 0, attacked.stderr
    finding = json.loads(attacked.stdout)["findings"][0]
    assert (finding["attack"], finding["bound"], finding["passed"]) == ("toy-guess", "1/2", True)


def test_a_plugin_that_is_not_there(tmp_path: Path) -> None:
    for source in (str(tmp_path / "absent.py"), "no_such_module_of_anybody"):
        with pytest.raises(SpecError) as caught:
            load_plugin(source)
        assert caught.value.code == "spec.plugin"


def test_two_plugins_of_one_name_are_refused(toys: Path) -> None:
    load_plugin(str(toys))
    with pytest.raises(SpecError) as caught:

        @dataclass(frozen=True)
        class Other(Model):
            name: ClassVar[str] = "toy-share"

    assert caught.value.code == "spec.plugin-name"


# contracts catch lies -----------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Honest(Model):
    """At least k rows per group: true, and to be spoiled below."""

    name: ClassVar[str] = "honest"

    k: int = knob(low=2)

    def holds(self, counts: Counts) -> np.ndarray:
        return np.asarray(counts.sizes >= self.k)

    def bound(self) -> Fraction:
        return Fraction(1, self.k)

    def adversary(self) -> vl.Adversary:
        return vl.KAnonymity(k=self.k).adversary()

    def promise(self, column: str) -> str:
        return f"Nobody is alone with their {column!r}."

    def smallest(self) -> int:
        return self.k


del registry._registry["models"]["honest"]  # each test of this file enters it anew; no other test sees it


def spoiled(base: type, **parts: Any) -> Any:
    """A registered class that differs from an honest one in some parts."""
    body = {"name": "spoiled", "__doc__": base.__doc__, "__annotations__": {"name": "ClassVar[str]"}, **parts}
    return dataclass(frozen=True)(type("Spoiled", (base,), {**body, "__module__": __name__}))


def sometimes(self: Any, counts: Counts) -> np.ndarray:
    return np.random.default_rng().random(counts.groups) < 0.5


MODEL_LIES: dict[str, tuple[dict[str, Any], str]] = {
    "not one answer a group": ({"holds": lambda self, counts: np.array([True])}, "for each group"),
    "not a truth value": ({"holds": lambda self, counts: counts.sizes}, "True or False"),
    "coins": ({"holds": sometimes}, "holds()"),
    "looks at its neighbours": (
        {"holds": lambda self, counts: counts.sizes >= max(counts.sizes.mean(), self.k)},
        "holds()",
    ),
    "not monotone": (
        {"holds": lambda self, counts: (counts.sizes >= self.k) & (counts.sizes % 2 == 1)},
        "monotone",
    ),
    "smallest too large": ({"smallest": lambda self: self.k + 1}, "smallest"),
    "a float for a bound": ({"bound": lambda self: 1 / self.k}, "Fraction"),
    "a bound above 1": ({"bound": lambda self: Fraction(self.k)}, "between 0 and 1"),
    "no promise": ({"promise": lambda self, column: " "}, "promise()"),
    "no adversary": ({"adversary": lambda self: "a neighbour"}, "adversary()"),
    "bounds something unheard of": ({"limits": "happiness"}, "limits"),
    "a basis unheard of": ({"basis": "trust"}, "basis"),
    "no docstring": ({"__doc__": ""}, "docstring"),
}


@pytest.mark.parametrize("lie", MODEL_LIES)
def test_a_model_that_lies_is_caught(lie: str) -> None:
    parts, complaint = MODEL_LIES[lie]
    check_model(Honest(k=3))
    with pytest.raises(AssertionError) as caught:
        check_model(spoiled(Honest, **parts)(k=3))
    assert complaint in str(caught.value)


def test_a_size_model_with_a_rule_of_its_own_is_asked_and_not_guessed() -> None:
    def holds(self: Any, counts: Counts) -> np.ndarray:
        return np.asarray((counts.sizes >= self.k) & (counts.sizes % 2 == 0))

    plain = spoiled(vl.KAnonymity)(k=3)
    check_model(plain)
    assert vl.Policy(plain).sizes_suffice
    even = spoiled(vl.KAnonymity, holds=holds)(k=3)
    check_model(even)
    assert not vl.Policy(even).sizes_suffice
    release = vl.publish(vl.read(*sample(40, 1)), even)
    assert (release.sizes % 2 == 0).all()


def test_too_few_distinct_values_are_caught() -> None:
    check_model(spoiled(vl.LDiversity)(l=3))
    with pytest.raises(AssertionError, match="distinct_values_needed"):
        check_model(spoiled(vl.LDiversity, distinct_values_needed=lambda self: 2)(l=3))


def test_a_model_that_is_not_monotone_may_say_so() -> None:
    holds = MODEL_LIES["not monotone"][0]["holds"]
    check_model(spoiled(Honest, holds=holds, monotone=False)(k=3))


def test_a_model_whose_basis_is_not_counts_is_checked_as_far_as_it_goes() -> None:
    check_model(spoiled(Honest, holds=lambda self, counts: None, basis="process")(k=3))


def test_a_model_must_be_frozen_and_registered() -> None:
    thawed = type("Thawed", (Honest,), {"__module__": __name__, "__doc__": "x"})
    with pytest.raises(AssertionError, match="frozen"):
        check_model(thawed(k=3))
    cls = spoiled(Honest)
    del registry._registry["models"]["spoiled"]
    with pytest.raises(AssertionError, match="not registered"):
        check_model(cls(k=3))


def test_a_model_that_no_column_fits_asks_for_one() -> None:
    def refuse(self: Any, column: Any) -> None:
        raise PolicyError("no.", code="policy.toy")

    cls = spoiled(vl.LDiversity, check=refuse)
    with pytest.raises(AssertionError, match="pass one"):
        check_model(cls(l=2))
    column = vl.read(pl.DataFrame({"v": ["a", "b", "c"]}), vl.Schema(quasi="v")).columns["v"]
    check_model(cls(l=2), column)


def test_a_method_that_lies_is_caught() -> None:
    def fresh(self: Any, columns: Any, rows: Any, policy: Any) -> Any:
        return vl.Anatomy.group(self, columns, rows.with_key(vl.Key.fresh()), policy)

    with pytest.raises(AssertionError, match="lacks"):
        check_method(spoiled(vl.Anatomy, __doc__="Claim: all is well."))
    with pytest.raises(AssertionError, match="same key"):
        check_method(spoiled(vl.Anatomy, group=fresh))
    with pytest.raises(SpecError, match="says that it produces 'generalized' tables, but it shows bucketized ones"):
        check_method(spoiled(vl.Anatomy, produces="generalized"), vl.LDiversity(l=2))

    def leaking(self: Any, columns: Any, rows: Any) -> Any:
        release = vl.Anatomy.show(self, columns, rows)
        target = release.described("sensitive")[0]  # a declared domain may list what no row has
        values = [*target["domain"]["values"], rows.key.secret.hex()]
        entry = {**target, "domain": {"values": values, "missing": False, "declared": True}}
        told = [entry if one is target else one for one in release.dictionary["columns"]]
        return type(release)(release.tables, {**release.dictionary, "columns": told}, release.certificate)

    with pytest.raises(AssertionError, match="the key appears in a published file"):
        check_method(spoiled(vl.Anatomy, show=leaking))

    def refuse(self: Any, columns: Any, policy: Any) -> None:
        raise PolicyError("no.", code="policy.toy")

    with pytest.raises(AssertionError, match="pass one"):
        check_method(spoiled(vl.Anatomy, check=refuse))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"risk": lambda risk: risk * 3}, "between 0 and 1"),
        ({"people": lambda people: people + 1}, "everybody"),
        ({"limits": lambda limits: "happiness"}, "limits"),
        ({"baseline": lambda baseline: -0.1}, "baseline"),
        ({"risk": lambda risk: risk * np.random.default_rng().random(len(risk))}, "same twice"),
    ],
)
def test_an_attack_that_lies_is_caught(change: dict[str, Any], complaint: str) -> None:
    def guesses(self: Any, target: Any, external: Any) -> list[Guess]:
        found = []
        for guess in vl.attacks.Homogeneity().guesses(target, external):
            parts = {name: getattr(guess.belief, name) for name in ("limits", "risk", "people", "baseline")}
            parts |= {name: work(parts[name]) for name, work in change.items()}
            found.append(Guess(guess.title, guess.adversary, Belief(**parts)))
        return found

    with pytest.raises(AssertionError, match=complaint):
        check_attack(spoiled(vl.attacks.Homogeneity, guesses=guesses))


def test_an_attack_must_guess() -> None:
    with pytest.raises(AssertionError, match="guess something"):
        check_attack(spoiled(vl.attacks.Homogeneity, guesses=lambda self, target, external: []))


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        (lambda release: float("nan"), "finite"),
        (lambda release: -1.0, "negative"),
        (lambda release: float(release.groups), "one box"),
        (lambda release: float(np.random.default_rng().random()), "same twice"),
    ],
)
def test_a_measure_that_lies_is_caught(value: Any, complaint: str) -> None:
    def call(self: Any, data: Any, release: Any) -> Loss:
        return Loss(self.name, "Toy", value(release))

    with pytest.raises(AssertionError, match=complaint):
        check_measure(spoiled(vl.measures.Certainty, __call__=call))


def test_a_measure_may_be_held_to_zero() -> None:
    with pytest.raises(AssertionError, match="nothing was changed"):
        check_measure(vl.measures.ClassSize(), unchanged=0)


def test_roots_are_no_members_of_their_families() -> None:
    for root in (Model, Method, Attack, Measure):
        assert root not in registered_classes(root.family).values()


def test_a_knob_without_a_default_gets_one_within_its_limits() -> None:
    cls = type(
        "Knobs",
        (Honest,),
        {
            "__module__": __name__,
            "__doc__": "Knobs of every sort.",
            "name": "knobs",
            "__annotations__": {"name": "ClassVar[str]", "p": "float", "way": "str"},
            "p": knob(above=0, high=1),
            "way": knob(choices=("this", "that")),
        },
    )
    check_model(dataclass(frozen=True)(cls))
