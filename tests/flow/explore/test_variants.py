"""Spellings of a value are cells: they are shown where somebody must decide on categories, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from calling import Voile

import voile as vl

NAMES = ("Quirinus Xander", "QUIRINUS XANDER")
NOTES = ("Frau Zeppelin ist krank", "Frau  Zeppelin ist krank")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = [f"{'Mm'[number % 2]},Name N{number},note {number},{number % 3}" for number in range(40)]
    rows += [f"M,{name},{note},0" for name, note in zip(NAMES, NOTES, strict=True)]
    path = tmp_path / "t.csv"
    path.write_text("sex,name,note,ward\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_only_categories_that_may_be_published_show_their_spellings(table: Path) -> None:
    for roles in ({}, {"identifier": ["name", "note"]}, {"sensitive": ["note"]}, {"other": ["note"]}):
        inspection = vl.inspect(table, roles)
        page = inspection.save(table.with_name("page.html"))
        told = str(inspection.as_json()) + page.read_text() + page.with_suffix(".json").read_text()
        told += repr(inspection.variants)
        assert "xander" not in told.lower()
        assert "Zeppelin" not in told
        assert "'M' (22), 'm' (20) may be one value" in inspection.as_json()["variants"][0]["text"]
        counted = {one["column"]: one["text"] for one in inspection.as_json()["variants"][1:]}
        asked = [name for names in roles.values() for name in names if "identifier" not in roles]
        assert counted == {
            name: f"{name}: 1 value has several spellings; merge=['{name}'] merges them" for name in asked
        }
        assert all(f"<li>{name}: 1 value has several spellings, which differ" in page.read_text() for name in asked)


def test_a_schema_decides_which_spellings_are_shown(table: Path) -> None:
    assert vl.inspect(table, vl.Schema(quasi=["ward"], sensitive=["note"])).variants[0].spellings == ()
    assert vl.inspect(table, vl.Schema(quasi=["ward"], identifier=["sex"], person="name")).variants == ()
    data = vl.read(table, vl.Schema(quasi=["sex"], other=["note"], confirmed=["note"]))
    assert [(one.column, one.spellings, one.values) for one in data.variants] == [
        ("sex", ("M", "m"), 1),
        ("note", (), 1),
    ]


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_the_command_line_shows_no_other_spellings(
    table: Path, options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    voile = Voile(monkeypatch, capsys, table.parent)
    shown = voile("inspect", table, "--sensitive", "note", *options).out
    assert "note: 1 value has several spellings; --merge note merges them" in shown
    assert "'M' (22), 'm' (20) may be one value" in shown
    assert "xander" not in shown.lower()
    assert "Zeppelin" not in shown
