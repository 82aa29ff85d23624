"""`voile inspect`: any table, as text, as JSON and as a page, without a cell."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from calling import Voile

import voile as vl


@pytest.fixture
def visits(voile: Voile) -> Path:
    people = [n % 60 for n in range(150)]
    frame = pl.DataFrame(
        {
            "patient_id": [f"P-{person:03}" for person in people],
            "age": [20 + person // 3 for person in people],
            "ward": [f"ward {'äöü'[person % 3]}" for person in people],
            "disease": [("Grippe", "Asthma", "Angina")[n % 3] for n in range(150)],
        }
    )
    frame.write_csv(voile.folder / "visits.csv")
    return voile.folder / "visits.csv"


def test_the_answer_as_text(voile: Voile, visits: Path) -> None:
    answer = voile("inspect", visits)
    assert answer.code == 0, answer.err
    assert answer.out.startswith("150 rows, 4 columns\n60 different patient_id in 150 rows, up to 3 rows each.")
    for part in ("suggested role", "Who stands out", "Which columns cause it", "k = 1", "disease in the groups"):
        assert part in answer.out
    assert "60 of 60 people (100.0 %) share their values of age, ward with nobody" in answer.out


@pytest.mark.parametrize("how", [(), ("--json",), ("--out", "page.html")])
def test_no_cell_is_shown(voile: Voile, visits: Path, how: tuple[str, ...]) -> None:
    answer = voile("inspect", visits, *how)
    written = "".join(path.read_text() for path in voile.folder.glob("page.*"))
    for cell in ("P-0", "ward ä", "Grippe", "Asthma"):
        assert cell not in answer.out + written


def test_json_is_the_inspection(voile: Voile, visits: Path) -> None:
    answer = voile("inspect", visits, "--quasi", "age", "--sensitive", "disease", "--person", "patient_id", "--json")
    schema = vl.Schema(quasi=["age"], sensitive=["disease"], person="patient_id")
    assert answer.json == json.loads(json.dumps(vl.inspect(visits, schema).as_json()))
    assert answer.json["anonymity"]["k"] == 3
    assert answer.json["anonymity"]["sensitive"][0]["column"] == "disease"


def test_roles_that_no_flag_names_are_suggested(voile: Voile, visits: Path) -> None:
    answer = voile("inspect", visits, "--sensitive", "ward", "--json")
    assert answer.json["known"] == ["age"]
    assert [item["column"] for item in answer.json["anonymity"]["sensitive"]] == ["ward"]


def test_a_spec_names_the_roles(voile: Voile, visits: Path) -> None:
    (voile.folder / "spec.toml").write_text(
        '[schema]\nquasi = ["age"]\nidentifier = ["patient_id"]\nrows_are = "people"\n'
    )
    answer = voile("inspect", visits, "--spec", "spec.toml", "--json")
    assert (answer.json["known"], answer.json["anonymity"]["sensitive"]) == (["age"], [])
    flagged = voile("inspect", visits, "--spec", "spec.toml", "--quasi", "ward", "--json")
    assert flagged.json["known"] == ["ward"]


def test_the_page_stands_alone(voile: Voile, visits: Path) -> None:
    answer = voile("inspect", visits, "--out", "page.html", "--json")
    page = (voile.folder / "page.html").read_text()
    assert answer.json["page"] == "page.html"
    assert page.count("<svg") == 4  # two charts, at two widths
    assert "<script" not in page
    assert "http-equiv" in page
    assert "src=" not in page
    assert json.loads((voile.folder / "page.json").read_text())["people"] == 150


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--quasi", "agee"), "Did you mean 'age'?"),
        (("--person", "patient"), "patient_id"),
        (("--out", "page.pdf"), "does not end in .html"),
        (("--columns", "nothing"), "no column 'nothing'"),
    ],
)
def test_mistakes_are_named(voile: Voile, visits: Path, flags: tuple[str, ...], says: str) -> None:
    answer = voile("inspect", visits, *flags)
    assert answer.code != 0
    assert says in answer.err


def test_the_population_is_estimated(voile: Voile, visits: Path) -> None:
    pl.read_csv(visits).select("age", "ward").unique().vstack(pl.read_csv(visits).select("age", "ward")).write_csv(
        voile.folder / "register.csv"
    )
    flags = ("--quasi", "age,ward", "--rows-are", "people", "--population", "3000", "--suda")
    answer = voile("inspect", visits, *flags, "--register", "register.csv", "--out", "page.html")
    assert answer.code == 0, answer.err
    for part in ("Estimated:", "pitman", "k-map 3", "DIS-SUDA"):
        assert part in answer.out
    page = (voile.folder / "page.html").read_text()
    assert "In the population" in page
    assert "These are estimates, not claims" in page


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--population", "20"), "is smaller than the sample"),
        (("--weight", "age", "--population", "999"), "Leave out --weight or --population"),
        (("--quasi", "ward", "--weight", "disease"), "no column of numbers"),
        (("--quasi", "ward", "--register", "nothing.csv"), "nothing.csv"),
    ],
)
def test_a_wrong_population_is_named(voile: Voile, visits: Path, flags: tuple[str, ...], says: str) -> None:
    answer = voile("inspect", visits, *flags)
    assert answer.code != 0
    assert says in answer.err
