"""The catalogue: every plug-in is described, and its example can be built."""

from __future__ import annotations

import pytest

from voile.errors import PolicyError
from voile.flow.explore.catalogue import FAMILIES, describe_entry, list_entries
from voile.plugins.parameters import parse_short_form
from voile.plugins.registry import build_plugin, registered_classes


@pytest.mark.parametrize("family", FAMILIES)
def test_every_plugin_is_listed_with_its_knobs(family: str) -> None:
    entries = {entry.name: entry for entry in list_entries(family)}
    assert set(entries) == set(registered_classes(family))
    for entry in entries.values():
        assert entry.headline.endswith((".", "?"))
        assert all(knob.takes for knob in entry.knobs)
        required = [knob.required for knob in entry.knobs]
        assert required == sorted(required, reverse=True)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_example_can_be_built(family: str) -> None:
    for entry in list_entries(family):
        short = entry.example.partition(" ")[2]
        if "..." not in short:  # it needs a file, or another plug-in
            assert build_plugin(family, *parse_short_form(short)).name == entry.name


def test_a_model_says_what_it_promises_against_whom() -> None:
    entry = describe_entry("models", "l-diversity")
    assert entry.promise == "Nobody can be linked to a value of the sensitive column with probability above 1/5."
    assert entry.against.startswith("a neighbour who knows")
    assert entry.python == "vl.LDiversity(l=5)"
    assert [knob.name for knob in entry.knobs][:2] == ["l", "form"]
    assert entry.knobs[1].takes == "frequency, distinct, entropy or recursive"


def test_an_unknown_name_is_corrected() -> None:
    with pytest.raises(PolicyError, match="no attack") as caught:
        describe_entry("attacks", "linkin")
    assert "linking" in caught.value.hint
