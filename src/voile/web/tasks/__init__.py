"""What the worker can do: the verbs of flow, with plain values in and out. Nothing else decides anything here."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any, cast

from voile.flow.explore.foresee import foresee
from voile.flow.explore.inspect import inspect as inspecting
from voile.flow.read.read import read
from voile.models.base import Model
from voile.plugins.registry import build_plugin, load_plugin
from voile.tables.schema import Schema
from voile.web.tasks.recipient_tasks import count, receive
from voile.web.tasks.release_tasks import compare, look, publish
from voile.web.tasks.session_data import Payload, Tell
from voile.web.tasks.table_tasks import inspect, mark, peek, promise, tree

TASKS: dict[str, Callable[[Payload, Tell], Any]] = {
    one.__name__: one for one in (inspect, peek, mark, tree, promise, compare, look, publish, receive, count)
}


def warm() -> None:
    """Load what every task needs, and the compiled kernels, before somebody waits for them."""
    from voile import datasets

    data = read(datasets.hospital(), Schema(quasi=["sex", "zip"], sensitive=["disease"]))
    inspecting(datasets.hospital())
    foresee(data, cast(Model, build_plugin("models", "k-anonymity", {"k": 5})))
    for drawing in ("altair", "vl_convert"):
        importlib.import_module(drawing)


def load_plugins(sources: Sequence[str]) -> None:
    for source in sources:
        load_plugin(source)
