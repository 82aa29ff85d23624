"""Random tables, random parts: what is published on disk is what is published in memory, or the same is wrong."""

from __future__ import annotations

import datetime
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from published import KEY, digests

import voile as vl
from voile.engines import base
from voile.errors import VoileError
from voile.tables import partition_tree

REQUESTS = {
    "mondrian": (vl.Policy(vl.KAnonymity(k=3)), vl.Mondrian()),
    "mondrian along hierarchies": (vl.Policy(vl.KAnonymity(k=2)), vl.Mondrian(recoding="hierarchy")),
    "mondrian for values": (vl.Policy(vl.LDiversity(l=2)), vl.Mondrian()),
    "mondrian for distances": (vl.Policy(vl.KAnonymity(k=2), vl.TCloseness(t=0.5)), vl.Mondrian()),
    "cluster": (vl.Policy(vl.KAnonymity(k=3)), vl.Cluster(box_size=20)),
    "cluster for values": (vl.Policy(vl.LDiversity(l=2)), vl.Cluster()),
    "anatomy": (vl.Policy(vl.LDiversity(l=2)), vl.Anatomy()),
    "full domain": (vl.Policy(vl.KAnonymity(k=2)), vl.FullDomain(suppression=0.2)),
    "perturbed": (vl.Policy(vl.AntiCorruption(rho1=0.2, rho2=0.6, skew=0.5)), vl.PerturbedGeneralization()),
}


@st.composite
def tables(draw: Any) -> pl.DataFrame:
    """Few or many people; columns of every kind, some with gaps, some with one value only."""
    rows = draw(st.integers(1, 160))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    spread = draw(st.sampled_from([1, 2, 9, 400]))
    start = datetime.date(2020, 1, 31)
    frame = pl.DataFrame(
        {
            "age": rng.integers(-3, spread, rows),
            "height": np.round(rng.normal(170, spread, rows), 1),
            "place": rng.choice(["a", "ä b", "{c|d}", "*", "e,f"][: draw(st.integers(1, 5))], rows),
            "born": [start + datetime.timedelta(days=int(day)) for day in rng.integers(0, 20 * spread, rows)],
            "disease": rng.choice(["flu", "hiv", "cold", "none"][: draw(st.integers(1, 4))], rows),
        }
    )
    gaps = draw(st.sampled_from([0.0, 0.1]))
    for name in draw(st.lists(st.sampled_from(frame.columns), unique=True, max_size=2)):
        frame = frame.with_columns(frame[name].set(pl.Series(rng.random(rows) < gaps), None).alias(name))
    return frame


def outcome(source: Any, schema: vl.Schema, request: str, engine: Any = None) -> Any:
    """The release, or what is wrong."""
    policy, method = REQUESTS[request]
    try:
        return vl.publish(vl.read(source, schema, engine=engine), policy, method, key=KEY)
    except VoileError as error:
        return type(error), error.code


@given(
    tables(),
    st.sampled_from(sorted(REQUESTS)),
    st.sampled_from(["drop", "value"]),
    st.lists(st.sampled_from(["age", "height", "place", "born"]), min_size=1, unique=True),
    st.integers(2, 90),
    st.integers(1, 70),
)
@settings(max_examples=60, deadline=None)
def test_disk_publishes_what_memory_does(
    table: pl.DataFrame, request: str, missing: str, quasi: list[str], shard: int, slices: int
) -> None:
    schema = vl.Schema(quasi=quasi, sensitive=["disease"], missing=missing)
    with tempfile.TemporaryDirectory() as name, mock.patch.multiple(partition_tree, LARGEST_PART=shard):
        path = Path(name) / "people.parquet"
        table.write_parquet(path)
        with mock.patch.multiple(base, CHUNK_ROWS=slices):
            here, there = outcome(path, schema, request), outcome(path, schema, request, vl.Disk())
            if isinstance(here, tuple) or isinstance(there, tuple):
                assert here == there
                return
            assert digests(there) == digests(here)
            assert there.dictionary == here.dictionary
            assert there.certificate == here.certificate
            place = there.save(Path(name) / "out")
            stranger = vl.verify(place)
            assert not stranger.broken
            again = vl.verify(place, engine=vl.Disk())
            assert [(one.what, one.answer) for one in again.checks] == [(c.what, c.answer) for c in stranger.checks]
