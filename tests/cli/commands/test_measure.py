"""`voile measure`: all measures, or those that are named."""

from __future__ import annotations

from pathlib import Path

from calling import Voile


def test_measure(voile: Voile, release: Path, table: Path) -> None:
    assert "certainty" in voile("measure", release, "--data", table).out.lower()
    spoken = voile("measure", release, "--data", table, "--measure", "query-error:queries=50", "--json")
    assert [loss["measure"] for loss in spoken.json["losses"]] == ["query-error"]
    assert voile("measure", release, "--data", table, "--measure", "query-error:queries=-5").code == 2
