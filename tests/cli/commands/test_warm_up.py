"""`voile warm-up`: compiles kernels into a folder, and says into which."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from calling import Voile
from numba.core import caching

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


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The methods for which kernels were compiled."""
    tried: list[str] = []
    monkeypatch.setattr("voile.cli.commands.warm_up._try_method", tried.append)
    return tried


def test_it_says_so_before_it_compiles_where_nothing_can_be_kept(
    voile: Voile, monkeypatch: pytest.MonkeyPatch, untried: list[str]
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    monkeypatch.setattr(compilation, "_keeps", True)
    answer = voile("warm-up", "--method", "anatomy")
    assert (answer.code, untried) == (6, [])
    assert "There is no folder" in answer.err
    assert "--cache" in answer.err


def test_a_named_folder_that_cannot_be_written_is_not_replaced_by_another(
    voile: Voile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, untried: list[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "cache"))
    answer = voile("warm-up", "--method", "anatomy")
    assert (answer.code, untried) == (6, [])
    assert "Compiled kernels cannot be kept in 'cache'." in answer.err


def test_temporary_files_need_a_folder(voile: Voile, monkeypatch: pytest.MonkeyPatch, untried: list[str]) -> None:
    def refuse() -> str:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr("tempfile.gettempdir", refuse)
    answer = voile("warm-up", "--method", "anatomy")
    assert (answer.code, untried) == (6, [])
    assert "TMPDIR" in answer.err


def test_a_command_says_that_the_next_one_compiles_again(
    voile: Voile, release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "compile" not in voile("verify", release).err
    monkeypatch.setattr(compilation, "_keeps", False)
    answer = voile("verify", release)
    assert answer.code == 0
    assert answer.err.count("\n") == 1
    assert "NUMBA_CACHE_DIR" in answer.err
