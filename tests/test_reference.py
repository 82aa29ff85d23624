"""The reference names everything that is public: `.ci/run` builds the site with warnings as errors."""

from __future__ import annotations

import re
from pathlib import Path

import voile as vl

PAGE = (Path(__file__).parents[1] / "docs/reference.md").read_text(encoding="utf-8")
PACKAGES = {"attacks", "measures", "datasets", "mining"}  # shown by their members, or on pages of their own
DOCUMENTED = {
    module: set(re.findall(r"^\.\. auto(?:class|function):: (\w+)$", block, re.MULTILINE))
    for module, block in re.findall(r"currentmodule:: (\S+)\n(.*?)```", PAGE, re.DOTALL)
    if module != "voile"
}
TOP_LEVEL = {
    name
    for block in re.findall(r"currentmodule:: voile\n(.*?)```", PAGE, re.DOTALL)
    for name in re.findall(r"^\.\. auto(?:class|function):: (\w+)$", block, re.MULTILINE)
}


def test_every_public_name_is_documented() -> None:
    public = {name for name in vl.__all__ if not name.startswith("__")} - PACKAGES
    assert public == TOP_LEVEL


def test_every_attack_and_measure_is_documented() -> None:
    assert DOCUMENTED["voile.attacks"] == set(vl.attacks.__all__)
    assert DOCUMENTED["voile.measures"] == set(vl.measures.__all__)
