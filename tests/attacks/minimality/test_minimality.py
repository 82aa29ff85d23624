"""The minimality attack on releases: the beliefs that it finds, the input that it needs, and its limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import DataError, PolicyError, SpecError, Unsatisfiable
from voile.releases.certificate import Certificate
from voile.releases.shapes.generalized import Generalized

SCHEMA = vl.Schema(quasi=["age", "city"], sensitive=["disease"])


def write_release(table: pl.DataFrame, people: pl.DataFrame, claims: tuple[Any, ...] = ()) -> tuple[Any, Any]:
    """Return a hand-written release of one column q, as another program might make it, and its people."""
    schema = vl.Schema(quasi=["q"], sensitive=["disease"])
    data = vl.read(people, schema)
    plain_release = vl.publish(data, vl.KAnonymity(k=2))
    columns = [
        {**entry, "shown": "generalized", "names": {}} if entry["name"] == "q" else entry
        for entry in plain_release.dictionary["columns"]
    ]
    certificate = Certificate("generalized", {"name": "somebody's own"}, claims, "")
    return Generalized({"table": table}, {**plain_release.dictionary, "columns": columns}, certificate), data


@pytest.fixture
def slides() -> tuple[Any, Any]:
    """The example of the slides as a real release: two q1 and two of the four q2 are shown together."""
    table = pl.DataFrame({"q": ["{q1|q2}"] * 4 + ["q2"] * 2, "disease": ["Yes", "Yes", "No", "No", "No", "No"]})
    people = pl.DataFrame({"q": ["q1"] * 2 + ["q2"] * 4, "disease": ["Yes", "Yes", "No", "No", "No", "No"]})
    return write_release(table, people)


def test_the_slides_example_on_a_release(slides: tuple[Any, Any]) -> None:
    """The release does not say who is in which group, but the register and the numbers of rows do."""
    release, people = slides
    attack = vl.attacks.Minimality(requirement=vl.AlphaK(alpha=0.5, k=2, protect=("Yes",)))
    guesses = {guess.belief.limits: guess.belief for guess in attack.guesses(release, people)}
    belief = guesses["protected belief"]
    assert belief.levels() == [(1.0, 2)]
    assert belief.details["people above 1/2"] == 2
    assert int(belief.people.sum()) == 6
    assert vl.attacks.Homogeneity().guesses(release, None)[0].belief.worst == 1.0  # the group of q2 is all No


def publish_random_table(seed: int = 0, rows: int = 200, method: Any = None) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 50, rows),
            "city": rng.choice(["a", "b", "c"], rows),
            "disease": rng.choice(["u", "v", "w", "x", "y"], rows, p=[0.35, 0.25, 0.2, 0.1, 0.1]),
        }
    )
    data = vl.read(frame, SCHEMA)
    return vl.publish(data, vl.LDiversity(l=2), method), data


def test_mondrian_under_diversity_gives_people_away() -> None:
    release, data = publish_random_table()
    audit = vl.audit(release, data, [vl.attacks.Minimality()], external=data)
    finding = audit.findings[0]
    assert not finding.inside  # the claim of l-diversity does not cover an adversary who knows the method
    assert finding.belief.worst > 0.5
    assert finding.as_json()["at_risk"][0][0] == pytest.approx(finding.belief.worst, abs=1e-4)
    levels = [level for level, _ in finding.belief.levels()]
    assert levels == sorted(levels, reverse=True)
    assert finding.before is not None


def test_blind_methods_give_nothing_away() -> None:
    """Anatomy deals values at random, and k-anonymity never looks at values."""
    release, data = publish_random_table(method=vl.Anatomy())
    blind_release = vl.publish(data, vl.KAnonymity(k=5))
    for target in (release, blind_release):
        belief = vl.attacks.Minimality().guesses(target, data)[0].belief
        naive = vl.attacks.Homogeneity().guesses(target, None)[0].belief
        assert sorted(belief.rows) == pytest.approx(sorted(naive.rows))


def test_excluding_only_the_original_table_reveals_no_more_than_one_step() -> None:
    release, data = publish_random_table()
    one_step = vl.attacks.Minimality().guesses(release, data)[0].belief
    original_table = vl.attacks.Minimality(exclusion="original").guesses(release, data)[0].belief
    assert original_table.worst <= one_step.worst


def test_a_register_is_needed_and_must_cover_the_release() -> None:
    release, _data = publish_random_table()
    with pytest.raises(SpecError, match="needs a register") as error:
        vl.attacks.Minimality().guesses(release, None)
    assert error.value.code == "spec.external"
    incomplete_register = vl.read(pl.DataFrame({"age": [20, 21], "city": ["a", "b"]}), vl.Schema(quasi=["age", "city"]))
    with pytest.raises(
        DataError, match=r"does not cover the release: in \d+ of \d+ groups it lacks \d+ people"
    ) as cover_error:
        vl.audit(release, None, [vl.attacks.Minimality()], external=incomplete_register)
    assert cover_error.value.code == "data.external-cover"


def test_a_requirement_that_the_release_does_not_satisfy_is_refused() -> None:
    release, data = publish_random_table()
    attack = vl.attacks.Minimality(requirement=vl.LDiversity(l=5))
    with pytest.raises(PolicyError, match=r"itself does not satisfy the requirement: \d+ of \d+ groups fail") as error:
        attack.guesses(release, data)
    assert error.value.code == "policy.requirement"


@pytest.mark.parametrize(
    "model",
    [
        vl.LDiversity(l=2, form="recursive", c=1),
        vl.AlphaK(alpha=0.5, k=3, protect=("x",)),
        vl.TCloseness(t=0.5),
        vl.CKSafety(c=0.8, k=1),
        vl.Personalized(p=0.5, nodes=("u", "v")),
        vl.Sequential(vl.LDiversity(l=2)),
    ],
    ids=repr,
)
def test_every_model_may_be_the_requirement(model: Any) -> None:
    _, data = publish_random_table(3)
    for method in (vl.Mondrian(), vl.FullDomain()):
        try:
            release = vl.publish(data, model, method)
        except Unsatisfiable:
            continue
        for guess in vl.attacks.Minimality().guesses(release, data):
            assert 0 <= guess.belief.worst <= 1
            assert guess.belief.details["people in groups that no table explains"] == 0


def test_a_model_of_numbers_may_be_the_requirement() -> None:
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"age": rng.integers(20, 40, 80), "city": "a", "disease": rng.integers(1, 9, 80) * 10})
    data = vl.read(frame, SCHEMA)
    release = vl.publish(data, vl.KE(k=2, e=30))
    belief = vl.attacks.Minimality().guesses(release, data)[0].belief
    assert belief.details["people in groups that no table explains"] == 0
    assert belief.floor is None  # (k, e)-anonymity bounds no belief
    assert belief.levels() == []


def test_the_command_line_lists_the_people_at_risk_in_adult(adult: pl.DataFrame, tmp_path: Path) -> None:
    """From a published Adult and its voters to the people at risk, the worst first."""
    import json

    from typer.testing import CliRunner

    from voile.cli import app

    frame = adult.head(8000)
    quasi = [name for name in frame.columns if name != "education"]
    frame.write_csv(tmp_path / "adult.csv")
    frame.select(quasi).write_csv(tmp_path / "voters.csv")
    runner = CliRunner()
    publish_arguments = ["publish", str(tmp_path / "adult.csv"), "--quasi", ",".join(quasi), "--sensitive", "education"]
    for method in ("mondrian", "full-domain"):
        folder = str(tmp_path / method)
        result = runner.invoke(
            app, [*publish_arguments, "--model", "l-diversity:l=2", "--method", method, "--out", folder]
        )
        assert result.exit_code == 0, result.output
        voters = str(tmp_path / "voters.csv")
        result = runner.invoke(app, ["audit", folder, "--attack", "minimality", "--external", voters, "--json"])
        assert result.exit_code == 0, result.output
        finding = json.loads(result.output)["findings"][0]
        assert finding["people"] == 8000
        if method == "mondrian":
            assert finding["worst"] > 0.5
            assert finding["at_risk"] == sorted(finding["at_risk"], reverse=True)
