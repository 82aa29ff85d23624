"""The inputs of commands: a command uses the very release that was verified."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from calling import Voile

from voile.cli.inputs import open_release
from voile.flow.checking import check_folder as checking


@pytest.mark.parametrize("verb", ["audit", "report"])
def test_a_folder_is_read_once(voile: Voile, release: Path, verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shutil.copytree(release, voile.folder / "copy")
    check_folder = checking.check_folder

    def check_and_remove(*arguments: Any, **more: Any) -> Any:
        result = check_folder(*arguments, **more)
        shutil.rmtree(folder)
        return result

    monkeypatch.setattr(checking, "check_folder", check_and_remove)
    out = ("--out", "report.html") if verb == "report" else ()
    assert voile(verb, folder, *out).code == 0
    assert not folder.exists()


def test_the_verdict_is_about_the_release(release: Path) -> None:
    opened, verdict = open_release(release, {})
    assert verdict.holds
    assert (verdict.people, verdict.groups) == (opened.people, opened.groups)
