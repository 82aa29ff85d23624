"""Every claim that covers an adversary who knows the algorithm is checked exhaustively on tiny tables: all methods with
all models that fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

import voile as vl
from voile.errors import PolicyError
from voile.flow.publish.plan import check_request
from voile.plugins import registry
from voile.plugins.registry import registered_classes
from voile.testing import TinyTable, check_claim
from voile.testing.plugin_contract import example_of

# knobs that mean something for two or three values; of every other class the usual example
FITTING: dict[str, Any] = {
    "alpha-k-anonymity": vl.AlphaK(alpha=0.5, k=2),
    "anti-corruption": vl.AntiCorruption(skew=0.5, rho1=0.5, rho2=0.7),
    "label-differential-privacy": vl.LabelDifferentialPrivacy(epsilon=1.0),
    "m-confidentiality": vl.MConfidentiality(m=2, protect=("hiv",)),
    "perturbed-generalization": vl.PerturbedGeneralization(s=0.5),
    "personalized": vl.Personalized(p=0.5, nodes=("hiv",)),
    "r-robustness": vl.RRobustness(r=2, protect=("hiv",)),
}
TINY = TinyTable((("x",), ("x",), ("y",), ("y",)))


def own_classes(family: str) -> list[Any]:
    return [
        FITTING.get(name) or example_of(cls)
        for name, cls in registered_classes(family).items()
        if cls.__module__.startswith("voile.")
    ]


def fitting_pairs() -> Iterator[Any]:
    for method in own_classes("methods"):
        for model in own_classes("models"):
            try:
                check_request(TINY.data.columns, TINY.data.rows, vl.Policy(model), method)
            except PolicyError:
                continue
            yield pytest.param(method, model, id=f"{method.name}-{model.name}")


def test_every_method_has_a_model() -> None:
    paired = {pair.values[0].name for pair in fitting_pairs()}
    assert paired == {method.name for method in own_classes("methods")}


@pytest.mark.parametrize(("method", "model"), [*fitting_pairs()])
def test_a_claim_that_covers_the_algorithm_is_kept(method: Any, model: Any) -> None:
    coins = method.name in ("perturbed-generalization", "mask")
    covered = check_claim(method, model, tables=2 if coins else 6, people=(2, 2) if coins else (2, 4))
    sizes_only = method.name in ("append", "cluster", "mondrian", "full-domain") and model.name == "k-anonymity"
    assert covered == (sizes_only or model.basis == "process" or method.name in ("capped-counts", "accounted-cuts"))


@dataclass(frozen=True)
class Boastful(vl.Mondrian):
    """Mondrian, with a claim that it cannot keep.

    Claim: too much. Against: somebody who knows the algorithm. Needs: nothing. Why: no reason. Source: none.
    """

    name: ClassVar[str] = "boastful"

    def covers_algorithm(self, policy: vl.Policy) -> bool:
        return True


@dataclass(frozen=True)
class Modest(vl.Mondrian):
    """Mondrian, as somebody else may build upon it without a thought about this.

    Claim: what Mondrian claims. Against: the same. Needs: nothing. Why: it is Mondrian. Source: none.
    """

    name: ClassVar[str] = "modest"


for own in (Boastful, Modest):
    registry._registry["methods"].pop(own.name)  # other tests try every method that is registered


def test_a_method_of_somebody_else_is_held_to_its_word() -> None:
    methods = registry._registry["methods"]
    methods["boastful"], methods["modest"] = Boastful, Modest
    try:
        assert check_claim(Boastful, vl.KAnonymity(k=2))
        with pytest.raises(AssertionError, match="covers an adversary who knows the algorithm"):
            check_claim(Boastful, vl.LDiversity(l=2))
        assert not check_claim(Modest, vl.KAnonymity(k=2))
    finally:
        del methods["boastful"], methods["modest"]
