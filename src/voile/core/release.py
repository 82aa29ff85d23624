"""What is published: tables, a dictionary for the recipient, and a certificate.

A release is a grouping of people and a way to show each group. The shapes differ in the way of showing; each can say
from its tables alone who is in one group (`grouping`) and which sensitive values a group has (`tallies`): this is all
that verify, the attacks and the measures need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from voile import kernels
from voile.core.cells import Cells, read_ranges, read_sets, typed_texts, unexplained
from voile.core.certificate import Certificate, Claim
from voile.core.counts import Counts, tally
from voile.core.domain import Domain, encode, text
from voile.core.hierarchy import given
from voile.core.microdata import Microdata, people_with
from voile.core.query import Condition, Query, parse
from voile.core.schema import Column
from voile.errors import BrokenPromise, DataError, SchemaError
from voile.version import __version__

_shapes: dict[str, type[Release]] = {}


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """The root of the shapes. `tables` by name, `dictionary` as in dictionary.json."""

    tables: Mapping[str, pl.DataFrame]
    dictionary: Mapping[str, Any]
    certificate: Certificate

    shape: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        _shapes[cls.shape] = cls

    def __repr__(self) -> str:
        promises = ", ".join(str(claim["model"]) for claim in self.certificate.claims) or "nothing claimed"
        return f"{type(self).__name__}({self.people} rows in {self.groups} groups; {promises})"

    def claiming(self, claims: Sequence[Claim], method: Mapping[str, Any]) -> Release:
        """The same release with its certificate filled in."""
        stated = tuple(claim.as_json() for claim in claims)
        return replace(self, certificate=Certificate(self.shape, method, stated, f"voile {__version__}"))

    def withholding(self, rows: int) -> Release:
        """The same release, its dictionary telling the recipient how many rows were left out to keep the promise."""
        return replace(self, dictionary={**self.dictionary, "withheld": rows})

    def save(self, folder: str | Path, *, format: str = "parquet", force: bool = False) -> Path:
        """Write the folder whole or not at all; an earlier release is replaced only with `force`."""
        from voile.io import folder as files

        documents = {"dictionary": dict(self.dictionary), "certificate": self.certificate.as_json()}
        return files.save(Path(folder), self.tables, documents, format, force)

    def estimate(self, query: str | Mapping[str, Any] | None = None, /, **where: Any) -> float:
        """How many people satisfy all conditions, estimated from what is published.

        Conditions are keywords or a dict (a value, a list of values, or a tuple (low, high) for a range), or SQL text:
        `release.estimate("select count(*) from t where age between 30 and 40 and disease in ('flu', 'HIV')")`.
        """
        return self.answer(parse(query, where))

    def answer(self, query: Query) -> float:
        raise NotImplementedError  # pragma: no cover - every shape defines it

    # what the tables say -------------------------------------------------------------------------------------------
    @property
    def people(self) -> int:
        raise NotImplementedError  # pragma: no cover - every shape defines it

    @property
    def groups(self) -> int:
        return len(self.sizes)

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of people in each group."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    @cached_property
    def tallies(self) -> dict[str, Counts]:
        """The sensitive values of each group, by column."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    def candidates(self, external: Microdata) -> tuple[np.ndarray, np.ndarray]:
        """For rows taken together: how many external people fit, and how many rows they are."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    def faults(self) -> list[str]:
        """What is wrong with the tables themselves, whatever is claimed."""
        return []

    def described(self, role: str) -> list[Mapping[str, Any]]:
        """The dictionary's entries of one role."""
        return [entry for entry in self.dictionary["columns"] if entry["role"] == role]

    def sensitive_column(self, entry: Mapping[str, Any], table: str) -> tuple[Column, np.ndarray]:
        """A sensitive column as it is published, and its codes."""
        name = str(entry["name"])
        domain, codes = published_domain(entry, self.column_of(table, name))
        rows = entry.get("hierarchy")
        try:
            hierarchy = given(domain, rows) if rows else None
        except (KeyError, ValueError, TypeError, IndexError):
            raise unexplained(name) from None
        return Column(name, "sensitive", domain, hierarchy), codes

    def column_of(self, table: str, name: str) -> pl.Series:
        if table not in self.tables or name not in self.tables[table].columns:
            raise BrokenPromise(
                f"The published table {table!r} has no column {name!r}, which its dictionary describes.",
                code="broken.table",
                hint="The folder was changed after publishing.",
            )
        return self.tables[table][name]


