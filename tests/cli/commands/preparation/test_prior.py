"""`voile prior`: statistics for publishing and verifying."""

from __future__ import annotations

from pathlib import Path

import pytest
from calling import ROLES, Voile

import voile as vl


def test_learned_statistics_serve_to_publish_and_verify(voile: Voile, table: Path) -> None:
    learned = voile("prior", table, "--quasi", "sex", "--sensitive", "disease", "--out", "known.csv", "--json")
    assert learned.code == 0, learned.err
    statistics = vl.read_prior("known.csv", "disease")
    assert learned.json == {"out": "known.csv", "digest": statistics.digest, "column_sets": 1, "signatures": 2}
    output = voile("prior", table, "--quasi", "sex", "--sensitive", "disease", "--out", "known.csv", "--force").out
    salted = vl.read_prior("known.csv", "disease").digest
    assert salted != statistics.digest  # nobody can test a guess about the table against it
    assert output == f"2 signatures in 1 column set, written to known.csv\n{salted}\n"
    flags = ("--model", "r-robustness:r=2,prior=known.csv", "--method", "art", "--out", "out")
    published = voile("publish", table, *ROLES, *flags)
    assert published.code == 0, published.err
    assert voile("verify", "out", "--json").json["checks"][-1]["answer"] == "needs"
    assert voile("verify", "out", "--prior", "known.csv", "--json").json["checks"][-1]["answer"] == "holds"


@pytest.mark.parametrize(
    ("flag", "value"), [("--missing", "maybe"), ("--min-support", "0"), ("--sensitive", "nothing")]
)
def test_bad_parameters_are_refused(voile: Voile, table: Path, flag: str, value: str) -> None:
    answer = voile("prior", table, "--quasi", "sex", "--sensitive", "disease", "--out", "known.csv", flag, value)
    assert answer.code == 2
    assert not (voile.folder / "known.csv").exists()


def test_rates_for_other_people_are_smoothed_by_default(voile: Voile, table: Path) -> None:
    learn = ("prior", table, "--quasi", "sex", "--sensitive", "disease")
    assert voile(*learn, "--out", "smooth.csv").code == 0
    assert voile(*learn, "--out", "exact.csv", "--smoothing", "0").code == 0
    smooth, exact = (vl.read_prior(f"{name}.csv", "disease") for name in ("smooth", "exact"))
    assert all(statistics.rows.min() > 0 for statistics in smooth.sets)
    assert len(smooth.values) == len(exact.values)
    assert any(abs(one.rows - other.rows).max() > 0 for one, other in zip(smooth.sets, exact.sets, strict=True))
