"""Withholding in Mondrian and cluster: nobody's values decide, and nobody else is touched."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.methods.base import Method
from voile.testing import check_claim

METHODS: list[type[Any]] = [vl.Mondrian, vl.Cluster]
KEY = vl.Key(bytes(32))


def people(seed: int = 3, rows: int = 240) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": np.rint(rng.gamma(3, 15, rows)).astype(int),
            "job": rng.choice(list("abcdefgh"), rows, p=[0.4, 0.3, 0.1, 0.1, 0.04, 0.03, 0.02, 0.01]),
            "ill": rng.choice(["flu", "cold", "none"], rows),
        }
    )


def publish(frame: pl.DataFrame, method: Method, policy: Any) -> Any:
    release = vl.publish(vl.read(frame, vl.Schema(quasi=["age", "job"], sensitive=["ill"])), policy, method, key=KEY)
    assert vl.verify(release).holds
    return release


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("policy", [vl.KAnonymity(k=5), vl.Policy(vl.KAnonymity(k=4), vl.LDiversity(l=2))])
def test_at_most_the_share_is_withheld_and_less_is_lost(method: type[Any], policy: Any) -> None:
    frame, losses = people(), []
    for share in (0.0, 0.05, 0.2):
        release = publish(frame, method(suppression=share), policy)
        withheld = release.dictionary["withheld"]
        assert withheld <= share * frame.height
        assert (withheld > 0) == (share > 0)
        assert release.people == frame.height - withheld
        sizes = Counter(release.tables["table"].select("age", "job").cast(pl.String).iter_rows())
        assert min(sizes.values()) >= 4
        losses.append(sum(width(label) * count for (label, _), count in sizes.items()) / release.people)
    assert losses[2] < losses[0]


def width(label: str) -> float:
    ends = [150.0 * (end == "*") if end == "*" else float(end) for end in label.strip("[]").split(", ")]
    return ends[-1] - ends[0] if label != "*" else 150.0


@pytest.mark.parametrize("method", METHODS)
def test_who_is_withheld_does_not_depend_on_values(method: type[Any]) -> None:
    """The people are recognised by a column that is published as it is; their values are dealt anew."""
    policy = vl.Policy(vl.KAnonymity(k=3), vl.LDiversity(l=2))
    missing = set()
    for seed in range(4):
        frame = people().with_columns(ill=pl.Series(np.random.default_rng(seed).permutation(people()["ill"])))
        schema = vl.Schema(quasi=["age", "job"], sensitive=["ill"], other=["row"], confirmed=["row"])
        data = vl.read(frame.with_row_index("row"), schema)
        release = vl.publish(data, policy, method(suppression=0.1), key=KEY)
        missing.add(frozenset(range(frame.height)) - frozenset(release.tables["table"]["row"].to_list()))
    assert len(missing) == 1
    assert len(missing.pop()) > 10


@pytest.mark.parametrize("method", METHODS)
def test_the_claim_covers_whoever_knows_the_algorithm(method: type[Any]) -> None:
    assert check_claim(method(suppression=0.4), vl.KAnonymity(k=2), tables=2, people=(3, 3), keys=4)
    assert not check_claim(method(suppression=0.4), vl.LDiversity(l=2), tables=1, people=(3, 3), keys=4)


@pytest.mark.parametrize("method", METHODS)
def test_everybody_is_never_withheld(method: type[Any]) -> None:
    frame = pl.DataFrame({"age": [1, 2, 3, 4], "job": list("aabb"), "ill": ["flu"] * 4})
    assert publish(frame, method(suppression=1), vl.KAnonymity(k=2)).people >= 2
