"""`voile warm-up`: compiles kernels into a folder, and says into which."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from calling import Voile

from voile.kernels import compilation


def test_kernels_are_kept_in_the_named_folder(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from voile.flow.audit import audit\n"
        "from voile.flow.measure import measure\n"
        "audit.audit = measure.measure = lambda *_: None\n"  # they would compile for half a minute
        f"sys.argv = ['voile', 'warm-up', '--cache', {str(tmp_path / 'cache')!r}, '--method', 'anatomy']\n"
        "from voile.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "kernels are compiled, and kept in:" in done.stdout
    assert str(tmp_path / "cache") in done.stdout
    assert list((tmp_path / "cache").rglob("*.nbc"))


def test_an_unknown_method_is_refused(voile: Voile) -> None:
    answer = voile("warm-up", "--method", "anatomi")
    assert answer.code == 2
    assert "anatomy" in answer.err


def test_it_says_so_where_nothing_can_be_kept(voile: Voile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation, "_KERNELS", [])
    monkeypatch.setattr("voile.cli.commands.warm_up._try_method", lambda name: None)
    answer = voile("warm-up", "--method", "anatomy")
    assert answer.code == 6
    assert "--cache" in answer.err
