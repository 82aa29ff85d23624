"""What a table, a policy or the knobs ask of Decompose that it cannot do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from voile.errors import PolicyError, SpecError, parameter
from voile.models.multi_diversity.multi_diversity import MultiDiversity
from voile.models.policy import Policy
from voile.tables.schema import Columns, suggest_name


class Knobs(Protocol):
    """The knobs that decide."""

    @property
    def primary(self) -> str | None: ...
    @property
    def l(self) -> Mapping[str, int]: ...  # noqa: E743 - the letter of the literature
    @property
    def noise(self) -> str: ...
    @property
    def publish_joint(self) -> bool: ...
    @property
    def on_fail(self) -> str | None: ...
    @property
    def merges(self) -> bool: ...


def find_faults(method: Knobs, columns: Columns, policy: Policy) -> list[SpecError]:
    """Return an error for everything that cannot be done."""
    names = [column.name for column in columns.sensitive]
    problems: list[SpecError] = []
    for name in [*([method.primary] if method.primary is not None else []), *method.l]:
        if name not in names:
            problems.append(
                PolicyError(
                    f"decompose names {name!r}, which is not a sensitive column.",
                    code="policy.column",
                    hint=suggest_name(name, names),
                )
            )
    if not names:
        problems.append(PolicyError("decompose needs a sensitive column.", code="policy.no-sensitive"))
    reserved = [column.name for column in columns if column.name in ("group", "count", "group_size")]
    if reserved:
        problems.append(
            PolicyError(
                f"Columns of releases are named {', '.join(map(repr, reserved))}; the table has them already.",
                code="policy.reserved",
                hint="Rename the column.",
            )
        )
    for name in names:
        if set(name) & set('/\\:*?"<>|\0\n'):
            problems.append(
                PolicyError(
                    f"decompose writes one file per sensitive column, and {name!r} cannot be a file name.",
                    code="policy.reserved",
                    hint="Rename the column.",
                )
            )
    if not method.merges and any(isinstance(model, MultiDiversity) and model.knows_other_values for model in policy):
        problems.append(
            PolicyError(
                "decompose keeps a promise against somebody who knows other values only by merging groups.",
                code="policy.method",
                hint=f"Use {parameter('noise', 'symmetric')} and {parameter('on_fail', 'merge')}.",
            )
        )
    if method.on_fail == "lower" and method.noise == "symmetric" and not method.publish_joint:
        problems.append(
            PolicyError(
                "decompose: without a joint table every group keeps its bound, so there is no promise to lower.",
                code="policy.parameter",
                hint="Leave on_fail out, or publish the joint table.",
            )
        )
    return problems
