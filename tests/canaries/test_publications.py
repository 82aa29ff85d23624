"""Cells appear only in published tables, identifiers nowhere; no command prints a cell."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from canary_table import (
    CITY,
    ILLNESS,
    NAME,
    OTHER,
    QUASI,
    assert_clean,
    make_table,
    raise_talkative,
    read_table,
    render_error,
    write_csv,
)

import voile as vl
from voile import cli
from voile.errors import VoileError


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize(
    "method", [vl.Mondrian(), vl.FullDomain(suppression=0.2), vl.Anatomy(), vl.Injector()], ids=repr
)
def test_identifiers_are_nowhere_and_cells_only_in_tables(tmp_path: Path, format: str, method: Any) -> None:
    release = vl.publish(read_table(), vl.LDiversity(l=2), method)
    place = release.save(tmp_path / "out", format=format)
    assert_clean((place / "certificate.json").read_text())
    for path in place.iterdir():
        content = path.read_bytes()
        assert NAME.encode() not in content
        assert b"Zbygniew" not in content
    for table in release.tables.values():
        assert "name" not in table.columns


def test_what_is_withheld_is_mentioned_nowhere(tmp_path: Path) -> None:
    """The canary is alone with its values: once it is withheld, neither tables nor dictionary speak of it."""
    day = pl.lit(datetime.date(2000, 1, 1))
    frame = make_table().with_columns(number=pl.lit(1), real=pl.lit(1.0), born=day, code=pl.lit("x"))
    release = vl.publish(read_table(frame), vl.KAnonymity(k=5), vl.FullDomain(suppression=0.1))
    assert release.people < 40
    place = release.save(tmp_path / "out", format="csv")
    for path in place.iterdir():
        for canary in (CITY, ILLNESS, OTHER, NAME):
            assert canary not in path.read_text()


def test_the_command_line_shows_no_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    table = write_csv(tmp_path)
    flags = ["--identifier", "name", "--quasi", ",".join(QUASI), "--sensitive", "illness", "--other", "ward"]
    calls = [
        ["publish", table, "--out", "out", *flags, "--model", "l-diversity:l=2"],
        ["publish", table, "--out", "out", *flags, "--model", "l-diversity:l=20", "--force"],
        ["publish", table, "--out", "out2", *flags, "--model", "k-anonymity:k=2", "--kind", "city=numeric"],
        ["verify", "out"],
        ["audit", "out", "--data", table],
        ["measure", "out", "--data", table],
        ["report", "out", "--data", table, "--out", "report.html"],
        ["hierarchies", table, "--out", "trees"],
        ["compare", table, "--out", "compared", *flags, "--model", "l-diversity:l=2", "--adversary", "insurer"],
    ]
    for call in calls:
        for more in ([], ["--json"]):
            forced = ["--force"] if more and call[0] in ("publish", "hierarchies") and "--force" not in call else []
            monkeypatch.setattr(sys, "argv", ["voile", *map(str, call), *more, *forced])
            with pytest.raises(SystemExit):
                cli.main()
            shown = capfd.readouterr()
            assert_clean(shown.out + shown.err)
    for page in (tmp_path / "report.html", *(tmp_path / "compared").glob("*.*"), *(tmp_path / "compared").glob("*/*")):
        assert_clean(page.read_text())


def test_the_watch_watches() -> None:
    """What these tests look at does show a cell, where an error is raised while another one talks."""
    try:
        try:
            raise_talkative()
        except pl.exceptions.ComputeError:
            raise VoileError("Quiet.", code="x.y")  # noqa: B904 - the fault that is looked for
    except VoileError as error:
        with pytest.raises(AssertionError, match="it shows"):
            assert_clean(render_error(error))
