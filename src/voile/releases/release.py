"""What is published: tables, a dictionary for the recipient, and a certificate.

A release is a grouping of people and a way to show each group. The shapes differ in the way of showing; each can say
from its tables alone who is in one group (`grouping`) and which sensitive values a group has (`tallies`): this is all
that verify, the attacks and the measures need.
"""

from __future__ import annotations

import hashlib
import importlib
import math
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from voile.adversaries.group_members import Members
from voile.errors import BrokenPromise, DataError
from voile.releases.cell_parsing import unexplained
from voile.releases.certificate import Certificate, Claim
from voile.releases.partitioned_tables import Kept
from voile.releases.published_columns import published_domain
from voile.releases.query import Query, parse
from voile.releases.randomized_response import Channel
from voile.tables.group_counts import Counts
from voile.tables.hierarchy import hierarchy_from_rows
from voile.tables.microdata import Microdata
from voile.tables.schema import Column
from voile.version import __version__

_shapes: dict[str, type[Release]] = {}


@dataclass(frozen=True)
class Words:
    """A shape for a reader: what is published, what it hides, and what a recipient can and cannot compute from it."""

    shown: str
    hides: str = ""
    can: tuple[str, ...] = ()
    cannot: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """The root of the shapes. `tables` by name, `dictionary` as in dictionary.json."""

    tables: Mapping[str, pl.DataFrame]
    dictionary: Mapping[str, Any]
    certificate: Certificate

    shape: ClassVar[str] = ""
    words: ClassVar[Words] = Words("tables")

    def __init_subclass__(cls) -> None:
        if cls.shape:
            _shapes[cls.shape] = cls

    def __repr__(self) -> str:
        promises = ", ".join(str(claim["model"]) for claim in self.certificate.claims) or "nothing claimed"
        if isinstance(self.tables, Kept) and not (self.group_columns and self.tables.is_counted(self.group_columns)):
            return f"{type(self).__name__}({len(self.tables.parts)} parts; {promises})"  # counting may take long
        return f"{type(self).__name__}({self.people} rows in {self.groups} groups; {promises})"

    def claiming(self, claims: Sequence[Claim], method: Mapping[str, Any]) -> Release:
        """The same release with its certificate filled in."""
        stated = tuple(claim.as_json() for claim in claims)
        return self.certified(Certificate(self.shape, method, stated, f"voile {__version__}"))

    def certified(self, certificate: Certificate) -> Release:
        """The same release under another certificate. The tables stay, and with them all that was read from them."""
        made = replace(self, certificate=certificate)
        made.__dict__.update({name: value for name, value in self.__dict__.items() if name not in made.__dict__})
        return made

    @cached_property
    def digest(self) -> str:
        """A name for exactly these published tables, in whatever format they are kept."""
        state = hashlib.sha256(self.shape.encode())
        for name in sorted(self.tables):
            state.update(f"\n{name}\n".encode())
            state.update(self.tables[name].cast(pl.String).write_csv().encode())
        return f"sha256:{state.hexdigest()}"

    def tables_numbered_after(self, people: int) -> dict[str, pl.DataFrame]:
        """The tables of a part, its groups numbered after the people of the parts before it."""
        return dict(self.tables)

    def save(self, folder: str | Path, *, format: str = "parquet", force: bool = False) -> Path:
        """Write the folder whole or not at all; an earlier release is replaced only with `force`."""
        from voile.io.release_folder import write_release

        documents = {"dictionary": dict(self.dictionary), "certificate": self.certificate.as_json()}
        return write_release(Path(folder), self.tables, documents, format, force)

    def estimate(self, query: str | Mapping[str, Any] | None = None, /, **where: Any) -> float:
        """How many people satisfy all conditions, estimated from what is published.

        Conditions are keywords or a dict (a value, a list of values, or a tuple (low, high) for a range), or SQL text:
        `release.estimate("select count(*) from t where age between 30 and 40 and disease in ('flu', 'HIV')")`.
        """
        return self.answer(parse(query, where))

    def margin(self, query: str | Mapping[str, Any] | None = None, /, **where: Any) -> float:
        """How far the true number of people may be from `estimate`: two standard deviations, if people are spread
        within their cells and groups by chance, as the estimate takes it. Not a bound; NaN where a shape cannot say."""
        return 2 * math.sqrt(self.variance(parse(query, where)))

    def answer(self, query: Query) -> float:
        raise NotImplementedError  # pragma: no cover - every shape defines it

    def variance(self, query: Query) -> float:
        """The variance of the true number around the estimate, people being spread by chance."""
        return math.nan

    # what the tables say -------------------------------------------------------------------------------------------
    @property
    def people(self) -> int:
        raise NotImplementedError  # pragma: no cover - every shape defines it

    @property
    def groups(self) -> int:
        if isinstance(self.tables, Kept) and self.group_columns:
            return self.tables.count(self.group_columns)[1]
        return len(self.sizes)

    @property
    def group_columns(self) -> dict[str, list[str]]:
        """The columns of each table that say to which group a row belongs, where the groups of a shape can be looked at
        one by one; else nothing."""
        return {}

    def height(self, table: str) -> int:
        """The number of rows of a published table, counted where they lie."""
        if isinstance(self.tables, Kept):
            return self.tables.count(self.group_columns)[0][table]
        return self.tables[table].height

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of people in each group."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    @cached_property
    def tallies(self) -> dict[str, Counts]:
        """The sensitive values of each group, by column."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    @property
    def channel(self) -> Channel | None:
        """What the sensitive values went through before they were published; None where they are true."""
        return None

    def locate(self, people: Microdata) -> np.ndarray:
        """The group of each distinct quasi-identifier of a table of people; -1 where none fits, or more than one."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    def candidates(self, external: Microdata) -> tuple[np.ndarray, np.ndarray]:
        """For rows taken together: how many external people fit, and how many rows they are."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    @property
    def members(self) -> Members:
        """Who is in each group, where the release shows the quasi-identifier as it is."""
        raise BrokenPromise(
            f"A {self.shape} release does not show who is in a group.",
            code="broken.members",
            hint="Only a release with exact quasi-identifiers can be checked against a prior.",
        )

    def faults(self) -> list[str]:
        """What is wrong with the tables themselves, whatever is claimed."""
        return []

    def described(self, role: str) -> list[Mapping[str, Any]]:
        """The dictionary's entries of one role."""
        return [entry for entry in self.dictionary["columns"] if entry["role"] == role]

    def sensitive_column(self, entry: Mapping[str, Any], table: str) -> tuple[Column, np.ndarray]:
        """A sensitive column as it is published, and its codes."""
        return self.read_sensitive(entry, self.column_of(table, str(entry["name"])))

    def read_sensitive(self, entry: Mapping[str, Any], values: pl.Series) -> tuple[Column, np.ndarray]:
        name = str(entry["name"])
        domain, codes = published_domain(entry, values)
        rows = entry.get("hierarchy")
        try:
            hierarchy = hierarchy_from_rows(domain, rows) if rows else None
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


def of_shape(name: str) -> type[Release]:
    """The class of a shape; the files of core/shapes register theirs."""
    for found in pkgutil.iter_modules(importlib.import_module("voile.releases.shapes").__path__):
        importlib.import_module(f"voile.releases.shapes.{found.name}")
    if name not in _shapes:
        raise DataError(
            f"The certificate names the shape {name!r}, which this version does not know.",
            code="data.shape",
            hint="Read it with a newer version of voile.",
        )
    return _shapes[name]
