"""A release: tables, a dictionary for the recipient, and a certificate.

A release groups people and shows each group in some way. The shapes differ in that way. Each shape tells from its
tables alone who is in one group and which sensitive values a group has: this is all that verify, the attacks and the
measures need (shape_contract.py).
"""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from voile.adversaries.ledger import Ledger
from voile.errors import DataError, SchemaError, SpecError
from voile.releases.cells.end_columns import drop_ends
from voile.releases.certificate import Certificate, Claim
from voile.releases.completions.draw_numbers import DRAWS, check_draws
from voile.releases.partitioned_tables import PartitionedTables
from voile.releases.shape_contract import ShapeContract
from voile.result_tables import write_html
from voile.tables.secret_key import Key
from voile.version import __version__

if TYPE_CHECKING:
    import pandas as pd

    from voile.io.release_folder.signature import SigningKey
    from voile.releases.completions.completions import Completions
    from voile.releases.counts.count_answer import Count
    from voile.releases.counts.counting import Counting
    from voile.releases.queries.query import Query
    from voile.releases.sql.pooled_answer import QueryAnswer
    from voile.releases.sql.session import Session

_shapes: dict[str, type[Release]] = {}


@dataclass(frozen=True, eq=False, repr=False)
class Release(ShapeContract):
    """A release of any shape: tables, a dictionary for the recipient, and a certificate.

    `counted` are numbers of people that the publisher's own check counted, with statistics that others may not have.
    They stay with the publisher: no file of the release holds them.
    """

    counted: Mapping[str, int] = field(default_factory=dict)

    def __init_subclass__(cls) -> None:
        if cls.shape:
            _shapes[cls.shape] = cls

    def __repr__(self) -> str:
        promises = ", ".join(str(claim["model"]) for claim in self.certificate.claims) or "nothing claimed"
        if isinstance(self.tables, PartitionedTables) and not (
            self.group_columns and self.tables.has_counts(self.group_columns)
        ):
            return f"{type(self).__name__}({len(self.tables.parts)} parts; {promises})"  # counting may take long
        return f"{type(self).__name__}({self.people} rows in {self.groups} groups; {promises})"

    def _repr_html_(self) -> str:
        parts = ("name", "role", "kind", "shown", "cell")
        rows = [{part: str(entry.get(part, "")) for part in parts} for entry in self.dictionary.get("columns", ())]
        return write_html(repr(self), rows)

    def to_polars(self, table: str | None = None) -> pl.DataFrame:
        """Return a published table as a polars data frame; it must be named if the release has several."""
        names = list(self.tables)
        if table is None and len(names) == 1:
            return self.tables[names[0]]
        if table not in names:
            raise SpecError(
                f"The release has {len(names)} tables." if table is None else f"The release has no table {table!r}.",
                code="spec.table",
                hint=f"Name one of {', '.join(names)}.",
            )
        return self.tables[table]

    def to_pandas(self, table: str | None = None) -> pd.DataFrame:
        """Return a published table as a pandas data frame; it must be named if the release has several."""
        return self.to_polars(table).to_pandas()

    def with_claims(self, claims: Sequence[Claim], method: Mapping[str, Any]) -> Release:
        """Return the same release with its certificate filled in."""
        stated = tuple(claim.as_json() for claim in claims)
        return self.with_certificate(Certificate(self.shape, method, stated, f"voile {__version__}"))

    def with_certificate(self, certificate: Certificate) -> Release:
        """Return the same release under another certificate. Whatever was read from the tables is kept."""
        release = replace(self, certificate=certificate)
        release.__dict__.update({name: value for name, value in self.__dict__.items() if name not in release.__dict__})
        return release

    def with_counted(self, counted: Mapping[str, int]) -> Release:
        """Return the same release with what its publisher counted."""
        release = replace(self, counted=counted)
        release.__dict__.update({name: value for name, value in self.__dict__.items() if name not in release.__dict__})
        return release

    def without_ends(self) -> Release:
        """Return the same release without the typed columns beside labels of ranges."""
        entries = list(map(drop_ends, self.dictionary["columns"]))
        return replace(self, tables=self.drop_ends(), dictionary={**self.dictionary, "columns": entries})

    @cached_property
    def digest(self) -> str:
        """A name for exactly these published tables, whatever their file format, and whether or not the ends of ranges
        stand beside them."""
        state = hashlib.sha256(self.shape.encode())
        for name, table in sorted(self.drop_ends().items()):
            state.update(f"\n{name}\n".encode())
            state.update(table.cast(pl.String).write_csv().encode())
        return f"sha256:{state.hexdigest()}"

    def renumber_tables(self, people: int) -> dict[str, pl.DataFrame]:
        """Return the tables of a part, its groups numbered after the people of the parts before it."""
        return dict(self.tables)

    def save(
        self,
        folder: str | Path,
        *,
        format: str = "parquet",
        force: bool = False,
        ledger: Ledger | None = None,
        sign: str | Path | SigningKey | None = None,
        ends: bool = True,
    ) -> Path:
        """Write the folder whole or not at all; an earlier release is replaced only with `force`.

        A `ledger` that was opened from a file is saved together with the folder: after a crash both are the old ones or
        both are the new ones. `sign` is a private Ed25519 key, or its PEM file, to sign the certificate with.
        `ends=False` leaves out the typed columns beside labels of ranges (`age_low`, `age_high`).
        """
        from voile.io.release_folder import write_release
        from voile.io.release_folder.signature import read_signing_key

        release = self if ends else self.without_ends()
        documents = {"dictionary": dict(release.dictionary), "certificate": release.certificate.as_json()}
        companion = ledger.companion() if ledger is not None else None
        key = read_signing_key(sign) if isinstance(sign, (str, Path)) else sign
        place = write_release(Path(folder), release.tables, documents, format, force, companion=companion, sign=key)
        if ledger is not None:
            ledger.note_saved()
        return place

    def complete(self, m: int = DRAWS, key: Key | int | None = None) -> Completions:
        """Draw m plain tables with exact values, each consistent with every published cell.

        Analyse every table alike and pool what you find (`vl.pool`). A completion holds no secret: without a `key` the
        same tables are drawn each time.
        """
        from voile.releases.completions.completions import complete_release

        return complete_release(self, m, key)

    def count(
        self, query: str | Mapping[str, Any] | None = None, /, *, weighted: bool | None = None, **where: Any
    ) -> Count:
        """Count the people who satisfy all conditions: an estimate, a 95 % interval, and bounds that are certain.

        Conditions are keywords or a dict (a value, a list of values, or a tuple (low, high) for a range), or SQL text:
        `release.count("select count(*) from t where age between 30 and 40 and disease in ('flu', 'HIV')")`. Where the
        release shows a survey weight, people of the population are counted; `weighted=False` counts rows.
        """
        from voile.releases.queries.query import parse_query

        return self.counting.count(self._weigh(parse_query(query, where), weighted))

    def query(self, sql: str, draws: int = DRAWS) -> QueryAnswer:
        """Answer a SQL query with COUNT, SUM or AVG on the completions of the release, pooled by group.

        `release.query("select sex, count(*), avg(age) from t where age >= 30 or not sex = 'M' group by sex")`. DuckDB
        runs the query on every draw; what it may contain is on a short list, and the rest is refused by name.
        """
        from voile.releases.counts.counting import prepare_counting
        from voile.releases.sql.pooled_answer import answer_query
        from voile.releases.sql.session import Session

        check_draws(draws)
        known: dict[int, tuple[Counting, Session]] = self.__dict__.setdefault("_sessions", {})
        if draws not in known:
            counting = self.counting if draws == DRAWS else prepare_counting(self, draws)
            known[draws] = counting, Session(counting.draws)
        return answer_query(*known[draws], sql)

    @cached_property
    def counting(self) -> Counting:
        """The completions that counts are made from, drawn once."""
        from voile.releases.counts.counting import prepare_counting

        return prepare_counting(self)

    def _weigh(self, query: Query, weighted: bool | None) -> Query:
        """Return the query with what its rows count: their survey weight, or 1. SchemaError if there is no weight."""
        if weighted and self.shown_weight is None:
            raise SchemaError(
                "The release shows no survey weight.", code="schema.weight", hint="Its counts are of rows."
            )
        return replace(query, weighted=self.shown_weight is not None if weighted is None else weighted)


def find_shape(name: str) -> type[Release]:
    """Return the class of a shape. Every file of releases/shapes registers its own."""
    homes = [module.name for module in pkgutil.iter_modules(importlib.import_module("voile.releases.shapes").__path__)]
    for home in sorted(homes, key=lambda home: home != name):  # the file that bears the name comes first
        if name not in _shapes:
            importlib.import_module(f"voile.releases.shapes.{home}")
    if name not in _shapes:
        raise DataError(
            f"The certificate names the shape {name!r}, which this version does not know.",
            code="data.shape",
            hint="Read it with a newer version of voile.",
        )
    return _shapes[name]
