"""Random tables, policies and methods, and what to do with a release of them."""

from __future__ import annotations

import datetime
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import strategies as st

import voile as vl
from voile.errors import BrokenPromise, VoileError
from voile.releases.release import Release

KEY = vl.Key(bytes(range(32)))


# words that look like what voile writes itself, and words that CSV finds hard
WORDS = [
    "a",
    "b",
    "*",
    "{x|y}",
    "x",
    "y",
    "\\z",
    "z",
    "",
    " pad ",
    "a, b",
    "[1, 2]",
    'say "hi"',
    "two\nlines",
    "true",
    "7",
]


DAYS = [datetime.date(2020, 2, 28) + datetime.timedelta(step) for step in (0, 1, 2, 40, 400, 4000)]


MOMENTS = [datetime.datetime(2021, 3, 4, 5, 6) + datetime.timedelta(seconds=step) for step in (0, 1, 0.25, 9e4, 9e7)]


CLOCK = [datetime.time(7, 30), datetime.time(7, 30, 1), datetime.time(23, 59, 59, 250_000)]


NUMBERS: dict[str, Callable[[np.random.Generator, int], list[Any]]] = {
    "whole": lambda rng, rows: rng.integers(-5, 30, rows).tolist(),
    "wide": lambda rng, rows: (rng.integers(0, 7, rows) * 10**12).tolist(),
    "real": lambda rng, rows: (rng.integers(-8, 8, rows) / 7).tolist(),
    "tiny": lambda rng, rows: (rng.integers(0, 5, rows) * 1e-9).tolist(),
}


def cells(draw: st.DrawFn, rng: np.random.Generator, rows: int, sensitive: bool) -> tuple[list[Any], str | None]:
    """Draw the cells of a column, and its kind if the schema names one."""
    sort = draw(
        st.sampled_from(["word", "word", "few", "ordered", "whole", "date", "moment", "clock", *NUMBERS, "bool"])
    )
    if sort in NUMBERS:
        return NUMBERS[sort](rng, rows), draw(st.sampled_from([None, None, "ordered"]))
    pools = {"date": DAYS, "moment": MOMENTS, "clock": CLOCK}
    if sort in pools:
        return [pools[sort][i] for i in rng.integers(0, len(pools[sort]), rows)], draw(
            st.sampled_from([None, "ordered"])
        )
    if sort == "bool":
        return rng.random(rows).__gt__(0.4).tolist(), None
    pool = WORDS if sort == "word" else WORDS[:4]
    share = rng.dirichlet(np.full(len(pool), 3.0 if sensitive else 0.7))
    return [pool[i] for i in rng.choice(len(pool), rows, p=share)], "ordered" if sort == "ordered" else None


def tree(rng: np.random.Generator, values: list[Any]) -> dict[str, dict[str, list[Any]]]:
    """Draw a hierarchy of two inner levels whose labels may be anything, even a value or text that voile writes."""
    inner, outer = rng.permutation([*WORDS, "3", "-1"])[:5].tolist(), rng.permutation(WORDS)[:2].tolist()
    found: dict[str, dict[str, list[Any]]] = {}
    for value in values:
        node = int(rng.integers(0, len(inner)))
        found.setdefault(outer[node % 2], {}).setdefault(inner[node], []).append(value)
    return found


@st.composite
def tables(draw: st.DrawFn, sensitive: tuple[int, int] = (0, 2)) -> tuple[pl.DataFrame, vl.Schema]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = draw(st.sampled_from([1, 2, 5, 12, 25, 40]))
    absent = draw(st.sampled_from([0.0, 0.0, 0.15]))
    roles = {
        "quasi": draw(st.integers(1, 3)),
        "sensitive": draw(st.integers(*sensitive)),
        "other": draw(st.integers(0, 1)),
    }
    frame: dict[str, list[Any]] = {}
    named: dict[str, list[str]] = {role: [] for role in roles}
    kinds: dict[str, str] = {}
    for role, number in roles.items():
        for place in range(number):
            name = f"{role} {place}"
            values, kind = cells(draw, rng, rows, role == "sensitive")
            frame[name] = [None if rng.random() < absent else value for value in values]
            named[role].append(name)
            if kind:
                kinds[name] = kind
    trees: dict[str, Any] = {}
    for name in (*named["quasi"], *named["sensitive"]):
        wanted = draw(st.sampled_from(["", "auto", "tree"]))
        if wanted:
            present = sorted({value for value in frame[name] if value is not None})
            trees[name] = tree(rng, present) if wanted == "tree" and present else "auto"
    table = pl.DataFrame(frame, strict=False)
    return table, vl.Schema(**named, kinds=kinds, hierarchies=trees, missing=draw(st.sampled_from(["value", "drop"])))


