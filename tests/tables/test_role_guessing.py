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


@pytest.mark.parametrize(
    ("name", "distinct", "role"),
    [
        ("patient_id", 300, "identifier"),
        ("patientId", 300, "identifier"),
        ("PatientNr", 300, "identifier"),
        ("id_client", 300, "identifier"),
        ("customer", 300, "identifier"),
        ("hhid", 300, "identifier"),
        ("household-number", 5, "identifier"),
        ("MRN", 300, "identifier"),
        ("id", 300, "identifier"),
        ("household", 5, "quasi"),  # a kind of household
        ("member_id", 2, "quasi"),  # yes or no
        ("ward_id", 30, "quasi"),
        ("patient_age", 90, "quasi"),
        ("household_size", 12, "quasi"),
        ("valid", 300, "quasi"),
    ],
)
def test_a_name_that_speaks_of_people_makes_an_identifier_even_if_values_repeat(
    name: str, distinct: int, role: str
) -> None:
    profile = suggest_role(ColumnProfile(name, "numeric", "Int64", distinct, 0, 0), 1_399, 0.0)
    assert profile.role == role
    assert profile.tells_people_apart == (role == "identifier")
    if profile.tells_people_apart:
        assert profile.why == f"{distinct} different values in 1,399 rows: it may tell people apart."


def test_values_within_which_a_trait_is_constant_may_be_people() -> None:
    column = ColumnProfile("number", "numeric", "Int64", 300, 0, 0)
    assert suggest_role(column, 1_399, 0.0, lambda: True).tells_people_apart
    assert suggest_role(column, 1_399, 0.0, lambda: False).role == "quasi"
    assert suggest_role(column, 310, 0.0, lambda: True).role == "identifier"  # nearly everybody has one
    few_repeat = ColumnProfile("number", "numeric", "Int64", 290, 0, 0)
    assert suggest_role(few_repeat, 309, 0.0, lambda: True).role == "quasi"  # may be by chance


def test_an_empty_column_has_no_role() -> None:
    assert suggest_role(ColumnProfile("x", "categorical", "String", 0, 400, 0), 400, 0.0).role == ""
