"""Every named forgery is noticed: its folder is BROKEN or refused with exit code 3, on every engine."""

from __future__ import annotations

from pathlib import Path

import pytest

import voile as vl
from forging.asking import NOTICED, ask
from forging.forgery import Forgery
from forging.known_escapes import HANGING, KNOWN_ESCAPES, KNOWN_ESCAPES_ON_DISK
from forging.named import NAMED


def _cases(known: frozenset[str], suffix: str = "") -> list[object]:
    """List every forgery and folder; those that are known to escape must fail until they are mended."""
    found = []
    for name, forgery in NAMED.items():
        for folder in forgery.folders:
            if not folder.endswith(suffix):
                continue
            case = f"{name}, {folder}"
            escapes = pytest.mark.xfail(strict=True, reason="known escape", run=case not in HANGING)
            found.append(pytest.param(name, folder, id=case, marks=[escapes] if case in known else []))
    return found


def _is_noticed(name: str, answer: str) -> bool:
    """Whether an answer will do: a harmless change may hold, but not crash verify."""
    return answer in NOTICED or (not NAMED[name].misleads and answer in ("HOLDS", "NEEDS"))


def _forge(name: str, honest: Path, place: Path) -> Path:
    forgery = Forgery(honest)
    NAMED[name].forge(forgery)
    forgery.write(place)
    return place


@pytest.mark.parametrize(("name", "folder"), _cases(KNOWN_ESCAPES))
def test_a_named_forgery_is_noticed(name: str, folder: str, honest_folders: dict[str, Path], tmp_path: Path) -> None:
    answer = ask(_forge(name, honest_folders[folder], tmp_path / "forged"))
    assert _is_noticed(name, answer), answer


@pytest.mark.parametrize(("name", "folder"), _cases(KNOWN_ESCAPES_ON_DISK, ".parquet"))
def test_a_named_forgery_is_noticed_on_disk(
    name: str, folder: str, honest_folders: dict[str, Path], tmp_path: Path
) -> None:
    answer = ask(_forge(name, honest_folders[folder], tmp_path / "forged"), vl.Disk())
    assert _is_noticed(name, answer), answer
