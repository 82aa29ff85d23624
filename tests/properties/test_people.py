"""Random tables of events, recounted with the ids: every group has k people, and nobody has more than 1/k of it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from event_recount import check_groups, recount
from event_tables import PERSON, EventRequest, random_request
from oracle import people
from random_requests import KEY

import voile as vl

BLOCK = 200


@pytest.mark.parametrize("block", range(7))
def test_every_group_has_k_people(block: int) -> None:
    """At least 1,000 tables are published in all blocks together; the enumerated tables add more than as many."""
    published = sum(recount(random_request(seed)) for seed in range(block * BLOCK, (block + 1) * BLOCK))
    assert published >= 0.8 * BLOCK


def test_the_requests_differ() -> None:
    requests = [random_request(seed) for seed in range(300)]
    assert {request.rows_per_person for request in requests} == {1, 2, 3, 4, 5}
    assert {request.k for request in requests} == {2, 3, 4, 5}
    assert {type(request.method) for request in requests} == {vl.Mondrian, vl.FullDomain}
    assert {len(request.quasi) for request in requests} == {1, 2, 3}
    assert {len(request.sensitive) for request in requests} == {1, 2}
    assert {request.frame[PERSON].dtype for request in requests} == {pl.Int64, pl.String}
    assert max(request.frame[PERSON].value_counts()["count"].max() for request in requests) == 20  # type: ignore[type-var]
    kinds = {
        (request.frame[name].dtype, bool((request.frame.group_by(PERSON).n_unique()[name] > 1).any()))
        for request in requests
        for name in request.quasi
    }
    assert kinds == {(pl.Int64, True), (pl.Int64, False), (pl.String, True), (pl.String, False)}


def test_the_recount_notices_rows_that_are_counted_as_people() -> None:
    """A table of visits that is published as if every row were a person, as any tool that counts rows would do."""
    rng = np.random.default_rng(3)
    owner = np.repeat(np.arange(60), rng.integers(1, 12, 60))
    frame = pl.DataFrame(
        {PERSON: owner, "age": rng.integers(20, 80, 60)[owner], "disease": rng.choice(["flu", "gout"], len(owner))}
    )
    request = EventRequest(frame, ("age",), ("disease",), len(owner), 5, None, None, vl.Mondrian(), KEY)
    schema = vl.Schema(quasi=["age"], sensitive=["disease"], identifier=[PERSON], rows_are="people")
    release = vl.publish(vl.read(frame, schema), request.policy, key=KEY)
    assert vl.verify(release).holds  # it says that somebody declared it
    with pytest.raises(AssertionError):
        check_groups(release, frame.to_dicts(), request)
    groups, _ = people.place_rows(
        release.tables["table"].to_dicts(), release.described("quasi"), frame.to_dicts(), ["disease"]
    )
    assert people.fewest_people(groups, PERSON) < 5
