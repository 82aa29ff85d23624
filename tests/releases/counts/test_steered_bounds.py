"""Certain bounds hold where publishers steer columns, withhold people, blank cells or name several sets."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from releases.counts.test_certain_bounds import ASKED, KEY, count_truth, draw_table

import voile as vl
from voile.errors import SchemaError, VoileError
from voile.releases.queries.query import parse_query

STEERED: dict[str, dict[str, Any]] = {
    "finest": {"steering": {"age": vl.Steer(finest=1), "town": vl.Steer(finest=1)}},
    "coarsest": {"steering": {"sex": vl.Steer(coarsest=0)}},
    "weights": {"steering": {"age": vl.Steer(weight=5), "income": vl.Steer(weight=0, by_rank=True)}},
    "sets": {"quasi_sets": [["age", "sex", "town"], ["school", "income", "sex"]]},
    "plain": {},
}
REFUSED = {("sets", "cluster"), ("sets", "blanks")}
METHODS = {
    "mondrian": vl.Mondrian(suppression=0.2),
    "cluster": vl.Cluster(suppression=0.2),
    "full-domain": vl.FullDomain(suppression=0.2),
    "blanks": vl.FullDomain(suppression=0.2, blanks=True),
}


@pytest.mark.parametrize(("wish", "name"), [*itertools.product(STEERED, METHODS)])
def test_the_truth_lies_within_the_bounds(wish: str, name: str) -> None:
    method: Any = METHODS[name]
    if wish == "sets" and name != "blanks":
        method = replace(method, suppression=0.0)  # nobody is withheld beside several sets
    counted = 0
    for seed in (1, 2, 3, 6, 7, 9):
        frame, schema = draw_table(seed)
        schema = replace(
            schema,
            hierarchies={**schema.hierarchies, "town": {"alone": ["s", "w", "q"], "other": ["z"]}},
            **STEERED[wish],
        )
        try:
            release = vl.publish(vl.read(frame, schema), vl.KAnonymity(k=2), method, key=KEY)
        except VoileError:
            continue  # some tables are too small, and some methods refuse some wishes
        rng = np.random.default_rng(seed)
        for names in (names for size in (1, 2) for names in itertools.combinations(ASKED, size)):
            query = {column: ASKED[column][int(rng.integers(0, len(ASKED[column])))] for column in names}
            conditions = parse_query(query, {}).conditions
            try:
                release.counting.check_conditions(conditions)
            except SchemaError:
                continue  # the release shows no such value
            at_least, at_most = release.counting.bound(conditions)
            assert at_least <= count_truth(frame, query) <= at_most, query
            counted += 1
    assert counted > 20 or (wish, name) in REFUSED
