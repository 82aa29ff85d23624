"""`voile measure`: all measures, or the named ones."""

from __future__ import annotations

from pathlib import Path

from calling import Voile


def test_measure_runs_the_named_measures(voile: Voile, release: Path, table: Path) -> None:
    assert "certainty" in voile("measure", release, "--data", table).out.lower()
    json_answer = voile("measure", release, "--data", table, "--measure", "query-error:queries=50", "--json")
    assert [loss["measure"] for loss in json_answer.json["losses"]] == ["query-error"]
    assert voile("measure", release, "--data", table, "--measure", "query-error:queries=-5").code == 2