GROUNDS = ["equal", "ordered", "hierarchical"]


DIVERSE = st.one_of(
    st.builds(vl.LDiversity, l=st.integers(2, 3), form=st.sampled_from(["frequency", "distinct", "entropy"])),
    st.builds(vl.LDiversity, l=st.integers(2, 3), form=st.just("recursive"), c=st.sampled_from([0.7, 1, 2.5])),
)


MODELS = st.one_of(
    st.builds(vl.KAnonymity, k=st.integers(2, 6)),
    DIVERSE,
    st.builds(vl.TCloseness, t=st.sampled_from([0.1, 0.3, 0.5, 0.8]), distance=st.sampled_from(GROUNDS)),
    st.builds(vl.AlphaK, alpha=st.sampled_from([0.4, 0.6, 1]), k=st.integers(2, 4)),
    st.builds(vl.KE, k=st.just(2), e=st.sampled_from([0, 1.5, 5])),
)


METHODS = st.one_of(
    st.builds(vl.Mondrian, recoding=st.sampled_from(["tight", "hierarchy"])),
    st.builds(vl.FullDomain, suppression=st.sampled_from([0, 0.1, 0.5])),
)


def policies(models: st.SearchStrategy[Any]) -> st.SearchStrategy[vl.Policy]:
    return st.lists(models, min_size=1, max_size=2).map(lambda chosen: vl.Policy(*chosen))


LINKED = st.sampled_from([vl.Anatomy(), vl.Injector(), vl.Injector(min_exp=0.2, max_items=1, intervals=3)])


DECOMPOSE = st.builds(
    vl.Decompose,
    noise=st.sampled_from(["symmetric", "symmetric", "paper"]),
    publish_joint=st.booleans(),
    on_fail=st.sampled_from([None, "lower"]),
)


# one in five requests is for linked tables, which serve one sensitive column and l-diversity only; one for Decompose
REQUESTS = st.one_of(
    *[st.tuples(tables(), policies(MODELS), METHODS)] * 3,
    st.tuples(tables((1, 1)), policies(DIVERSE), LINKED),
    st.tuples(tables((1, 3)), policies(st.builds(vl.MultiDiversity, otherwise=st.integers(1, 3))), DECOMPOSE),
)


def publish_or_refuse(frame: Any, schema: vl.Schema, policy: vl.Policy, method: Any) -> Release | None:
    """Publish, or return None if voile refuses; a promise that voile breaks itself is no refusal."""
    try:
        return vl.publish(vl.read(frame, schema), policy, method, key=KEY)
    except BrokenPromise:
        raise
    except VoileError as error:
        return None if error.code and str(error) else pytest.fail("an error without a code or a message")


def looks_same(one: Release, other: Release) -> bool:
    """Whether readers see the same: a time read from CSV is text, with its seconds written out."""
    return one.tables.keys() == other.tables.keys() and all(
        one.tables[name].columns == other.tables[name].columns
        and visible_cells(one.tables[name]) == visible_cells(other.tables[name])
        for name in one.tables
    )


def visible_cells(table: pl.DataFrame) -> list[list[str | None]]:
    texts = [table[name].cast(pl.String).to_list() for name in table.columns]
    return [[value and re.sub(r"(\d)T(\d)|\.0+$", r"\1 \2", value).strip() for value in column] for column in texts]


@contextmanager
def save_temporarily(release: Release, format: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as place:
        yield release.save(Path(place) / "release", format=format)
