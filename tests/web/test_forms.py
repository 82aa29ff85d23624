"""Forms from the registry, and back to a spec."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import pytest

import voile as vl
from voile.errors import SpecError
from voile.plugins import registry
from voile.plugins.registry import FAMILIES, build_plugin, knob, registered_classes
from voile.web.forms import fill_form, make_card, make_cards, read_description, read_form


@pytest.mark.parametrize("family", FAMILIES)
def test_every_plugin_has_a_make_card(family: str) -> None:
    found = {one.name: one for one in make_cards(family)}
    assert found.keys() == registered_classes(family).keys()
    for one in found.values():
        assert one.headline.endswith((".", ":"))
        assert not one.headline.lower().startswith(one.name.lower() + ":")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_form_as_it_is_shown_builds_what_it_shows(family: str) -> None:
    """The controls hold the defaults: sent back unchanged they say nothing beyond the name and what is needed."""
    for one in make_cards(family):
        form = {f"{family}.{one.name}.on": "on", **{f"{family}.{one.name}.{f.name}": f.value for f in one.fields}}
        if one.closed or one.name == "anti-corruption":  # of which one promise of two must be chosen
            continue
        (told,) = read_form(family, form)
        cls = registered_classes(family)[one.name]
        needed = {f.name for f in registry.knob_fields(cls) if f.default is dataclasses.MISSING}
        assert set(told) - {"name"} <= needed
        again = fill_form(family, [told])
        (same,) = read_form(family, {**form, **again})
        assert same == told


def test_numbers_become_numbers() -> None:
    form = {"models.k-anonymity.on": "on", "models.k-anonymity.k": " 7 ", "models.t-closeness.on": "on"}
    form["models.t-closeness.t"] = "0.3"
    assert read_form("models", form) == [{"name": "k-anonymity", "k": 7}, {"name": "t-closeness", "t": 0.3}]


def test_all_problems_together() -> None:
    form = {"models.k-anonymity.on": "on", "models.k-anonymity.k": "x", "models.l-diversity.on": "on"}
    with pytest.raises(SpecError) as caught:
        read_form("models", form)
    assert len(caught.value.problems) == 2


def test_a_knob_that_may_be_a_file_is_not_asked_for() -> None:
    names = {one.name for one in make_card(vl.RRobustness).fields}
    assert "r" in names
    assert "prior" not in names
    form = {"models.r-robustness.on": "on", "models.r-robustness.r": "2", "models.r-robustness.prior": "/etc/passwd"}
    assert read_form("models", form) == [{"name": "r-robustness", "r": 2.0}]


@pytest.fixture
def third_party(monkeypatch: pytest.MonkeyPatch) -> type[registry.Plugin]:
    known = {family: registered_classes(family) for family in FAMILIES}
    monkeypatch.setattr(registry, "_registry", {family: dict(classes) for family, classes in known.items()})

    @dataclass(frozen=True)
    class Novel(vl.KAnonymity):
        """Something new: with knobs of every kind."""

        name: ClassVar[str] = "novel"
        share: float = knob(0.5, above=0, high=1)
        way: str = knob("left", choices=("left", "right"))
        strict: bool = True
        names: tuple[str, ...] = ()

    return Novel


def test_a_third_party_is_shown_like_our_own(third_party: type[registry.Plugin]) -> None:
    found = next(one for one in make_cards("models") if one.name == "novel")
    kinds = {one.name: one.widget for one in found.fields}
    assert kinds == {"k": "whole", "share": "number", "way": "choice", "strict": "yes", "names": "text"}
    form = {"models.novel.on": "on", "models.novel.k": "3", "models.novel.way": "right", "models.novel.strict": "no"}
    form["models.novel.names"] = "a|b"
    (told,) = read_form("models", form)
    assert told == {"name": "novel", "k": 3, "way": "right", "strict": False, "names": ["a", "b"]}
    assert build_plugin("models", "novel", {key: value for key, value in told.items() if key != "name"})


def test_a_headline_starts_with_a_capital_letter() -> None:
    headlines = [read_description(cls)[0] for cls in registered_classes("models").values()]
    assert len(headlines) > 10
    assert all(headline[0].isupper() for headline in headlines)


def test_the_items_of_a_list_are_paragraphs_of_their_own() -> None:
    story = read_description(vl.LDiversity)[1]
    assert len([words for words in story if words.startswith("• ")]) > 1
    assert not [words for words in story if "; - " in words]
