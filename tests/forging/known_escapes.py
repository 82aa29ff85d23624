"""Named forgeries that verify does not notice yet; a line goes as soon as its forgery is noticed."""

from __future__ import annotations

HANGING: frozenset[str] = frozenset(
    {
        "a_dictionary_of_many_columns, mondrian.parquet",  # quadratic in the number of columns
        "a_column_described_many_times, mondrian.parquet",
    }
)
KNOWN_ESCAPES: frozenset[str] = frozenset(
    {
        "a_dictionary_of_many_columns, mondrian.parquet",  # quadratic in the number of columns
        "a_column_described_many_times, mondrian.parquet",
        "a_message_as_the_categories_of_a_column_without_any, mondrian.parquet",
        "a_message_behind_the_arrow_schema, mondrian.parquet",
        "page_statistics_that_lie, anatomy.parquet",
        "a_message_as_a_protected_value, mask.parquet",
        "a_message_as_a_protected_value, art.parquet",
        "a_message_as_the_primary_column_of_the_method, decompose.parquet",
        "a_message_as_a_column_of_the_method, decompose.parquet",
        "a_level_that_was_not_asked_for, decompose.parquet",
        "bytes_between_the_rows_and_the_footer, mondrian.parquet",
        "bytes_between_the_rows_and_the_footer, anatomy.parquet",
        "ranges_of_narrow_numbers, mondrian.parquet",
        "ranges_of_narrow_numbers, mondrian.csv",
        "an_indicator_that_is_called_values, art, indicator.parquet",
    }
)
_ON_DISK_ONLY: frozenset[str] = frozenset()
_IN_MEMORY_ONLY: frozenset[str] = frozenset()
KNOWN_ESCAPES_ON_DISK = (KNOWN_ESCAPES | _ON_DISK_ONLY) - _IN_MEMORY_ONLY
