"""Why a sensitive column cannot be perturbed."""

from __future__ import annotations

from voile.errors import PolicyError, SpecError, option
from voile.tables.schema import Column


def find_problems(column: Column, name: str) -> list[SpecError]:
    """Return why a sensitive column cannot be published: its values must form a list, and none may be missing."""
    problems: list[SpecError] = []
    if column.domain.missing:
        problems.append(
            PolicyError(
                f"{name}: {column.name!r} has missing cells, and a missing cell cannot be drawn as a value.",
                code="policy.missing",
                hint=f"Leave those rows out ({option('missing', 'drop')}), or write a value of its own for them.",
            )
        )
    if column.domain.values.dtype.is_float() and not column.domain.declared:
        problems.append(
            PolicyError(
                f"{name}: {column.name!r} holds real numbers; the list of those that occur must not be published.",
                code="policy.domain",
                hint="Round them to classes and declare the domain.",
            )
        )
    return problems
