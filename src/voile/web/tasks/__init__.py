"""The tasks of the worker: the verbs of voile, with plain values in and out. They make no decisions of their own."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any, cast

from voile.flow.explore.foresee import foresee
from voile.flow.explore.inspect import inspect as inspect_table
from voile.flow.read.read import read
from voile.models.base import Model
from voile.plugins.registry import build_plugin, load_plugin
from voile.tables.schema import Schema
from voile.web.tasks.history_tasks import open_earlier
from voile.web.tasks.project_tasks import keep_earlier, reopen
from voile.web.tasks.recipient_tasks import complete, count, cross, receive
from voile.web.tasks.release_tasks import compare, look, preview, publish
from voile.web.tasks.session_data import Payload, Progress
from voile.web.tasks.table_tasks import inspect, mark, peek, people, promise, tree

TASKS: dict[str, Callable[[Payload, Progress], Any]] = {
    task.__name__: task
    for task in (
        inspect,
        peek,
        reopen,
        open_earlier,
        keep_earlier,
        mark,
        tree,
        people,
        promise,
        compare,
        look,
        preview,
        publish,
        receive,
        count,
        cross,
        complete,
    )
}


def warm() -> None:
    """Load the libraries that every task needs, and the compiled kernels, before a visitor has to wait for them."""
    from voile import datasets

    data = read(datasets.hospital(), Schema(quasi=["sex", "zip"], sensitive=["disease"]))
    inspect_table(datasets.hospital())
    foresee(data, cast(Model, build_plugin("models", "k-anonymity", {"k": 5})))
    for library in ("altair", "vl_convert"):
        importlib.import_module(library)


def load_plugins(sources: Sequence[str]) -> None:
    """Load the plug-ins that the workbench was started with."""
    for source in sources:
        load_plugin(source)
