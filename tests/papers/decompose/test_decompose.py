"""The poster recomputed: its example, and the experiment in a quick form."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from papers.quick_forms import list_changed_verdicts, reproduce_quickly

from voile.papers.decompose import experiment, theorems
from voile.papers.decompose.poster import EXAMPLE, GROUPS, PosterLists, legal_noise_global, legal_noise_local, posterior
from voile.papers.paper import papers

SMALL = ["tables", "groups", "noise", "posterior", "attacks", "refuted", "theorems"]
DIFFERING = [
    "no adversary can rule out an allowed noise value",
    "l = 4 for the salary: no salary is believed with more than 1/4",
    "the salary that is revealed is Diana's",
]


def test_the_running_example() -> None:
    lists = PosterLists(EXAMPLE, "occ", "salary", GROUPS)
    assert legal_noise_local(lists, 0) == [4, 7]
    assert legal_noise_global(lists, 0) == [4]
    assert posterior(lists.with_noise(0, 4), 0) == pytest.approx({4: 1 / 8, 5: 1 / 4, 6: 1 / 8, 8: 1 / 2})
    assert lists.with_noise(0, 4).chances(0, "police") == pytest.approx({8: 1.0})


@pytest.fixture(scope="module")
def quick_form(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, pl.DataFrame]]:
    """The folder and the tables of the quick form."""
    out = tmp_path_factory.mktemp("decompose")
    return out, reproduce_quickly("decompose", out)


def test_the_quick_form_gives_the_committed_verdicts(quick_form: tuple[Path, dict[str, pl.DataFrame]]) -> None:
    assert list_changed_verdicts("decompose", quick_form[0]) == []


def test_the_example_needs_no_data(quick_form: tuple[Path, dict[str, pl.DataFrame]]) -> None:
    out, found = quick_form
    assert set(SMALL) <= set(found)
    claims = pl.read_csv(out / "claims.csv")
    assert claims.filter(pl.col("verdict") == "differs")["says"].to_list() == DIFFERING
    assert found["groups"]["listed salaries"].to_list() == ["4, 5, 6, 8", "4, 6, 7, 9"]
    assert found["noise"].rows() == [(4, True, True), (7, True, False), (9, False, False)]
    assert 0.3 < found["refuted"]["share"][0] < 0.8
    told = found["attacks"].filter((pl.col("release") == "generalized") & pl.col("attack").str.starts_with("excl"))
    assert told["salary"].to_list() == [8, 9]
    assert all((out / "decompose" / f"{name}.csv").is_file() for name in SMALL)


def test_it_is_listed() -> None:
    names = [item.name for item in papers()["decompose"].items]
    assert names == [*SMALL, "error-qi", "error-sensitive", "error-l"]


def test_a_worse_method_forms_fewer_groups() -> None:
    """The exhaustive search knows more groups than taking from the smallest buckets forms."""
    assert list(theorems.list_sizes(4)) == [(4,), (3, 1), (2, 2), (2, 1, 1), (1, 1, 1, 1)]
    assert theorems.count_most_groups((2, 1, 1), 2) == 2  # the two small buckets together would leave one group
    assert theorems.count_most_groups((3, 1), 2) == 1
    assert theorems.form_groups((2, 1, 1), 2)[0] == 2


def test_the_experiment(adult: pl.DataFrame, quick_form: tuple[Path, dict[str, pl.DataFrame]]) -> None:
    """Every release answers, the joint table helps, l is that of Corollary 2, and two runs are equal."""
    out, found = quick_form
    assert experiment.choose_levels(adult, None) == {"occupation": 7, "salary-class": 1, "education": 3}
    assert experiment.choose_levels(adult, 2) == {"occupation": 2, "salary-class": 1, "education": 2}
    frame = found["error-sensitive"]
    assert frame.height == 3 * 5
    assert frame["error"].is_finite().all()
    error = {name: frame.filter(pl.col("release") == name)["error"].mean() for name in frame["release"].unique()}
    assert error["decompose"] < error["decompose, no joint table"]
    assert error["decompose"] < error["mondrian, l-diversity of each"]
    assert (out / "decompose" / "error-sensitive.svg").is_file()
    contest = experiment.Contest(adult.sort(pl.all()).head(2_000), 2, 0)
    again = experiment.Contest(adult.reverse().sort(pl.all()).head(2_000), 2, 0)
    assert contest.measure_errors(2, 2, 50) == again.measure_errors(2, 2, 50)
