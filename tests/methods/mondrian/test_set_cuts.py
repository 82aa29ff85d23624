"""Mondrian for several sets of quasi-identifiers: everything is counted again from the published labels."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.engines import base
from voile.errors import PolicyError
from voile.tables import partition_tree

KEY = vl.Key(bytes(32))
NAMES = list("abcde")
SETS = {
    "shared": [["a", "b"], ["b", "c", "d"], ["e"]],
    "apart": [["a", "b", "e"], ["c", "d"]],
    "all shared": [["a", "b"], ["b", "c"], ["a", "c"], ["d", "e", "a"], ["e", "b"]],
}


def people(seed: int, rows: int = 200) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {name: rng.integers(0, 12, rows) for name in "abc"}
    columns |= {name: rng.choice(["p", "q", "r", "s"], rows) for name in "de"}
    return pl.DataFrame(columns | {"ill": rng.choice(list("uvwx"), rows)})


def read(frame: Any, sets: Any, **more: Any) -> Any:
    return vl.read(frame, vl.Schema(quasi=NAMES, sensitive=["ill"], quasi_sets=sets), **more)


def fits(label: str, value: Any) -> bool:
    if label == "*" or label == str(value):
        return True
    if label.startswith("["):
        low, high = label[1:-1].split(", ")
        return int(low) <= value <= int(high)
    return str(value) in label.strip("{}").split("|")


@pytest.mark.parametrize("recoding", ["tight", "hierarchy"])
@pytest.mark.parametrize("sets", SETS.values(), ids=SETS)
@pytest.mark.parametrize("policy", [vl.KAnonymity(k=4), vl.Policy(vl.KAnonymity(k=3), vl.LDiversity(l=2))])
def test_every_set_keeps_the_promise(sets: Any, policy: Any, recoding: str) -> None:
    for seed in range(3):
        frame = people(seed)
        release = vl.publish(read(frame, sets), policy, vl.Mondrian(recoding), key=KEY)
        assert vl.verify(release).holds
        table = release.tables["table"].cast(pl.String)
        for names in sets:
            groups = defaultdict(list)
            for *cells, ill in table.select(*names, "ill").iter_rows():
                groups[tuple(cells)].append(ill)
            assert min(map(len, groups.values())) >= 3
            if isinstance(policy, vl.Policy):
                assert all(2 * max(Counter(values).values()) <= len(values) for values in groups.values())
            # everybody finds at least so many rows that fit what is known of them
            for known in frame.select(names).unique().iter_rows():
                hits = sum(len(rows) for cells, rows in groups.items() if all(map(fits, cells, known)))
                assert hits >= 3
        audit = vl.audit(release, read(frame, sets))
        assert all(finding.passed for finding in audit.findings if finding.inside)


def test_less_is_lost_than_for_all_columns() -> None:
    frame = people(1)
    loss = {
        bool(sets): vl.measure(
            read(frame, sets), vl.publish(read(frame, sets), vl.KAnonymity(k=4), key=KEY), [vl.measures.Certainty()]
        )
        .items[0]
        .value
        for sets in ((), SETS["shared"])
    }
    assert loss[True] < loss[False] / 2


def test_every_engine_gives_the_same_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people(2).write_parquet(tmp_path / "people.parquet")
    here = vl.publish(read(tmp_path / "people.parquet", SETS["shared"]), vl.KAnonymity(k=4), key=KEY)
    monkeypatch.setattr(partition_tree, "LARGEST_PART", 90)
    monkeypatch.setattr(base, "CHUNK_ROWS", 40)
    data = read(tmp_path / "people.parquet", SETS["shared"], engine=vl.Disk())
    there = vl.publish(data, vl.KAnonymity(k=4), key=KEY)
    assert there.digest == here.digest
    there.save(tmp_path / "out")
    assert vl.verify(tmp_path / "out", engine=vl.Disk()).holds


def test_coarsest_levels_are_refused() -> None:
    schema = vl.Schema(quasi=NAMES, quasi_sets=SETS["shared"], steering={"a": {"coarsest": 0}})
    with pytest.raises(PolicyError, match="keeps no coarsest level"):
        vl.publish(vl.read(people(1).drop("ill"), schema), vl.KAnonymity(k=2))
