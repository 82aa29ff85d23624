"""Numbers that a parameter gives to columns by name."""

from __future__ import annotations

from collections.abc import Mapping

from voile.errors import PolicyError, parameter


def numbers_by_column(owner: str, parameter_name: str, numbers: object) -> dict[str, int]:
    """Check that a parameter gives each column it names a whole number of at least 1, or raise PolicyError."""
    is_valid = isinstance(numbers, Mapping) and all(
        isinstance(name, str) and type(number) is int and number >= 1 for name, number in numbers.items()
    )
    if not is_valid:
        raise PolicyError(
            f"{owner}: {parameter_name} must give each column a whole number of at least 1.",
            code="policy.parameter",
            hint=f"E.g. {parameter(parameter_name, {'diagnosis': 4, 'treatment': 2})}.",
        )
    assert isinstance(numbers, Mapping)
    return dict(numbers)
