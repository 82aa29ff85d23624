"""The role that is suggested for a column."""

from __future__ import annotations

import pytest

from voile.tables.role_guessing import ColumnProfile, suggest_role


@pytest.mark.parametrize(
    ("name", "type", "distinct", "length", "role"),
    [
        ("name", "String", 380, 12.0, "identifier"),
        ("patientId", "Int64", 400, 0.0, "identifier"),
        ("e-mail", "String", 390, 18.0, "identifier"),
        ("code", "String", 399, 9.0, "identifier"),  # nearly everybody has a value of their own
        ("remarks", "String", 300, 90.0, "identifier"),  # free text
        ("Diagnosis", "String", 20, 9.0, "sensitive"),
        ("salary-class", "String", 2, 5.0, "sensitive"),
        ("annual_income", "Int64", 200, 0.0, "sensitive"),
        ("zip", "String", 40, 5.0, "quasi"),
        ("weight", "Float64", 399, 0.0, "quasi"),  # measurements differ by nature
        ("birth", "Date", 396, 0.0, "quasi"),
        ("nameday", "String", 100, 5.0, "quasi"),  # the word must stand alone
        ("country", "String", 1, 5.0, "other"),
    ],
)
def test_suggested_role_follows_name_type_and_values(
    name: str, type: str, distinct: int, length: float, role: str
) -> None:
    profile = suggest_role(ColumnProfile(name, "categorical", type, distinct, 0, 0), 400, length)
    assert profile.role == role
    assert profile.why.endswith(".")


def test_an_empty_column_has_no_role() -> None:
    assert suggest_role(ColumnProfile("x", "categorical", "String", 0, 400, 0), 400, 0.0).role == ""
