"""Domains: codes follow the values, never their order of appearance; a type that cannot be read back is refused."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voile.errors import DataError, SchemaError
from voile.tables.domain import Domain, encode_column, infer_kind
from voile.tables.value_text import format_set, format_value

DAY = datetime.date(2025, 3, 1)
NOON = datetime.datetime(2025, 3, 1, 12, 0, 0, 5)

TYPED = {
    "int8": pl.Series([-128, 127, 0, -100, None], dtype=pl.Int8),
    "int16": pl.Series([-(2**15), 2**15 - 1, 3, None, 3], dtype=pl.Int16),
    "int32": pl.Series([-(2**31), 2**31 - 1, 3, None, 3], dtype=pl.Int32),
    "int64": pl.Series([-(2**63), 2**63 - 1, 3, None, 3], dtype=pl.Int64),
    "uint8": pl.Series([0, 255, 3, None, 3], dtype=pl.UInt8),
    "uint64": pl.Series([0, 2**64 - 1, 3, None, 3], dtype=pl.UInt64),
    "uint64 narrow": pl.Series([2**64 - 1, 2**64 - 2, None], dtype=pl.UInt64),
    "float32": pl.Series([0.1, -2.5, None, 3.0], dtype=pl.Float32),
    "float64": pl.Series([0.1, -2.5, None, 1e300], dtype=pl.Float64),
    "boolean": pl.Series([True, None, False]),
    "date": pl.Series([DAY, None, DAY - datetime.timedelta(400)]),
    "datetime": pl.Series([NOON, None, NOON + datetime.timedelta(1)]),
    "datetime ms": pl.Series([NOON, None], dtype=pl.Datetime("ms")),
    "datetime zone": pl.Series([NOON, None]).dt.replace_time_zone("Europe/Paris"),
    "time": pl.Series([datetime.time(8, 30), None, datetime.time(0, 0, 0, 1)]),
    "string": pl.Series(["b", "a", None, "", "b"]),
    "enum": pl.Series(["lo", "hi", None, "lo"], dtype=pl.Enum(["lo", "mid", "hi"])),
}


@pytest.mark.parametrize("name", TYPED)
def test_decoding_restores_the_values(name: str) -> None:
    values = TYPED[name]
    domain, codes = encode_column("c", values, infer_kind(values), None)
    # a type lists its categories in every file, so it has only those that occur
    assert domain.decode(codes).dtype == (pl.Enum(["lo", "hi"]) if name == "enum" else values.dtype)
    assert domain.decode(codes).to_list() == values.to_list()
    assert domain.missing
    assert codes.dtype == np.uint8
    assert len(set(domain.labels)) == domain.size
    assert domain.labels[-1] == "(missing)"


@pytest.mark.parametrize("name", TYPED)
def test_the_order_of_appearance_does_not_matter(name: str) -> None:
    values = TYPED[name]
    domain, _ = encode_column("c", values, infer_kind(values), None)
    reverse, _ = encode_column("c", values.reverse(), infer_kind(values), None)
    assert domain.values.to_list() == reverse.values.to_list()
    assert domain.as_json() == reverse.as_json()


def test_the_kind_is_inferred_from_the_type() -> None:
    kinds = {name: infer_kind(values) for name, values in TYPED.items()}
    assert kinds["int8"] == kinds["float64"] == kinds["uint64"] == "numeric"
    assert kinds["date"] == kinds["datetime"] == "date"
    assert kinds["string"] == kinds["boolean"] == kinds["time"] == kinds["enum"] == "categorical"


def test_an_enum_keeps_its_order_and_drops_unused_categories() -> None:
    domain, codes = encode_column("c", TYPED["enum"], "ordered", None)
    assert domain.labels == ["lo", "hi", "(missing)"]
    assert codes.tolist() == [0, 1, 2, 0]


def test_a_categorical_becomes_an_enum_of_the_categories_that_occur() -> None:
    other = pl.Series(["zebra", "other column"], dtype=pl.Categorical)
    values = pl.Series(["b", "a", None, "b"], dtype=pl.Categorical)
    assert len(other) == 2
    domain, codes = encode_column("c", values, "categorical", None)
    assert domain.decode(codes).dtype == pl.Enum(["a", "b"])
    assert domain.decode(codes).to_list() == ["b", "a", None, "b"]


def test_decimals_become_floats_and_numbers_beyond_64_bits_are_refused() -> None:
    domain, _ = encode_column("c", pl.Series([decimal.Decimal("1.50"), decimal.Decimal("2.25")]), "numeric", None)
    assert domain.values.to_list() == [1.5, 2.25]
    large = [decimal.Decimal("12345678901234567.10"), decimal.Decimal("12345678901234567.11"), decimal.Decimal("5.10")]
    with pytest.raises(DataError, match="2 decimal numbers of more digits") as error:
        encode_column("c", pl.Series(large, dtype=pl.Decimal(30, 2)), "numeric", None)
    assert "1234" not in str(error.value)
    fine = pl.Series([decimal.Decimal("0.1"), decimal.Decimal(2) ** 60], dtype=pl.Decimal(38, 18))
    assert encode_column("c", fine, "numeric", None)[0].values.to_list() == [0.1, 2.0**60]
    wide = pl.Series([1, 5], dtype=pl.Int128)
    assert encode_column("c", wide, "numeric", None)[0].values.dtype == pl.Int64
    with pytest.raises(DataError, match="1 number beyond 64 bits") as error:
        encode_column("c", pl.Series([1, 10**30], dtype=pl.Int128), "numeric", None)
    assert "1000" not in str(error.value)


def test_nanoseconds_become_microseconds() -> None:
    values = pl.Series([NOON, NOON]).cast(pl.Datetime("ns"))
    domain, codes = encode_column("c", values, "date", None)
    assert domain.decode(codes).to_list() == [NOON, NOON]
    assert domain.decode(codes).dtype == pl.Datetime("us")


def test_a_column_without_values_has_only_the_missing_code() -> None:
    domain, codes = encode_column("c", pl.Series([None, None]), "categorical", None)
    assert (domain.size, codes.tolist(), domain.labels) == (1, [0, 0], ["(missing)"])
    assert domain.decode(codes).to_list() == [None, None]


def test_nan_is_missing_infinity_is_refused_and_zero_has_no_sign() -> None:
    domain, codes = encode_column("c", pl.Series([1.0, float("nan"), None]), "numeric", None)
    assert domain.decode(codes).to_list() == [1.0, None, None]
    with pytest.raises(DataError, match="Column 'c' has 2 infinite numbers"):
        encode_column("c", pl.Series([1.0, float("inf"), float("-inf")]), "numeric", None)
    for zeros in ([0.0, -0.0], [-0.0, 0.0]):
        assert encode_column("c", pl.Series(zeros), "numeric", None)[0].labels == ["0.0"]


@pytest.mark.parametrize(
    "values",
    [
        pl.Series([[1], [2]]),
        pl.Series([{"a": 1}]),
        pl.Series([b"SECRET"]),
        pl.Series([object()], dtype=pl.Object),
        pl.Series([datetime.timedelta(5)]),
    ],
    ids=["list", "struct", "binary", "object", "duration"],
)
def test_types_that_cannot_be_compared_are_refused(values: pl.Series) -> None:
    with pytest.raises(DataError, match="Column 'c' has the type") as error:
        encode_column("c", values, "categorical", None)
    assert "SECRET" not in str(error.value)


@pytest.mark.parametrize(("kind", "values"), [("numeric", ["SECRET"]), ("date", ["SECRET"]), ("date", [20250101])])
def test_a_kind_that_does_not_fit_the_type_is_refused(kind: str, values: list[Any]) -> None:
    with pytest.raises(SchemaError, match=f"Column 'c' is marked {kind} but holds") as error:
        encode_column("c", pl.Series(values), kind, None)
    assert "SECRET" not in str(error.value)
    enum = pl.Series(["SECRET"], dtype=pl.Enum(["SECRET"]))
    with pytest.raises(SchemaError, match="but holds Enum") as error:
        encode_column("c", enum, kind, None)
    assert "SECRET" not in str(error.value)


# declared domains ---------------------------------------------------------------------------------------------------
def test_a_declared_domain_fixes_the_order() -> None:
    domain, codes = encode_column("c", pl.Series(["M", "S", "S"]), "ordered", ["S", "M", "L"])
    assert domain.labels == ["S", "M", "L"]
    assert codes.tolist() == [1, 0, 0]
    assert domain.as_json() == {"values": ["S", "M", "L"], "missing": False, "declared": True}
    enum = pl.Series(["M", "S"], dtype=pl.Enum(["L", "M", "S"]))
    assert encode_column("c", enum, "ordered", ["S", "M"])[1].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("values", "declared"),
    [
        (pl.Series([3, 1], dtype=pl.Int8), [9, 3, 1]),
        (pl.Series([3, 1], dtype=pl.UInt64), [9, 3, 1]),
        (pl.Series([3.5, 1.0]), [9, 3.5, 1]),
        (pl.Series([DAY]), ["2025-03-01", "2024-01-01"]),
        (pl.Series([DAY]), [datetime.date(2026, 1, 1), DAY]),
        (pl.Series([True, False]), [True, False]),
    ],
)
@pytest.mark.parametrize("kind", ["categorical", "natural"])
def test_declared_domains_work_for_every_type(values: pl.Series, declared: list[Any], kind: str) -> None:
    kind = infer_kind(values) if kind == "natural" else kind
    domain, codes = encode_column("c", values, kind, declared)
    assert domain.decode(codes).to_list() == values.to_list()
    assert domain.values.dtype == values.dtype
    listed = domain.values.to_list()
    assert listed == sorted(listed) if domain.uses_intervals else len(listed) == len(declared)


@pytest.mark.parametrize("declared", [[1, 1, 2], [1, "SECRET"], [1, None], [1, 2.5], [[1]], [1, 10**30]])
def test_declared_domains_with_duplicates_or_other_types_are_refused(declared: list[Any]) -> None:
    with pytest.raises(SchemaError, match="declared domain of 'c' has duplicates or values of another type") as error:
        encode_column("c", pl.Series([1, 2], dtype=pl.Int64), "numeric", declared)
    assert "SECRET" not in str(error.value)


def test_cells_outside_a_declared_domain_are_counted_not_shown() -> None:
    for values in (pl.Series(["SECRET", "a", "SECRET"]), pl.Series(["SECRET", "a", "SECRET"], dtype=pl.Categorical)):
        with pytest.raises(DataError, match="'c' has 2 cells outside") as error:
            encode_column("c", values, "categorical", ["a"])
        assert "SECRET" not in str(error.value)


def test_the_repr_shows_no_value() -> None:
    assert repr(encode_column("c", pl.Series(["SECRET"]), "categorical", None)[0]) == "Domain(1 categorical values)"


def test_values_and_sets_are_written_as_text() -> None:
    assert [format_value(x) for x in (True, 1, 1.5, DAY, NOON, "x")] == [
        "true",
        "1",
        "1.5",
        "2025-03-01",
        "2025-03-01 12:00:00.000005",
        "x",
    ]
    assert format_set(["a|b", "{c}", "d\\"]) == r"{a\|b|\{c\}|d\\}"


@given(st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), min_size=1, max_size=30))
@settings(max_examples=80, deadline=None, derandomize=True, database=None)
def test_decoding_restores_any_integers(values: list[int | None]) -> None:
    series = pl.Series(values, dtype=pl.Int64)
    domain, codes = encode_column("c", series, "numeric", None)
    assert domain.decode(codes).to_list() == values


@given(st.lists(st.one_of(st.none(), st.text(max_size=4)), min_size=1, max_size=30), st.booleans())
@settings(max_examples=80, deadline=None, derandomize=True, database=None)
def test_decoding_restores_any_texts(values: list[str | None], declare: bool) -> None:
    series = pl.Series(values, dtype=pl.String)
    declared = sorted({value for value in values if value is not None}, reverse=True) if declare else None
    domain, codes = encode_column("c", series, "categorical", declared)
    assert domain.decode(codes).to_list() == values
    assert not declare or domain.values.to_list() == declared


def test_many_values_take_wider_codes() -> None:
    for size, dtype in ((256, np.uint8), (257, np.uint16), (65_536, np.uint16), (65_537, np.uint32)):
        domain, codes = encode_column("c", pl.Series(np.arange(size) * 3), "numeric", None)
        assert codes.dtype == dtype
        assert domain.decode(codes)[-1] == 3 * (size - 1)
    wide = pl.Series(np.arange(1000) * 10**12)
    assert encode_column("c", wide, "numeric", None)[1].tolist() == list(range(1000))


def test_code_of_an_absent_value_is_minus_one() -> None:
    domain = Domain(pl.Series([3, 5]), "numeric")
    assert (domain.code_of(5), domain.code_of(4)) == (1, -1)
