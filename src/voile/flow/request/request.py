"""Read a request: from a spec (a file, flags, a web form) to a schema, a policy and a method. There is one parser."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar, cast

from voile.errors import SpecError, raise_together
from voile.io.release_folder import check_format
from voile.io.spec_files import Spec
from voile.methods.base import Method
from voile.models.base import Model
from voile.models.policy import Policy
from voile.plugins.registry import AnyPlugin, build_plugin, narrow_type
from voile.tables.schema import Schema

Result = TypeVar("Result")


@dataclass(frozen=True)
class Request:
    """What a spec asks for, as objects."""

    schema: Schema
    policy: Policy
    method: Method | None
    format: str
    read: Mapping[str, Any]
    after: tuple[str, ...] = ()
    ledger: str | None = None
    engine: Mapping[str, Any] = field(default_factory=dict)
    ends: bool = True


def read_request(spec: Spec) -> Request:
    """Turn a spec into the objects it asks for; raise all its problems together."""
    problems: list[SpecError] = []

    def attempt(work: Callable[[], Result]) -> Result | None:
        try:
            return work()
        except SpecError as error:
            problems.extend(cast(Sequence[SpecError], error.problems))
            return None

    schema = attempt(lambda: Schema(**spec.schema))  # its keys were checked when the spec was read
    models = [attempt(partial(_build, Model, "model", entry)) for entry in spec.policy]
    policy = None
    if all(model is not None for model in models):
        policy = attempt(lambda: Policy(*cast(list[Model], models)))
    method = attempt(partial(_build, Method, "name", spec.method)) if spec.method else None
    table_format = str(spec.release.get("format", "parquet"))
    attempt(lambda: check_format(table_format))
    raise_together(problems)
    assert schema is not None and policy is not None
    after, ledger = tuple(map(str, spec.release.get("after", ()))), spec.release.get("ledger")
    ends = bool(spec.release.get("ends", True))
    earlier = str(ledger) if ledger else None
    return Request(schema, policy, method, table_format, spec.read, after, earlier, spec.engine, ends)


def _build(kind: type[AnyPlugin], name_key: str, entry: Mapping[str, Any]) -> AnyPlugin:
    """Build a plug-in from its entry in a spec: its name under `name_key`, beside its knobs."""
    knobs = {key: value for key, value in entry.items() if key != name_key}
    return narrow_type(kind, build_plugin(kind.family, str(entry[name_key]), knobs))
