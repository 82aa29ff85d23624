"""A synthesizer runs in an interpreter of its own; a stub stands for dpmm here."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import SpecError
from voile.flow.compare.comparison_request import read_comparison_request
from voile.flow.compare.yardstick import measure_yardstick
from voile.io.spec_files import make_spec
from voile.tables.microdata import Microdata

PANDAS = """
class Frame(dict):
    def __init__(self, columns): super().__init__(columns)
    columns = property(list)
    def __len__(self): return len(next(iter(self.values())))
    def __getitem__(self, key):
        if isinstance(key, list): return Frame({name: dict.__getitem__(self, name) for name in key})
        return super().__getitem__(key)
    def astype(self, kind): return self
    def to_csv(self, file, index):
        print(*self.columns, sep=",", file=file)
        for row in zip(*self.values()): print(*row, sep=",", file=file)
def read_csv(file):
    names, *rows = [line.strip().split(",") for line in file]
    return Frame({name: [int(row[place]) for row in rows] for place, name in enumerate(names)})
"""
PIPELINES = """
class MSTPipeline:
    def __init__(self, epsilon, disable_processing):
        print("noise on standard output")
        assert epsilon == 2 and disable_processing
    def fit(self, codes, domain):
        self.codes = codes
        assert list(domain) == codes.columns
        for name in domain:
            assert set(codes[name]) <= set(range(domain[name])), name
    def generate(self, n_records):
        assert n_records == len(self.codes)
        return self.codes
class AIMPipeline(MSTPipeline):
    def fit(self, codes, domain):
        raise KeyError("Zurich")
"""


def read() -> Microdata:
    frame = pl.DataFrame(
        {
            "age": np.random.default_rng(0).integers(20, 40, 90),
            "city": ["Bern", "Lyon", "Zurich"] * 30,
            "income": np.arange(90) * 100,
            "disease": ["flu", None, "cold"] * 30,
        }
    )
    return vl.read(frame, vl.Schema(quasi=["age", "city", "income"], sensitive=["disease"], missing="value"))


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """An interpreter that finds the stub."""
    (tmp_path / "stub" / "dpmm").mkdir(parents=True)
    (tmp_path / "stub" / "pandas.py").write_text(PANDAS)
    (tmp_path / "stub" / "dpmm" / "__init__.py").write_text("")
    (tmp_path / "stub" / "dpmm" / "pipelines.py").write_text(PIPELINES)
    return write_interpreter(tmp_path / "python", f"PYTHONPATH={tmp_path / 'stub'} exec {sys.executable} -S")


def write_interpreter(path: Path, command: str) -> Path:
    path.write_text(f'#!/bin/sh\n{command} "$@"\n')
    path.chmod(0o700)
    return path


def test_the_codes_come_back_as_the_table(python: Path) -> None:
    """The stub returns what it got: columns with few values lose nothing, stretches of equal width little."""
    found = measure_yardstick(read(), vl.Yardstick("mst", 2, python=python))
    assert (found.rows, found.epsilon) == (90, 2.0)
    alone = measure_yardstick(
        vl.read(pl.DataFrame({"city": ["Bern", "Rome"] * 9}), vl.Schema(quasi=["city"])),
        vl.Yardstick("mst", 2, python=python),
    )
    assert alone.loss == 0
    assert 0 <= found.loss < 0.4
    assert found.parts["city"] < found.parts["income"]


def test_what_goes_wrong_is_named_without_the_data(python: Path, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no interpreter") as caught:
        vl.Yardstick("mst", 1, python=tmp_path / "nowhere")
    assert caught.value.code == "spec.python"
    bare = write_interpreter(tmp_path / "bare", f"exec {sys.executable} -S")
    with pytest.raises(SpecError, match="no package dpmm") as caught:
        measure_yardstick(read(), vl.Yardstick("mst", 1, python=bare))
    assert f"{bare} -m pip install dpmm" in caught.value.hint
    with pytest.raises(SpecError, match="no synthesizer 'mwem'"):
        vl.Yardstick("mwem", 1, python=python)
    for epsilon in (0, -1, 101, float("inf")):
        with pytest.raises(SpecError) as caught:
            vl.Yardstick("mst", epsilon, python=python)
        assert caught.value.code == "spec.epsilon"
    with pytest.raises(SpecError, match="KeyError") as caught:
        measure_yardstick(read(), vl.Yardstick("aim", 2, python=python))
    assert "Zurich" not in str(caught.value)


def test_flags_and_specs_name_the_interpreter(python: Path, tmp_path: Path) -> None:
    sections = {
        "schema": {"quasi": ["age"]},
        "policy": {"model": "k-anonymity", "k": 5},
        "compare": {
            "synthetic": [f"mst:epsilon=1,python={python}", {"synthesizer": "aim", "epsilon": 2, "python": str(python)}]
        },
    }
    request = read_comparison_request(make_spec(sections, tmp_path / "spec.toml"))
    assert [(item.table, item.epsilon, str(item.python)) for item in request.yardsticks] == [
        ("mst", 1.0, str(python)),
        ("aim", 2.0, str(python)),
    ]
    assert request.yardsticks[0].title == "MST of dpmm, delta 1e-5"
    sections["compare"] = {"synthetic": [{"synthesizer": "mst", "epsilon": 1}]}
    with pytest.raises(SpecError, match="synthetic must list"):
        make_spec(sections, tmp_path / "spec.toml")
