"""No knob is ignored: beside any other knob, a value either changes some release or is refused.

The certificate names the knobs themselves; that alone is no change.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import PolicyError, VoileError

KEY = vl.Key(bytes(range(32)))
Knobs = dict[str, Any]

ART: list[Knobs] = [
    {"mode": "swap"},
    {"mode": "paper"},
    {"candidates": "closest"},
    {"grouping": "greedy"},
    {"grouping": "block"},
    {"grouping": "block", "leftover": "merge"},
    {"publish": "indicator"},
    {"max_group": 2},
    {"leftover": "absorb"},
    {"leftover": "error"},
    {"frequent": "suppress"},
    {"frequent": "unprotect"},
    {"loss": 0.9},
]
DECOMPOSE: list[Knobs] = [
    {"primary": "t"},
    {"noise": "paper"},
    {"publish_joint": False},
    {"on_fail": "lower"},
    {"frequent": "suppress"},
    {"draw": "nearest"},
]
STATES_A_DEFAULT = [  # what the other knob implies may be said
    ({"leftover": "absorb"}, {"grouping": "greedy"}),
    ({"noise": "paper"}, {"on_fail": "lower"}),
]


def draw_table(seed: int, quasi: list[str], values: dict[str, tuple[str, list[int]]], people: tuple[int, int]) -> Any:
    rng = random.Random(seed)
    number = rng.randint(*people)
    frame = pl.DataFrame(
        {name: [rng.choice("xyz" if name == "a" else "xy") for _ in range(number)] for name in quasi}
        | {name: rng.choices(letters, weights, k=number) for name, (letters, weights) in values.items()}
    )
    return vl.read(frame, vl.Schema(quasi=quasi, sensitive=list(values)))


def robust_cases() -> Iterator[tuple[Any, Any]]:
    for seed in (24, *range(16)):  # in 24 blocks withhold more than a tenth of the set, and not all of it
        data = draw_table(seed, ["a", "b"], {"s": ("nmhg", [5, 2, 2, 1 + seed % 4])}, (10, 22))
        values = tuple(value for value in "hg" if value in data.columns["s"].domain.labels)
        protect_as, support = "set" if seed % 2 or seed == 24 else "values", (2, 3, 100)[seed % 3]
        yield (
            data,
            vl.RRobustness(r=(2, 2, 3, 2.5)[seed % 4], protect=values, protect_as=protect_as, min_support=support),
        )


def joint_cases() -> Iterator[tuple[Any, Any]]:
    for seed in range(8):
        data = draw_table(seed, ["a", "b"], {"s": ("abcd", [3, 3, 2, 1]), "t": ("uvw", [3, 2, 2])}, (14, 24))
        yield data, vl.MultiDiversity({"s": 2 + seed % 2, "t": 2})


def publish(data: Any, policy: Any, method: Any) -> object:
    try:
        release = vl.publish(data, policy, method, key=KEY)
    except PolicyError as error:
        return error  # equal to nothing else
    except VoileError as error:
        return str(error)
    tables = [table.rows() for table in release.tables.values()]
    claims = [{**claim, "parameters": None} for claim in release.certificate.claims]
    return repr((tables, claims, release.dictionary.get("withheld")))


@pytest.mark.parametrize(
    ("method", "knobs", "cases"), [(vl.Art, ART, robust_cases), (vl.Decompose, DECOMPOSE, joint_cases)]
)
def test_no_knob_is_ignored_beside_another_one(method: Any, knobs: list[Knobs], cases: Any) -> None:
    requests, outcomes = list(cases()), dict[tuple[str, int], object]()

    def publish_case(chosen: Knobs, number: int) -> object:
        key = (repr(sorted(chosen.items())), number)
        if key not in outcomes:
            data, policy = requests[number]
            outcomes[key] = publish(data, policy, method(**chosen))
        return outcomes[key]

    ignored = []
    for beside in [{}, *knobs]:
        for added in knobs:
            if beside.keys() & added.keys() or (beside, added) in STATES_A_DEFAULT:
                continue
            for number in range(len(requests)):
                without, outcome = publish_case(beside, number), publish_case({**beside, **added}, number)
                if outcome != without and not isinstance(without, PolicyError):
                    break
            else:
                ignored.append((beside, added))
    assert not ignored


@pytest.mark.parametrize("added", [{"candidates": "closest"}, {"max_group": 2}, {"leftover": "absorb"}], ids=str)
def test_blocks_at_any_price_are_not_steered_by_a_search(added: Knobs) -> None:
    data, policy = next(robust_cases())
    with pytest.raises(PolicyError, match=next(iter(added))):
        vl.publish(data, policy, vl.Art(loss=1.0, **added))
