"""Profiles of the columns of a table: what they hold, the role they may have, and which of them may be people.

A person may have several rows. A column tells people apart if its name says so (patient_id), or if its many values
repeat while what never changes about a person, such as birth and sex, never changes within a value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from voile.errors import VoileError, option, render
from voile.kernels.key_groups import sum_keys
from voile.tables.code_lists.known_lists import ListFit, measure_column_fit
from voile.tables.domain import Domain, encode_column, infer_kind
from voile.tables.roles.code_guessing import looks_like_codes
from voile.tables.roles.column_features import measure_features
from voile.tables.roles.column_words import is_trait
from voile.tables.roles.neighbour_roles import suggest_roles

CONTRADICTIONS = 0.01  # share of a column's values within which a trait may change: sex is sometimes mistyped

CodedColumns = Mapping[str, tuple[Domain, np.ndarray]]


@dataclass(frozen=True)
class ColumnProfile:
    """A summary of a column: how many values it has, how many cells are missing, how many people have a value that
    nobody else has, the suggested role (empty: leave the column out; `unsure`: a person must decide) with the reason,
    what it seems to mean and how certain that is, and whether its values may be people, each with one row or several.
    `title` is what a file of Stata or SPSS says about the column, and `code_list` the public list that its values are
    of, if there is one.
    """

    name: str
    kind: str
    type: str
    distinct: int
    missing: int
    alone: int
    role: str = ""
    why: str = ""
    tells_people_apart: bool = False
    meaning: str = ""
    confidence: str = ""
    title: str = ""
    code_list: ListFit | None = None

    def as_json(self) -> dict[str, Any]:
        fields = asdict(self)
        return fields if self.code_list is not None else {name: fields[name] for name in fields if name != "code_list"}

    @property
    def holds_codes(self) -> bool:
        """Whether its whole numbers may be codes, of which a range means nothing."""
        return self.kind == "numeric" and looks_like_codes(self.name, self.type)


@dataclass(frozen=True)
class RepeatedValues:
    """An identifier whose values repeat: `rows` with a value, how many `different` values they have, the `most` rows of
    one value, and whether the values may be people (`is_person`), rather than names that different people share."""

    column: str
    rows: int
    different: int
    most: int
    is_person: bool

    def __str__(self) -> str:
        return f"{self.different:,} different {self.column} in {self.rows:,} rows"

    def give_advice(self) -> str:
        """Say what to do about it where a schema says nothing."""
        return render(
            f"{self}, up to {self.most:,} rows each. If {self.column!r} tells people apart, a promise about rows is "
            f"none about people: say so ({option('person', self.column)}). If different people share its values, as "
            f"with a name, say that every row is a person of its own ({option('rows_are', 'people')})."
        )


def profile_table(frame: pl.DataFrame, titles: Mapping[str, str]) -> tuple[tuple[ColumnProfile, ...], CodedColumns]:
    """Profile every column of a table; return the profiles, and the columns that can be coded. `titles` are what a file
    says about its columns, beside their names."""
    coded: dict[str, tuple[Domain, np.ndarray]] = {}
    unusable: dict[str, ColumnProfile] = {}
    for name in frame.columns:
        values = frame[name]
        try:
            coded[name] = encode_column(name, values, infer_kind(values), None)
        except VoileError as error:  # values that cannot be compared cannot be published
            unusable[name] = ColumnProfile(name, "none", str(values.dtype.base_type()), 0, 0, 0, "", error.message)
    counted = {name: (domain, np.bincount(codes, minlength=domain.size)) for name, (domain, codes) in coded.items()}
    profiles = dict(zip(coded, profile_columns(counted, coded, titles), strict=True))
    return tuple(unusable.get(name) or profiles[name] for name in frame.columns), coded


def list_identifiers(frame: pl.DataFrame, titles: Mapping[str, str]) -> list[str]:
    """Return the columns that may tell who somebody is, by their names and values."""
    return [profile.name for profile in profile_table(frame, titles)[0] if profile.role == "identifier"]


def profile_columns(
    counted: CodedColumns, coded: CodedColumns | None = None, titles: Mapping[str, str] | None = None
) -> tuple[ColumnProfile, ...]:
    """Profile columns from the number of rows that have each code. `coded` are all columns of the table, if whether a
    column numbers people may be read from the others."""
    features = [
        measure_features(
            name, domain, counts, partial(_has_constant_trait, name, coded or {}), (titles or {}).get(name, "")
        )
        for name, (domain, counts) in counted.items()
    ]
    return tuple(
        ColumnProfile(
            column.name,
            column.kind,
            column.type,
            column.distinct,
            column.missing,
            column.alone,
            title=column.title,
            code_list=measure_column_fit(column.name, *counted[column.name]),
            **asdict(suggestion),
        )
        for column, suggestion in zip(features, suggest_roles(features), strict=True)
    )


def find_repeats(profiles: Sequence[ColumnProfile], coded: CodedColumns) -> tuple[RepeatedValues, ...]:
    """Find the columns that look like identifiers, and whose values repeat."""
    repeats = []
    for profile in profiles:
        if profile.role != "identifier" or profile.name not in coded:
            continue
        domain, codes = coded[profile.name]
        counts = np.bincount(codes, minlength=domain.size)
        counts = counts[:-1] if domain.missing else counts
        rows = int(counts.sum())
        if profile.distinct < rows:
            found = RepeatedValues(profile.name, rows, profile.distinct, int(counts.max()), profile.tells_people_apart)
            repeats.append(found)
    return tuple(repeats)


def _has_constant_trait(name: str, coded: CodedColumns) -> bool:
    """Whether the table has something that never changes about a person, and all of it is the same in (nearly) all rows
    of each value. One trait is not enough: a postcode may happen to have patients of one sex."""
    if name not in coded:
        return False
    traits = [trait for trait in coded if trait != name and is_trait(trait) and coded[trait][0].size > 1]
    codes = coded[name][1].astype(np.int64)
    pairs = [len(sum_keys(codes * coded[trait][0].size + coded[trait][1])) for trait in traits]
    return bool(pairs) and max(pairs) <= (1 + CONTRADICTIONS) * len(np.unique(codes))
