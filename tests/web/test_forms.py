"""Forms made from the registry, and read back into a spec."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import pytest

import voile as vl
from voile.errors import SpecError
from voile.plugins import registry
from voile.plugins.descriptions import read_description
from voile.plugins.registry import FAMILIES, build_plugin, knob, registered_classes
from voile.web.forms import fill_form, make_card, make_cards, read_form


@pytest.mark.parametrize("family", FAMILIES)
def test_every_plugin_has_a_card(family: str) -> None:
    cards = {card.name: card for card in make_cards(family)}
    assert cards.keys() == registered_classes(family).keys()
    for card in cards.values():
        assert card.headline.endswith((".", ":"))
        assert not card.headline.lower().startswith(card.name.lower() + ":")


@pytest.mark.parametrize("family", FAMILIES)
def test_an_unchanged_form_gives_only_required_knobs(family: str) -> None:
    """The controls hold the defaults, so an unchanged form gives the name and the required knobs alone."""
    for card in make_cards(family):
        form = {f"{family}.{card.name}.on": "on", **{f"{family}.{card.name}.{f.name}": f.value for f in card.fields}}
        if card.closed or card.name == "anti-corruption":  # a visitor must choose one of its two promises
            continue
        (entry,) = read_form(family, form)
        cls = registered_classes(family)[card.name]
        required = {f.name for f in registry.knob_fields(cls) if f.default is dataclasses.MISSING}
        assert set(entry) - {"name"} <= required
        filled = fill_form(family, [entry])
        assert read_form(family, {**form, **filled}) == [entry]


def test_typed_numbers_become_numbers() -> None:
    form = {"models.k-anonymity.on": "on", "models.k-anonymity.k": " 7 ", "models.t-closeness.on": "on"}
    form["models.t-closeness.t"] = "0.3"
    assert read_form("models", form) == [{"name": "k-anonymity", "k": 7}, {"name": "t-closeness", "t": 0.3}]


def test_all_problems_of_a_form_are_raised_together() -> None:
    form = {"models.k-anonymity.on": "on", "models.k-anonymity.k": "x", "models.l-diversity.on": "on"}
    with pytest.raises(SpecError) as caught:
        read_form("models", form)
    assert len(caught.value.problems) == 2


def test_a_knob_that_may_be_a_file_is_not_in_the_form() -> None:
    names = {field.name for field in make_card(vl.RRobustness).fields}
    assert "r" in names
    assert "prior" not in names
    form = {"models.r-robustness.on": "on", "models.r-robustness.r": "2", "models.r-robustness.prior": "/etc/passwd"}
    assert read_form("models", form) == [{"name": "r-robustness", "r": 2.0}]


@pytest.fixture
def third_party(monkeypatch: pytest.MonkeyPatch) -> type[registry.Plugin]:
    families = {family: registered_classes(family) for family in FAMILIES}
    monkeypatch.setattr(registry, "_registry", {family: dict(classes) for family, classes in families.items()})

    @dataclass(frozen=True)
    class Novel(vl.KAnonymity):
        """Something new: a model with knobs of every kind."""

        name: ClassVar[str] = "novel"
        share: float = knob(0.5, above=0, high=1)
        way: str = knob("left", choices=("left", "right"))
        strict: bool = True
        names: tuple[str, ...] = ()

    return Novel


def test_a_third_party_model_gets_a_form(third_party: type[registry.Plugin]) -> None:
    card = next(card for card in make_cards("models") if card.name == "novel")
    widgets = {field.name: field.widget for field in card.fields}
    assert widgets == {"k": "whole", "share": "number", "way": "choice", "strict": "yes", "names": "text"}
    form = {"models.novel.on": "on", "models.novel.k": "3", "models.novel.way": "right", "models.novel.strict": "no"}
    form["models.novel.names"] = "a|b"
    (entry,) = read_form("models", form)
    assert entry == {"name": "novel", "k": 3, "way": "right", "strict": False, "names": ["a", "b"]}
    assert build_plugin("models", "novel", {key: value for key, value in entry.items() if key != "name"})


def test_a_headline_starts_with_a_capital_letter() -> None:
    headlines = [read_description(cls)[0] for cls in registered_classes("models").values()]
    assert len(headlines) > 10
    assert all(headline[0].isupper() for headline in headlines)


def test_the_items_of_a_list_are_paragraphs_of_their_own() -> None:
    story = read_description(vl.LDiversity)[1]
    assert len([words for words in story if words.startswith("• ")]) > 1
    assert not [words for words in story if "; - " in words]
