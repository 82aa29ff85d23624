"""The archives are complete: `make wheel` builds and uses them, and these tests look at what decides their contents."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import check_package
import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "voile"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FILES = [path for path in sorted(SOURCE.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
CACHED = (".nbi", ".nbc")  # compiled kernels


def test_every_data_file_reaches_the_wheel() -> None:
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["voile"]
    listed = {path for pattern in patterns for path in SOURCE.glob(pattern)}
    data = [path for path in FILES if path.suffix not in (".py", *CACHED)]
    assert len(data) > 20
    assert [str(path.relative_to(SOURCE)) for path in data if path not in listed] == []


def test_every_folder_with_code_is_a_package() -> None:
    """A folder without `__init__.py` is left out of the wheel."""
    folders = {path.parent for path in FILES if path.suffix == ".py"}
    assert [str(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []


def test_every_tracked_file_reaches_the_source_archive() -> None:
    lines = (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()
    grafted = tuple(f"{line.split()[1]}/" for line in lines if line.startswith("graft"))
    included = {name for line in lines if line.startswith("include ") for name in line.split()[1:]}
    always = {"MANIFEST.in", "pyproject.toml"}
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout")
    outside = [
        name
        for name in check_package.list_tracked_files()
        if not name.startswith((*grafted, "src/")) and name not in included | always
    ]
    assert outside == []


def test_every_dependency_has_a_lower_bound_that_can_be_installed() -> None:
    bounds = check_package.list_lower_bounds()
    assert len(bounds) > 30
    assert all("==" in bound for bound in bounds)


def test_the_licence_is_stated_once_in_each_place() -> None:
    project = PROJECT["project"]
    assert project["license"] == "Apache-2.0"
    assert not any(line.startswith("License ::") for line in project["classifiers"])  # the SPDX identifier replaces it
    assert "license: Apache-2.0" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_version_citation_and_changelog_agree() -> None:
    """A released version has a date, in both files; a version under way ends in .dev and is called unreleased. So
    nothing bears the name of a released version that is not it."""
    namespace: dict[str, str] = {}
    exec((SOURCE / "version.py").read_text(encoding="utf-8"), namespace)
    version = namespace["__version__"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (\S+)(?: \((\S+)\))?", changes, re.MULTILINE)
    released = re.search(r"^date-released: (\S+)$", citation, re.MULTILINE)
    assert f"version: {version}\n" in citation
    assert sections[0] == (version, "unreleased" if ".dev" in version else released and released[1])
    assert [name for name, date in sections[1:] if date == "unreleased" or not name[0].isdigit()] == []


def run_make(*words: str) -> subprocess.CompletedProcess[str]:
    """Ask what a task of the Makefile would do, without doing it."""
    return subprocess.run(["make", "--dry-run", *words], cwd=ROOT, capture_output=True, text=True)


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_the_gallery_asks_for_its_table() -> None:
    asked = run_make("gallery")
    assert asked.returncode != 0
    assert "make gallery DATA=adult.csv" in asked.stderr
    assert "--data adult.csv" in run_make("gallery", "DATA=adult.csv").stdout
