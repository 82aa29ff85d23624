"""A method whose `produces` is no shape, or not the shape that it shows, is a clear error of the plug-in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl
import pytest

import voile as vl
from voile.errors import SpecError
from voile.methods.mondrian import Mondrian

TABLE = pl.DataFrame({"age": [1, 1, 2, 2], "disease": ["flu", "gout", "flu", "gout"]})


@dataclass(frozen=True)
class Shapeless(Mondrian):  # without a name of its own, so it is not registered
    produces: ClassVar[str] = "a new shape"


@dataclass(frozen=True)
class Misnamed(Mondrian):
    produces: ClassVar[str] = "bucketized"


def test_a_shape_that_does_not_exist() -> None:
    with pytest.raises(SpecError, match="produces 'a new shape' tables, but there is no such shape"):
        Shapeless()


def test_a_shape_that_is_not_the_one_shown() -> None:
    data = vl.read(TABLE, vl.Schema(quasi=["age"], sensitive=["disease"]))
    with pytest.raises(SpecError, match="produces 'bucketized' tables, but it shows generalized ones"):
        vl.publish(data, vl.LDiversity(l=2), Misnamed())