@dataclass(frozen=True, eq=False, repr=False)
class Generalized(Release):
    """Each group is shown as a box: one table, equal quasi-identifier cells make a group."""

    shape: ClassVar[str] = "generalized"

    @property
    def people(self) -> int:
        return self.tables["table"].height

    @cached_property
    def cells(self) -> dict[str, Cells]:
        """What the published cells of each quasi-identifier column stand for."""
        return {name: cells for name, (cells, _) in self._read.items()}

    @cached_property
    def _read(self) -> dict[str, tuple[Cells, np.ndarray]]:
        return {
            str(entry["name"]): read_column(entry, self.column_of("table", str(entry["name"])))
            for entry in self.described("quasi")
        }

    @cached_property
    def _grouping(self) -> tuple[np.ndarray, np.ndarray]:
        columns = [codes for _, codes in self._read.values()]
        sizes = [max(len(cells), 1) for cells, _ in self._read.values()]
        return kernels.distinct.groups_of(columns, sizes)

    @property
    def group(self) -> np.ndarray:
        """The group of each published row."""
        return self._grouping[0]

    @cached_property
    def boxes(self) -> dict[str, np.ndarray]:
        """For each quasi-identifier column the cell of every group."""
        return {name: codes[self._grouping[1]] for name, (_, codes) in self._read.items()}

    @cached_property
    def sizes(self) -> np.ndarray:
        return np.bincount(self.group, minlength=len(self._grouping[1]))

    @cached_property
    def tallies(self) -> dict[str, Counts]:
        found = {}
        for entry in self.described("sensitive"):
            column, codes = self.sensitive_column(entry, "table")
            ones = np.ones(len(codes), dtype=np.int64)
            found[column.name] = tally(column, self.group, codes, ones, len(self.sizes))
        return found

    def candidates(self, external: Microdata) -> tuple[np.ndarray, np.ndarray]:
        names = list(self.cells)
        table = external.rows.histogram(names)
        boxes = [self.cells[name].onto(external.columns[name].domain).matrix[self.boxes[name]] for name in names]
        return kernels.match.people(boxes, table.codes, table.counts), self.sizes

    def answer(self, query: Query) -> float:
        """Per group the product of the shares of its cells that satisfy the conditions, times the matching rows."""
        sensitive = {str(entry["name"]) for entry in self.described("sensitive")}
        exact = {str(entry["name"]) for entry in self.described("other")} | sensitive
        query.check([*self.cells, *exact])
        weight = np.ones(self.people)
        for name, condition in query.conditions.items():
            if name in exact:
                weight *= condition.matches(self.tables["table"][name])
        per_group = np.bincount(self.group, weights=weight, minlength=len(self.sizes))
        for name, condition in query.conditions.items():
            if name in self.cells:
                per_group *= cell_shares(self.cells[name], condition)[self.boxes[name]]
        return float(per_group.sum())


@dataclass(frozen=True, eq=False, repr=False)
class Bucketized(Release):
    """Each group is shown as two linked tables: the exact quasi-identifiers, and the counts of the sensitive values."""

    shape: ClassVar[str] = "bucketized"

    @property
    def people(self) -> int:
        return self.tables["quasi"].height

    @cached_property
    def _labels(self) -> tuple[np.ndarray, np.ndarray]:
        """Group numbers in rising order, and the group of each row of the quasi table."""
        quasi = self.column_of("quasi", "group").to_numpy()
        labels = np.union1d(quasi, self.column_of("sensitive", "group").to_numpy())
        return labels, np.searchsorted(labels, quasi)

    @property
    def group(self) -> np.ndarray:
        """The group of each row of the quasi table."""
        return self._labels[1]

    @cached_property
    def sizes(self) -> np.ndarray:
        return np.bincount(self.group, minlength=len(self._labels[0]))

    @cached_property
    def tallies(self) -> dict[str, Counts]:
        entry = self.described("sensitive")[0]
        column, codes = self.sensitive_column(entry, "sensitive")
        group = np.searchsorted(self._labels[0], self.column_of("sensitive", "group").to_numpy())
        counts = self.column_of("sensitive", "count").to_numpy()
        return {column.name: tally(column, group, codes, counts, len(self._labels[0]))}

    def faults(self) -> list[str]:
        found = []
        counts = next(iter(self.tallies.values()))
        if not np.array_equal(counts.sizes, self.sizes):
            wrong = int((counts.sizes != self.sizes).sum())
            found.append(f"{wrong} groups have different numbers of people in the two tables.")
        if bool((self.column_of("sensitive", "count") < 1).any()):
            found.append("The sensitive table holds counts below 1.")
        return found

    def candidates(self, external: Microdata) -> tuple[np.ndarray, np.ndarray]:
        """The quasi-identifier is exact, so who fits is clear; their sensitive value is any of the group's."""
        names = [str(entry["name"]) for entry in self.described("quasi")]
        texts = [np.array([text(value) for value in self.tables["quasi"][name]], dtype=object) for name in names]
        found = people_with(external, names, texts)
        return np.maximum(found, 1) * self.sizes[self.group], np.ones(self.people, dtype=np.int64)

    def answer(self, query: Query) -> float:
        """Per group the share of matching people times the number of matching sensitive values."""
        name = str(self.described("sensitive")[0]["name"])
        quasi = self.tables["quasi"]
        query.check([*(column for column in quasi.columns if column != "group"), name])
        weight = np.ones(self.people)
        for column, condition in query.conditions.items():
            if column != name:
                weight *= condition.matches(quasi[column])
        matching = np.bincount(self.group, weights=weight, minlength=len(self.sizes))
        if name not in query.conditions:
            return float(matching.sum())
        table = self.tables["sensitive"]
        chosen = query.conditions[name].matches(table[name]) * table["count"].to_numpy()
        group = np.searchsorted(self._labels[0], table["group"].to_numpy())
        values = np.bincount(group, weights=chosen, minlength=len(self.sizes))
        return float((matching / np.maximum(self.sizes, 1) * values).sum())


