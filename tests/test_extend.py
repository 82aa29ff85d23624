"""`voile.extend` is the one import of a plug-in author: every class that voile's own plug-ins derive from is in it."""

from __future__ import annotations

import pytest

from voile import extend
from voile.engines.selection import find_engines
from voile.plugins.registry import FAMILIES, registered_classes


@pytest.mark.parametrize("family", FAMILIES)
def test_every_base_class_of_a_plugin_is_there(family: str) -> None:
    classes = [cls for cls in registered_classes(family).values() if cls.__module__.startswith("voile.")]
    bases = {base for cls in classes for base in cls.__mro__ if base.__module__.startswith("voile.")} - set(classes)
    assert len(bases) > 1
    lacking = [base.__name__ for base in bases if getattr(extend, base.__name__, None) is not base]
    assert not lacking


def test_every_base_class_of_an_engine_is_there() -> None:
    classes = set(find_engines().values())
    bases = {base for cls in classes for base in cls.__mro__ if base.__module__.startswith("voile.")} - classes
    assert bases == {extend.Engine}


def test_the_list_is_complete_and_documented() -> None:
    imported = {name for name in vars(extend) if not name.startswith("__")}
    assert imported == set(extend.__all__)
    for name in extend.__all__:
        if name != "WITHHELD":
            assert getattr(extend, name).__doc__, name
