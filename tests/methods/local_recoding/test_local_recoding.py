"""Local recoding: every group passes, nothing is changed, and no row is coarse without a reason."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import PolicyError, Unsatisfiable

TREE = {"north": ["a", "b"], "south": ["c", "d"]}
PLACES = {"place": list("abcd")}
KEY = vl.Key(bytes(range(32)))


def read(rows: list[tuple[Any, ...]], **more: Any) -> Any:
    frame = pl.DataFrame(rows, schema=["place", "disease"], orient="row")
    schema = vl.Schema(quasi=["place"], sensitive=["disease"], hierarchies={"place": TREE}, domains=PLACES, **more)
    return vl.read(frame, schema)


def publish(rows: list[tuple[Any, ...]], *models: Any) -> list[tuple[str, str]]:
    release = vl.publish(read(rows), vl.Policy(*models), vl.LocalRecoding(), key=KEY)
    return list(release.tables["table"].rows())


def covers(label: str, place: str) -> bool:
    """Whether a published cell covers a place, from the tree alone."""
    return label in ("*", place) or place in TREE.get(label, ())


def share_out(published: list[tuple[str, str]], rows: list[tuple[str, str]]) -> bool:
    """Whether the people can be the published rows: everybody below the cell of a row with their own value."""
    left = list(rows)
    for label, value in sorted(published, key=lambda row: sum(covers(row[0], place) for place in "abcd")):
        fitting = [row for row in left if row[1] == value and covers(label, row[0])]
        if not fitting:
            return False
        left.remove(min(fitting, key=lambda row: sum(covers(label, row[0]) for label, _ in published)))
    return not left


def test_of_four_equal_rows_two_are_generalized() -> None:
    rows = [("a", "Yes")] * 2 + [("b", "None")] * 4
    shown = Counter(publish(rows, vl.Personalized(p=0.5, nodes=("Yes",))))
    assert shown == {("north", "Yes"): 2, ("north", "None"): 2, ("b", "None"): 2}


def test_a_table_that_passes_is_published_as_it_is() -> None:
    rows = [("a", "Yes"), ("a", "None"), ("b", "Yes"), *[("b", "None")] * 3]
    assert Counter(publish(rows, vl.Personalized(p=0.5, nodes=("Yes",)))) == Counter(rows)


def passes(groups: dict[str, list[str]], l: int) -> bool:  # noqa: E741 - the literature's letter
    return all(max(Counter(values).values()) * l <= len(values) for values in groups.values())


@pytest.mark.parametrize("number", [4, 5])
def test_every_tiny_table(number: int) -> None:
    """All tables of some people: frequency 2-diversity is judged here by code of its own, and so is who may be who."""
    places = ["a", "a", "b", "c", "b"][:number]
    for values in itertools.product("xyz", repeat=number):
        rows = list(zip(places, values, strict=True))
        if max(Counter(values).values()) * 2 > number:
            with pytest.raises(Unsatisfiable):
                publish(rows, vl.LDiversity(l=2, form="frequency"))
            continue
        published = publish(rows, vl.LDiversity(l=2, form="frequency"))
        groups: dict[str, list[str]] = {}
        for label, value in published:
            groups.setdefault(label, []).append(value)
        assert passes(groups, 2)
        assert share_out(published, rows)
        original: dict[str, list[str]] = {}
        for place, value in rows:
            original.setdefault(place, []).append(value)
        assert passes(original, 2) == (Counter(published) == Counter(rows))


def least_coarse_rows(rows: list[tuple[str, str]]) -> int:
    """The fewest rows that must be shown as north, so that the share of Yes is at most 1/2 everywhere: by trying all
    sets of rows."""
    for number in range(len(rows) + 1):
        for chosen in itertools.combinations(range(len(rows)), number):
            groups: dict[str, list[str]] = {}
            for position, (place, value) in enumerate(rows):
                groups.setdefault("north" if position in chosen else place, []).append(value)
            if all(2 * values.count("Yes") <= len(values) for values in groups.values()):
                return number
    return -1


def test_as_few_rows_are_coarse_as_possible_where_two_places_meet() -> None:
    for values in itertools.product(["Yes", "None"], repeat=6):
        rows = list(zip("aabbbb", values, strict=True))
        if 0 < 2 * values.count("Yes") <= 6:
            published = publish(rows, vl.Personalized(p=0.5, nodes=("Yes",)))
            assert sum(label == "north" for label, _ in published) == least_coarse_rows(rows)


def posterior(rows: list[tuple[str, str]], model: Any) -> dict[tuple[str, str], Fraction]:
    """The belief of somebody who runs the method on every table with these people and values."""
    target = Counter(publish(rows, model))
    places, values = [place for place, _ in rows], [value for _, value in rows]
    worlds = [
        world
        for world in set(itertools.permutations(values))
        if Counter(publish(list(zip(places, world, strict=True)), model)) == target
    ]
    belief: Counter[tuple[str, str]] = Counter()
    for world in worlds:
        for place, value in zip(places, world, strict=True):
            belief[place, value] += Fraction(1, len(worlds) * places.count(place))
    return dict(belief)


@pytest.mark.parametrize(
    "rows",
    [
        [("a", "Yes"), ("a", "Yes"), ("b", "None"), ("b", "None"), ("b", "None"), ("b", "None")],
        [("a", "Yes"), ("b", "None"), ("b", "Yes"), ("c", "None"), ("c", "None")],
        [("a", "None"), ("a", "Yes"), ("a", "Yes"), ("b", "None"), ("b", "None")],
    ],
)
def test_the_attack_believes_what_running_the_method_on_every_table_gives(rows: list[tuple[str, str]]) -> None:
    model = vl.Personalized(p=0.5, nodes=("Yes",))
    release = vl.publish(read(rows), model, vl.LocalRecoding())
    register = pl.DataFrame({"place": [place for place, _ in rows]})
    external = vl.read(register, vl.Schema(quasi=["place"], hierarchies={"place": TREE}, domains=PLACES))
    guess = vl.attacks.Minimality().guesses(release, external)[-1]
    assert guess.belief.details["people whose risk is exact"] == len(rows)
    expected = posterior(rows, model)
    labels, kinds = external.columns["place"].domain.labels, release.match_register(external).kind
    for kind, risk in zip(kinds, guess.belief.risk, strict=True):
        assert risk == pytest.approx(float(expected.get((labels[kind], "Yes"), 0)))


def test_sizes_alone_look_at_no_value() -> None:
    """Which rows are borrowed for k-anonymity is left to chance: the same groups, whatever the values are."""
    shapes = set()
    for values in itertools.islice(itertools.permutations("vwxyz"), 0, 120, 7):
        published = publish(list(zip("abbbb", values, strict=True)), vl.KAnonymity(k=2))
        shapes.add(tuple(sorted(Counter(label for label, _ in published).items())))
    assert shapes == {(("b", 3), ("north", 2))}
    rows = [("a", "v"), ("b", "w"), ("b", "x"), ("b", "y"), ("b", "z")]
    borrowed = set()
    for number in range(12):
        release = vl.publish(read(rows), vl.KAnonymity(k=2), vl.LocalRecoding(), key=vl.Key(bytes([number]) * 32))
        borrowed |= {value for label, value in release.tables["table"].rows() if label == "north"} - {"v"}
    assert len(borrowed) > 2


def test_two_columns_several_levels_and_columns_that_are_not_looked_at() -> None:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 28, 60),
            "place": rng.choice(list("abcd"), 60),
            "disease": rng.choice(["flu", "cold", "HIV"], 60, p=[0.5, 0.3, 0.2]),
            "ward": rng.integers(1, 4, 60),
        }
    )
    schema = vl.Schema(
        quasi=["age", "place"],
        sensitive=["disease"],
        other=["ward"],
        hierarchies={"place": TREE, "age": vl.intervals(2, 4)},
    )
    policy = vl.Policy(vl.KAnonymity(k=3), vl.LDiversity(l=2))
    one, two = (vl.publish(vl.read(t, schema), policy, vl.LocalRecoding(), key=KEY) for t in (frame, frame.reverse()))
    assert one.tables["table"].equals(two.tables["table"])
    assert vl.verify(one).holds
    for name in ("disease", "ward"):
        assert Counter(one.tables["table"][name]) == Counter(frame[name])
    other = vl.publish(vl.read(frame, schema), policy, vl.LocalRecoding(), key=vl.Key(bytes(32)))
    assert one.tables["table"].drop("ward").equals(other.tables["table"].drop("ward"))


def test_a_model_that_is_not_monotone_is_refused() -> None:
    with pytest.raises(PolicyError, match="local-recoding"):
        vl.publish(read([("a", "x"), ("b", "y")]), vl.RRobustness(r=2), vl.LocalRecoding())
    with pytest.raises(Unsatisfiable, match="out of reach"):
        vl.publish(read([("a", "x"), ("b", "x")]), vl.LDiversity(l=2), vl.LocalRecoding())


def test_the_claim_does_not_cover_the_algorithm() -> None:
    release = vl.publish(read([("a", "x"), ("b", "y")]), vl.KAnonymity(k=2), vl.LocalRecoding())
    assert any("knows the algorithm" in gap for gap in release.certificate.claims[0]["not_covered"])
