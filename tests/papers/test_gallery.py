"""The gallery: points are kept, two runs give the same bytes, and the committed claims are those of today's code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from papers.quick_forms import COMMITTED, list_changed_verdicts

from voile.errors import BrokenPromise, SpecError
from voile.flow.report.figures import Figure
from voile.papers import reproduce as verb
from voile.papers.claim import write_answer
from voile.papers.gallery import read_claims
from voile.papers.paper import Claim, Item, Paper, Run, papers
from voile.papers.reproduce import reproduce


def _list_files(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    names = {str(path.relative_to(folder)): path for path in files}
    return {name: path.read_bytes() for name, path in names.items() if "times/" not in name and ".points" not in name}


def test_two_runs_write_the_same_bytes(tmp_path: Path) -> None:
    items = ["tables", "examples", "published", "distortion"]
    for name, order, jobs in (("one", items, 1), ("two", items[::-1], 2)):
        reproduce("minimality", order, out=tmp_path / name, quick=True, jobs=jobs)
    first, second = _list_files(tmp_path / "one"), _list_files(tmp_path / "two")
    assert first == second
    assert {"README.md", "claims.csv", "minimality/README.md", "minimality/tables.csv"} <= set(first)


# a paper of its own --------------------------------------------------------------------------------------------------
calls: list[int] = []


def _compute(run: Run) -> pl.DataFrame:
    def compute(x: int) -> dict[str, Any]:
        calls.append(x)
        return {"y": x / 3, "seconds": 0.5 + len(calls), "pair": (x, x)}

    return pl.DataFrame([{"x": x, **run.point({"x": x}, lambda x=x: compute(x))} for x in (1, 2)]).drop("pair")


def _make_paper(edition: int = 1, because: str = "") -> Paper:
    claims = [Claim("table 1", "y is 0.3", 0.3, lambda frame: frame["y"][0], because=because)]
    figures = [Figure("x", "y", letter="a"), Figure("x", "seconds", letter="b")]
    item = Item("line", "A line", _compute, figures, claims=claims, times=["seconds"], edition=edition)
    return Paper("little", "A little paper", [item, Item("other", "Another", lambda run: pl.DataFrame({"z": [1]}))])


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> dict[str, Paper]:
    known = {"little": _make_paper()}
    for module in ("reproduce", "gallery"):
        monkeypatch.setattr(f"voile.papers.{module}.papers", lambda: known)
    calls.clear()
    return known


def test_points_are_computed_once_for_each_edition_and_form(little: dict[str, Paper], tmp_path: Path) -> None:
    first = reproduce("little", out=tmp_path)
    again = reproduce("little", out=tmp_path)
    assert calls == [1, 2]
    assert first["line"].equals(again["line"])
    next((tmp_path / ".points").rglob("*.json")).unlink()  # as if the run had been interrupted before this point
    reproduce("little", out=tmp_path)
    assert len(calls) == 3
    reproduce("little", out=tmp_path, quick=True)
    assert len(calls) == 5
    little["little"] = _make_paper(edition=2)
    reproduce("little", out=tmp_path)
    assert len(calls) == 7


def test_seconds_are_in_files_of_their_own(little: dict[str, Paper], tmp_path: Path) -> None:
    reproduce("little", ["line"], out=tmp_path)
    place = tmp_path / "little"
    assert pl.read_csv(place / "line.csv").columns == ["x", "y"]
    assert pl.read_csv(place / "line.csv")["y"].to_list() == [0.333333, 0.666667]
    assert pl.read_csv(place / "times" / "line.csv").columns == ["x", "y", "seconds"]
    assert "(a) y" in (place / "line.svg").read_text()
    assert "(b) seconds" in (place / "times" / "line.svg").read_text()
    page = (place / "README.md").read_text()
    assert "| table 1 | y is 0.3 | 0.3 | 0.333333 | agrees |" in page
    assert "Not computed here." in page  # the other item
    reproduce("little", ["other"], out=tmp_path, quick=True)
    page = (place / "README.md").read_text()
    assert "0.333333" in page
    assert "quick form" in page
    assert "not in the text" in page


def test_a_claim_without_agreement_or_reason_fails_after_all_is_written(
    little: dict[str, Paper], tmp_path: Path
) -> None:
    little["little"] = _make_paper(because="of a misprint")
    with pytest.raises(BrokenPromise, match="table 1: ours agrees") as error:
        reproduce("little", out=tmp_path)
    assert error.value.exit_code == 5
    assert read_claims(tmp_path)["verdict"].to_list() == ["agrees"]
    assert (tmp_path / "little" / "other.csv").is_file()


def test_all_papers_share_the_adult_table_only(
    little: dict[str, Paper], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Any] = {}

    def note(name: str) -> Any:
        return lambda run: given.update({name: run.data}) or pl.DataFrame({"z": [1]})

    items = [
        Item("adult", "A", note("adult"), table="adult"),
        Item("census", "C", note("census"), table="census"),
        Item("none", "N", note("none")),
    ]
    little["little"] = Paper("little", "A little paper", items)
    table = tmp_path / "adult.csv"
    table.write_text("x\n1\n")
    tables = reproduce("all", out=tmp_path / "out", data=table)
    assert list(tables) == ["little/adult", "little/census", "little/none"]
    assert given == {"adult": table, "census": None, "none": None}
    reproduce("little", ["census"], out=tmp_path / "out", data=table)
    assert given["census"] == table
    with pytest.raises(SpecError, match="needs the Adult table"):
        reproduce("all", out=tmp_path / "out")
    with pytest.raises(SpecError, match="no items of one name"):
        reproduce("all", ["none"], out=tmp_path / "out")
    with pytest.raises(SpecError, match="At least one item"):
        reproduce("little", ["none"], out=tmp_path / "out", jobs=0)
    assert verb.ALL == "all"


# the committed gallery -----------------------------------------------------------------------------------------------
def _list_items() -> list[tuple[Paper, Item]]:
    return [(paper, item) for _, paper in sorted(papers().items()) for item in paper.items]


@pytest.mark.parametrize(("paper", "item"), [pytest.param(p, i, id=f"{p.name}-{i.name}") for p, i in _list_items()])
def test_the_gallery_has_the_claims_of_the_code(paper: Paper, item: Item) -> None:
    committed = read_claims(COMMITTED).filter((pl.col("paper") == paper.name) & (pl.col("item") == item.name))
    expected = [(claim.where, claim.says, write_answer(claim.printed), claim.because) for claim in item.claims]
    assert committed.select("where", "says", "printed", "because").rows() == expected
    unexplained = (committed["verdict"] == "differs") & (committed["because"] == "")
    assert not unexplained.any()


def test_a_changed_verdict_is_named(tmp_path: Path) -> None:
    reproduce("pg", ["table-3"], out=tmp_path, quick=True)
    assert list_changed_verdicts("pg", tmp_path) == []
    path = tmp_path / "pg" / "claims.csv"
    path.write_text(path.read_text().replace("agrees", "differs", 1))
    assert [line.endswith("differs, was agrees") for line in list_changed_verdicts("pg", tmp_path)] == [True]
