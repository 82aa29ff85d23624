"""The open sets: how classes are found, built from text, and refused."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

import voile as vl
from voile.errors import PolicyError, SpecError
from voile.measures.base import Measure
from voile.plugins.registry import (
    FAMILIES,
    Plugin,
    as_plain_value,
    build_plugin,
    find_class,
    knob,
    load_plugin,
    narrow_type,
    registered_classes,
)

GOOD = """
from dataclasses import dataclass
from typing import ClassVar
from voile.extend import Loss, Measure

@dataclass(frozen=True)
class {cls}(Measure):
    name: ClassVar[str] = "{name}"
    factor: float = 2.0

    def __call__(self, data, release):
        return Loss(self.name, "Rows", float(release.people * self.factor))
"""


def plugin(folder: Path, content: str, name: str = "extra.py") -> str:
    path = folder / name
    path.write_text(content)
    return str(path)


@pytest.fixture(autouse=True)
def clean() -> Any:
    """What a test registers is forgotten afterwards."""
    from voile.plugins import registry as module

    before = {family: dict(registered_classes(family)) for family in FAMILIES}
    modules = set(sys.modules)
    yield
    for family in FAMILIES:
        module._registry[family].clear()
        module._registry[family].update(before[family])
    for name in set(sys.modules) - modules:
        if name.startswith("voile_plugin_"):
            del sys.modules[name]


def test_every_family_has_members() -> None:
    assert {"k-anonymity", "l-diversity", "t-closeness"} <= set(registered_classes("models"))
    assert {"mondrian", "full-domain", "anatomy"} <= set(registered_classes("methods"))
    assert {"linking", "homogeneity"} <= set(registered_classes("attacks"))
    assert {"certainty", "query-error"} <= set(registered_classes("measures"))
    for family in FAMILIES:
        for name, cls in registered_classes(family).items():
            assert cls.name == name
            assert cls.family == family
            assert cls.__doc__


def test_the_nearest_name_is_proposed() -> None:
    with pytest.raises(PolicyError, match="Did you mean 'k-anonymity'") as error:
        find_class("models", "k-anonimity")
    assert error.value.code == "policy.unknown-model"
    with pytest.raises(PolicyError, match="Known: "):
        find_class("methods", "zzzzz")
    with pytest.raises(PolicyError, match="Did you mean 'recoding'"):
        build_plugin("methods", "mondrian", {"recodin": "tight"})


@pytest.mark.parametrize(
    ("name", "knobs", "wanted"),
    [
        ("k-anonymity", {"k": "5"}, {"k": 5}),
        ("k-anonymity", {"k": 5}, {"k": 5}),
        ("l-diversity", {"l": "3", "form": "recursive", "c": "1/2"}, {"c": 0.5, "form": "recursive"}),
        ("l-diversity", {"l": 3, "c": None, "column": None}, {"c": None, "column": None}),
        ("t-closeness", {"t": "1/5"}, {"t": 0.2}),
        ("t-closeness", {"t": 1}, {"t": 1.0}),
        ("alpha-k-anonymity", {"alpha": 0.5, "k": 2, "protect": "HIV|flu"}, {"protect": ("HIV", "flu")}),
        ("alpha-k-anonymity", {"alpha": 0.5, "k": 2, "protect": ["HIV"]}, {"protect": ("HIV",)}),
    ],
)
def test_building_from_text(name: str, knobs: dict[str, Any], wanted: dict[str, Any]) -> None:
    made = build_plugin("models", name, knobs)
    assert {key: getattr(made, key) for key in wanted} == wanted
    assert build_plugin("models", name, made.parameters()) == made


@pytest.mark.parametrize(
    ("name", "knobs", "message"),
    [
        ("k-anonymity", {}, "needs the parameter 'k'"),
        ("k-anonymity", {"k": "five"}, "not of type int"),
        ("k-anonymity", {"k": "2.5"}, "not of type int"),
        ("k-anonymity", {"k": True}, "not of type int"),
        ("k-anonymity", {"k": 1}, "must be at least 2"),
        ("k-anonymity", {"k": "-3"}, "must be at least 2"),
        ("k-anonymity", {"k": 2, "l": 3}, "has no parameter 'l'"),
        ("k-anonymity", {"k": []}, "not of type int"),
        ("t-closeness", {"t": "x"}, "not of type float"),
        ("t-closeness", {"t": "1/0"}, "not of type float"),
        ("t-closeness", {"t": 1.5}, "must be at most 1"),
        ("t-closeness", {"t": float("nan")}, "must be"),
        ("t-closeness", {"t": 10**400}, "not of type float"),
        ("k-e-anonymity", {"k": 2, "e": float("inf")}, "must be finite"),
        ("l-diversity", {"l": 2, "form": "magic"}, "must be one of frequency, distinct"),
        ("l-diversity", {"l": 2, "form": "recursive", "c": 0}, "must be above 0"),
        ("l-diversity", {"l": 2, "c": 2}, "'recursive' needs c"),
        ("alpha-k-anonymity", {"alpha": 0, "k": 2}, "must be above 0"),
        ("alpha-k-anonymity", {"alpha": 0.5, "k": 2, "protect": 5}, "protect = 5 is not of type"),
        ("alpha-k-anonymity", {"alpha": 0.5, "k": 2, "protect": [5]}, "is not of type"),
    ],
)
def test_knobs_that_are_wrong(name: str, knobs: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        build_plugin("models", name, knobs)


def test_all_wrong_knobs_at_once() -> None:
    with pytest.raises(PolicyError) as error:
        build_plugin("models", "alpha-k-anonymity", {"alpha": "x", "kk": 1})
    assert len(error.value.problems) == 3


def test_types_are_checked_where_they_are_written() -> None:
    for wrong in (2.5, "5", True, None):
        with pytest.raises(PolicyError, match="must be a whole number"):
            vl.KAnonymity(k=wrong)  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="must be a list, each text"):
        vl.AlphaK(alpha=0.5, k=2, protect="HIV")  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="must be a list, each text"):
        vl.AlphaK(alpha=0.5, k=2, protect=(5,))  # type: ignore[arg-type]


def test_a_plugin_inside_a_knob() -> None:
    @dataclass(frozen=True)
    class Outer(Measure):
        name: ClassVar[str] = "outer"
        inner: Measure = knob(vl.measures.Certainty())  # noqa: RUF009 - a knob is a dataclass field

        def __call__(self, data: Any, release: Any) -> Any: ...

    made = build_plugin("measures", "outer", {"inner": "query-error"})
    assert as_plain_value(made)["inner"]["name"] == "query-error"
    assert build_plugin("measures", "outer", {"inner": {"name": "query-error", "queries": 5}}).inner.queries == 5  # type: ignore[attr-defined]
    with pytest.raises(PolicyError, match="not of type"):
        build_plugin("measures", "outer", {"inner": {"queries": 5}})
    with pytest.raises(PolicyError, match="not of type"):
        build_plugin("measures", "outer", {"inner": 5})


def test_names_are_unique(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="Two measures are named 'certainty'"):
        load_plugin(plugin(tmp_path, GOOD.format(cls="Other", name="certainty")))
    assert registered_classes("measures")["certainty"] is vl.measures.Certainty


def test_a_file_registers_its_classes(tmp_path: Path) -> None:
    path = plugin(tmp_path, GOOD.format(cls="Rows", name="rows"))
    load_plugin(path)
    load_plugin(path)
    assert build_plugin("measures", "rows", {"factor": "3"}).factor == 3.0  # type: ignore[attr-defined]


def test_a_file_shadows_no_module(tmp_path: Path) -> None:
    import json

    load_plugin(plugin(tmp_path, GOOD.format(cls="Rows", name="rows"), "json.py"))
    assert sys.modules["json"] is json


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("import nothing_of_this_name", "nothing_of_this_name"),
        ("def broken(:", "invalid syntax"),
        ("raise RuntimeError('SECRET')", "it raises RuntimeError"),
        ("1 / 0", "it raises ZeroDivisionError"),
    ],
)
def test_files_that_fail(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(SpecError, match=message) as error:
        load_plugin(plugin(tmp_path, content))
    assert error.value.code == "spec.plugin"
    assert "SECRET" not in str(error.value)
    assert "voile_plugin_extra" not in sys.modules


def test_things_that_are_no_module(tmp_path: Path) -> None:
    for source in (str(tmp_path / "none.py"), "no_such.module", "", str(tmp_path)):
        with pytest.raises(SpecError, match="cannot be imported"):
            load_plugin(source)
    load_plugin("voile.measures.certainty")


def test_narrowing() -> None:
    assert narrow_type(Measure, vl.measures.Certainty()) == vl.measures.Certainty()
    with pytest.raises(PolicyError, match="not one of the measures"):
        narrow_type(Measure, vl.KAnonymity(k=2))
    assert issubclass(Measure, Plugin)
