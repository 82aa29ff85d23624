"""Every example in a docstring runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import warnings

import pytest

import voile


def _modules() -> list[str]:
    return sorted(
        found.name
        for found in pkgutil.walk_packages(voile.__path__, "voile.")
        if not found.ispkg and not found.name.endswith("__main__")
    )


@pytest.mark.parametrize("name", _modules())
def test_examples_of_a_module_run(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_there_are_examples() -> None:
    modules = [importlib.import_module(name) for name in _modules()]
    tests = [test for module in modules for test in doctest.DocTestFinder().find(module)]
    assert sum(len(test.examples) for test in tests) > 30
