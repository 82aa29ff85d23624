"""Presets: each one is a story with attacks that exist, and every attack belongs to some preset."""

from __future__ import annotations

import pytest

import voile as vl
from voile.adversaries import presets as presets_file
from voile.adversaries.presets import Preset, find_presets, presets
from voile.errors import PolicyError, SpecError
from voile.flow.audit.requested_attacks import build_attacks
from voile.plugins.registry import registered_classes


@pytest.mark.parametrize("name", presets())
def test_every_preset_has_a_story_and_attacks(name: str) -> None:
    preset = presets()[name]
    assert preset.name == name
    assert preset.title.split()[0] in ("a", "an")
    assert preset.story.endswith(".")
    assert build_attacks(preset)
    assert preset.as_json()["attacks"] == list(preset.attacks)


def test_every_attack_belongs_to_a_preset() -> None:
    assert {attack.name for preset in presets().values() for attack in build_attacks(preset)} == set(
        registered_classes("attacks")
    )


def test_presets_are_found_by_name() -> None:
    assert Preset.find("insurer") is vl.presets()["insurer"]
    with pytest.raises(PolicyError, match="no adversary named 'insuror'") as caught:
        Preset.find("insuror")
    assert caught.value.hint == "Did you mean 'insurer'?"
    with pytest.raises(PolicyError) as caught:
        Preset.find("xyz")
    assert "neighbour" in caught.value.hint


def test_presets_may_be_given_by_name_as_objects_or_as_a_list() -> None:
    insurer = Preset.find("insurer")
    assert find_presets(None) == ()
    assert find_presets("insurer") == find_presets(insurer) == find_presets([insurer]) == (insurer,)
    assert [preset.name for preset in find_presets(["thief", "friend"])] == ["thief", "friend"]


def test_a_third_party_adds_a_preset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presets_file, "_presets", dict(presets()))
    Preset("ex", "an ex who knows your birthday", "Knows.", ("linking",))
    assert build_attacks(presets()["ex"]) == (vl.attacks.Linking(),)
    with pytest.raises(SpecError, match="Two adversaries"):
        Preset("ex", "another one", "Knows.", ("linking",))
    Preset("lost", "somebody with no attack", "Knows.", ("linkin",))
    with pytest.raises(PolicyError, match="no attack named 'linkin'"):
        build_attacks(presets()["lost"])
