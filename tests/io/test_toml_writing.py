"""TOML written is TOML read."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from voile.flow.request.request import read_request
from voile.io import toml_writing
from voile.io.spec_files import read_spec

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SCALARS = st.one_of(
    st.booleans(), st.integers(-(2**60), 2**60), st.floats(allow_nan=False, allow_infinity=False), TEXTS
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=8,
)


@given(content=st.dictionaries(TEXTS, VALUES, max_size=4))
def test_round_trip(content: dict[str, Any]) -> None:
    assert tomllib.loads(toml_writing.render_toml(content)) == content


def test_what_is_none_is_left_out() -> None:
    assert toml_writing.render_toml({"method": {"name": "mask", "k": None}}) == '[method]\nname = "mask"\n'


def test_a_spec_with_a_tree(tmp_path: Path) -> None:
    told = {
        "schema": {"quasi": ["zip"], "hierarchies": {"zip": {"1*": ["11", "12"], "2*": ["21"]}}},
        "policy": [{"model": "k-anonymity", "k": 5}],
    }
    (tmp_path / "spec.toml").write_text(toml_writing.render_toml(told))
    assert read_request(read_spec(tmp_path / "spec.toml")).schema.hierarchies == told["schema"]["hierarchies"]