def of_shape(name: str) -> type[Release]:
    """The class of a shape."""
    if name not in _shapes:
        raise DataError(
            f"The certificate names the shape {name!r}, which this version does not know.",
            code="data.shape",
            hint="Read it with a newer version of voile.",
        )
    return _shapes[name]


def dtype_of(name: str) -> pl.DataType:
    """A polars type from its name in the dictionary."""
    if name == "Date":
        return pl.Date()
    if name.startswith("Datetime"):
        return pl.Datetime("us")
    whole = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)
    kinds: tuple[type[pl.DataType], ...] = (pl.Boolean, pl.String, pl.Time, pl.Float32, pl.Float64, *whole)
    known = {str(kind): kind() for kind in kinds}
    return known.get(name, pl.String())


def published_domain(entry: Mapping[str, Any], values: pl.Series) -> tuple[Domain, np.ndarray]:
    """The domain of an exactly published column, listed in the dictionary or read off the column."""
    listed = entry["domain"].get("values")
    dtype = dtype_of(str(entry["type"]))
    if values.dtype == pl.String and dtype != pl.String:
        values = typed_texts(values, dtype)
    if listed is not None and dtype in (pl.Date, pl.Datetime, pl.Time):
        listed = typed_texts(pl.Series(listed, dtype=pl.String), dtype).to_list()
    try:
        return encode(str(entry["name"]), values, str(entry["kind"]), listed)
    except SchemaError as error:
        raise DataError(
            error.message, code="data.dictionary", hint="The folder was changed after publishing."
        ) from None


def read_column(entry: Mapping[str, Any], values: pl.Series) -> tuple[Cells, np.ndarray]:
    """A published quasi-identifier column: its cells, and the cell of each row."""
    name, kind = str(entry["name"]), str(entry["kind"])
    if entry["shown"] == "exact":
        domain, codes = published_domain(entry, values)
        every = np.arange(domain.size)
        labels = pl.Series(domain.texts, dtype=pl.String)
        if domain.ranged:
            missing = (every == domain.size - 1) & domain.missing
            return Cells(domain, labels, np.where(missing, 0, every), np.where(missing, -1, every), missing), codes
        return Cells(domain, labels, starts=np.arange(domain.size + 1), members=every), codes
    written, codes = label_codes(values)
    names = entry.get("names", {})
    if kind in ("numeric", "date"):
        return read_ranges(written, dtype_of(str(entry["type"])), kind, entry["domain"], names, name), codes
    listed = entry["domain"]["values"]
    dtype = dtype_of(str(entry["type"]))
    if dtype in (pl.Date, pl.Datetime, pl.Time):
        listed = typed_texts(pl.Series(listed, dtype=pl.String), dtype).to_list()
    domain = Domain(pl.Series(listed), kind, bool(entry["domain"]["missing"]), True)
    return read_sets(written, domain, names, name), codes


def label_codes(values: pl.Series) -> tuple[list[str], np.ndarray]:
    """The labels of a column and the number of each row's label."""
    if isinstance(values.dtype, pl.Enum) and not values.null_count():
        return values.dtype.categories.to_list(), values.to_physical().to_numpy()
    labels = values.cast(pl.String).fill_null("").unique().sort()
    codes = values.cast(pl.String).fill_null("").cast(pl.Enum(labels)).to_physical().to_numpy()
    return labels.to_list(), codes


def cell_shares(cells: Cells, condition: Condition) -> np.ndarray:
    """The share of each cell that satisfies a condition, its values taken as equally likely."""
    if not cells.domain.ranged:
        return cells.shares(condition.matches(cells.domain.values, cells.domain.missing))
    assert cells.low is not None and cells.high is not None and cells.missing is not None
    points = cells.domain.points
    if not len(points):
        return np.zeros(len(cells))
    step = 0 if cells.domain.values.dtype.is_float() else 1
    low, high = points[np.clip(cells.low, 0, None)], points[np.clip(cells.high, 0, None)]
    inside, width = condition.overlap(low, high, cells.domain.values.dtype, step)
    none = cells.high < cells.low
    share = np.where(width > 0, inside / np.where(width > 0, width, 1), 0.0)
    # a cell that may also be a missing value: taken as one more value
    share = np.where(cells.missing & ~none, share * width / (width + 1), share)
    return np.where(none, 0.0, share)
