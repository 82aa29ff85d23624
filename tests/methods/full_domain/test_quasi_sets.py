"""Several sets of quasi-identifiers: enumerated on tiny tables, by code that knows nothing of the search."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import PolicyError, SchemaError, Unsatisfiable

SETS = [["a", "b"], ["b", "c"]]
HIERARCHIES = {name: vl.intervals(2) for name in "abc"}


def tiny(seed: int, rows: int = 9) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame({name: rng.integers(0, 4, rows) for name in "abc"} | {"ill": rng.choice(list("wxyz"), rows)})


def read(frame: pl.DataFrame, sets: Any = SETS) -> Any:
    return vl.read(frame, vl.Schema(quasi=list("abc"), sensitive=["ill"], hierarchies=HIERARCHIES, quasi_sets=sets))


def show(value: int, level: int) -> str:
    return [str(value), str(value // 2), "*"][level]


def losses(frame: pl.DataFrame, levels: tuple[int, ...]) -> float:
    """Measure the mean share of its range that a cell spans."""
    total = 0.0
    for name, level in zip("abc", levels, strict=True):
        values = frame[name].to_list()
        spread = max(values) - min(values)
        for value in values:
            alike = [other for other in values if show(other, level) == show(value, level)]
            total += (max(alike) - min(alike)) / spread if spread else 0
    return total / (3 * frame.height)


@pytest.mark.parametrize("seed", range(25))
def test_the_best_levels_are_those_of_an_enumeration(seed: int) -> None:
    frame, k = tiny(seed), 3
    allowed = []
    for levels in itertools.product(range(3), repeat=3):
        shown = [tuple(map(show, row, levels)) for row in frame.select("a", "b", "c").iter_rows()]
        counts = [Counter((row[i], row[j]) for row in shown) for i, j in ((0, 1), (1, 2))]
        if all(min(count.values()) >= k for count in counts):
            allowed.append(losses(frame, levels))
    data = read(frame)
    release = vl.publish(data, vl.KAnonymity(k=k), vl.FullDomain(), key=vl.Key(bytes(32)))
    assert vl.verify(release).holds
    assert vl.measure(data, release, [vl.measures.Certainty()]).items[0].value == pytest.approx(min(allowed))
    table = release.tables["table"].cast(pl.String)
    for names in SETS:
        assert min(Counter(table.select(names).iter_rows()).values()) >= k
    union = vl.publish(read(frame, ()), vl.KAnonymity(k=k), vl.FullDomain(), key=vl.Key(bytes(32)))
    assert vl.measure(data, union, [vl.measures.Certainty()]).items[0].value >= min(allowed) - 1e-9


@pytest.fixture(scope="module")
def release() -> Any:
    policy = vl.Policy(vl.KAnonymity(k=2), vl.LDiversity(l=2))
    return vl.publish(read(tiny(1, 60)), policy, vl.FullDomain(), key=vl.Key(bytes(32)))


def test_each_set_is_certified_and_attacked(release: Any, tmp_path: Any) -> None:
    claims = release.certificate.claims
    assert [(claim["model"], claim["quasi"]) for claim in claims] == [
        (model, names) for names in SETS for model in ("k-anonymity", "l-diversity")
    ]
    assert all("columns of another set" in claim["not_covered"][-1] for claim in claims)
    release.save(tmp_path / "out")
    verdict = vl.verify(tmp_path / "out")
    assert verdict.holds
    assert "k-anonymity (k=2) against whoever knows a and b" in [check.what for check in verdict.checks]
    audit = vl.audit(vl.load(tmp_path / "out"), read(tiny(1, 60)))
    assert {finding.title.split(" (knowing ")[1] for finding in audit.findings} == {"a and b)", "b and c)"}
    assert all(finding.passed for finding in audit.findings if finding.inside)


def test_forged_sets_are_broken(release: Any) -> None:
    claims, document = release.certificate.claims, json.loads(json.dumps(release.dictionary))
    for changed in (claims[:2], claims[:3], ({**claims[0], "quasi": ["a"]}, *claims[1:])):
        forged = release.with_certificate(replace(release.certificate, claims=changed))
        assert vl.verify(forged).broken
    for sets in ([["a", "b", "c"]], [["a"], ["b"]], [["a", "b"], ["b"], ["c"]], [], "ab", [["a", "b"], ["b", "z"]]):
        assert vl.verify(replace(release, dictionary={**document, "quasi_sets": sets})).broken
    without = {key: value for key, value in document.items() if key != "quasi_sets"}
    assert vl.verify(replace(release, dictionary=without)).broken


@pytest.mark.parametrize(
    "sets", [[["a", "b"]], [["a", "b"], ["b"]], [["a"], ["b"]], [["a", "b"], ["c", "d"]], "abc", [["a", "b"], "c"]]
)
def test_sets_that_make_no_sense_are_refused(sets: Any) -> None:
    with pytest.raises(SchemaError):
        vl.Schema(quasi=list("abc"), quasi_sets=sets)


@pytest.mark.parametrize(
    "method", [vl.Mondrian(suppression=0.1), vl.Cluster(), vl.FullDomain(suppression=0.1), vl.FullDomain(blanks=True)]
)
def test_methods_that_cannot_judge_sets_say_so(method: Any) -> None:
    with pytest.raises(PolicyError) as caught:
        vl.publish(read(tiny(1)), vl.KAnonymity(k=2), method)
    assert caught.value.code == "policy.quasi-sets"


def test_earlier_releases_and_hopeless_tables_are_refused(release: Any) -> None:
    with pytest.raises(PolicyError, match="earlier releases"):
        vl.publish(read(tiny(1)), vl.KAnonymity(k=2), vl.FullDomain(), after=[release])
    with pytest.raises(Unsatisfiable):
        vl.publish(read(tiny(1)), vl.KAnonymity(k=10), vl.FullDomain())
