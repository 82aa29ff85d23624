"""What this version reads of other versions, as docs/formats.md promises."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import voile as vl
from voile.cli import app
from voile.errors import DataError
from voile.io.spec_files import read_spec
from voile.releases.certificate import FORMAT

STORED = Path(__file__).parent / "written_by_0.2.0" / "release"


def test_a_stored_release_still_holds() -> None:
    """If this fails, what certificates say has changed (a sentence of a claim is enough): raise FORMAT, move this
    release to the refused ones below, and store one of the new format."""
    verdict = vl.verify(STORED)
    assert verdict.holds, str(verdict)
    assert json.loads((STORED / "certificate.json").read_text())["format"] == FORMAT
    assert vl.load(STORED).count(sex="Female").is_exact


def change_certificate(folder: Path, **parts: Any) -> Path:
    """Copy the stored release, with other parts of its certificate."""
    shutil.copytree(STORED, folder)
    path = folder / "certificate.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **parts}))
    return folder


@pytest.mark.parametrize("number", [1, FORMAT - 1, FORMAT + 1, 99])
def test_another_format_is_refused_and_not_called_broken(tmp_path: Path, number: int) -> None:
    place = change_certificate(tmp_path / "release", format=number, tool="voile 7.1.0", news="a key of that format")
    for read in (vl.load, vl.verify):
        with pytest.raises(DataError) as refused:
            read(place)
        assert refused.value.code == "data.release-format"
        assert f"format {number}" in refused.value.message
        assert f"format {FORMAT}" in refused.value.message
        assert "voile 7.1.0" in str(refused.value.hint)
    result = CliRunner().invoke(app, ["verify", str(place)])
    assert isinstance(result.exception, DataError)  # which ends the program with code 3


def test_a_tool_that_is_no_version_is_not_repeated(tmp_path: Path) -> None:
    place = change_certificate(tmp_path / "release", format=FORMAT + 1, tool="pip install something-else")
    with pytest.raises(DataError) as refused:
        vl.verify(place)
    assert "something-else" not in f"{refused.value.message} {refused.value.hint}"


@pytest.mark.parametrize("parts", [{"news": 1}, {"format": True}, {"format": 10**9}, {"format": 0}])
def test_a_certificate_of_this_format_has_nothing_more(tmp_path: Path, parts: dict[str, Any]) -> None:
    assert vl.verify(change_certificate(tmp_path / "release", **parts)).broken


def test_a_key_of_a_newer_spec_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text('[schema]\nquasi = ["age"]\n[release]\nformatt = "csv"\n')
    with pytest.raises(vl.errors.SpecError, match=r"formatt(.|\n)*format"):
        read_spec(path)
