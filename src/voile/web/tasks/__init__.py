"""What the worker can do: the verbs of flow, with plain values in and out. Nothing else decides anything here."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any, cast

from voile.core.plugin import build, load_plugin
from voile.core.policy import Model
from voile.core.schema import Schema
from voile.flow.foresee import foresee
from voile.flow.inspect import inspect as inspecting
from voile.flow.read import read
from voile.web.tasks.memory import Payload, Tell
from voile.web.tasks.receiving import count, receive
from voile.web.tasks.table import inspect, mark, peek, promise, tree
from voile.web.tasks.trying import compare, look, publish

TASKS: dict[str, Callable[[Payload, Tell], Any]] = {
    one.__name__: one for one in (inspect, peek, mark, tree, promise, compare, look, publish, receive, count)
}


def warm() -> None:
    """Load what every task needs, and the compiled kernels, before somebody waits for them."""
    from voile import datasets

    data = read(datasets.hospital(), Schema(quasi=["sex", "zip"], sensitive=["disease"]))
    inspecting(datasets.hospital())
    foresee(data, cast(Model, build("models", "k-anonymity", {"k": 5})))
    for drawing in ("altair", "vl_convert"):
        importlib.import_module(drawing)


def load_plugins(sources: Sequence[str]) -> None:
    for source in sources:
        load_plugin(source)
