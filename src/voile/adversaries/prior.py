"""What an adversary knows beforehand: for sets of quasi-identifier columns, how likely each sensitive value is for the
people with each combination of values (a signature). "Men get lung cancer with probability 0.1, women 0.003."
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from voile import kernels
from voile.errors import InconsistentKnowledge, PolicyError, SpecError, raise_together
from voile.tables.row_protocol import Table
from voile.tables.schema import Column, Columns, suggest_name

SUPPORT = 30
SALT = "#salt"
INDICATOR = ("other values", "protected values")  # what is shown where only "in the protected set or not" is published


@dataclass(frozen=True, eq=False)
class Statistics:
    """What is known of one set of columns: a row of probabilities, one a value, for each signature."""

    names: tuple[str, ...]
    signatures: tuple[tuple[str, ...], ...]
    rows: np.ndarray

    def __repr__(self) -> str:
        return f"Statistics({len(self.signatures)} signatures of {', '.join(self.names) or 'the whole table'})"


@dataclass(frozen=True, eq=False)
class Known:
    """A prior in codes, for the people of one table: `rows` are different rows of probabilities, `index[a, p]` is the
    row of person p under column set a."""

    rows: np.ndarray
    index: np.ndarray
    sets: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class Prior:
    """An adversary's statistics about one sensitive column. Learn one with `learn_prior`, or read published ones with
    `read_prior`. Where a signature is not listed, the adversary knows no more than the whole table's shares.

    `digest` names it in a certificate. A learned prior is salted, so that nobody can test a guess about the table
    against the digest.
    """

    column: str
    values: tuple[str, ...]
    sets: tuple[Statistics, ...]
    marginal: np.ndarray | None = None
    salt: str = ""

    def __repr__(self) -> str:
        signatures = sum(len(known.signatures) for known in self.sets)
        return f"Prior({signatures} signatures in {len(self.sets)} column sets, of {self.column!r})"

    @cached_property
    def digest(self) -> str:
        """A name for exactly these numbers."""
        state = hashlib.sha256(json.dumps([self.salt, self.column], ensure_ascii=False).encode())
        for entry in self._entries():
            state.update(json.dumps(entry, ensure_ascii=False).encode())
        return f"sha256:{state.hexdigest()}"

    def _entries(self) -> Iterator[tuple[str, str, str, float]]:
        """The table of statistics, in an order that does not depend on how it was made; zeros are left out."""
        order = sorted(range(len(self.values)), key=self.values.__getitem__)
        whole = () if self.marginal is None else (Statistics((), ((),), self.marginal.reshape(1, -1)),)
        for known in sorted((*whole, *self.sets), key=lambda known: known.names):
            names = _joined(known.names)
            for place in sorted(range(len(known.signatures)), key=known.signatures.__getitem__):
                signature = _joined(known.signatures[place])
                for value in order:
                    if known.rows[place, value] > 0:
                        yield names, signature, self.values[value], float(known.rows[place, value])

    def frame(self) -> pl.DataFrame:
        """The statistics as a table: columns, signature, value, probability."""
        entries: list[tuple[str, str, str, float]] = list(self._entries())
        entries.insert(0, (SALT, self.salt, "", 0.0)) if self.salt else None
        types = {"columns": pl.String, "signature": pl.String, "value": pl.String, "probability": pl.Float64}
        return pl.DataFrame(entries, schema=types, orient="row")

    def save(self, path: str | Path) -> Path:
        """Write the table, as CSV or Parquet by the ending; the file tells statistics of the people it came from."""
        path = Path(path)
        beside = path.with_name(f".{path.name}.part")
        if path.suffix.lower() in (".parquet", ".pq"):
            self.frame().write_parquet(beside)
        elif path.suffix.lower() == ".csv":
            self.frame().write_csv(beside)
        else:
            raise SpecError(f"{path.name!r} has no known ending.", code="spec.prior", hint="Use .csv or .parquet.")
        return beside.replace(path)

    def check(self, columns: Columns) -> None:
        """Every column and value that it names must exist in the table."""
        problems: list[SpecError] = []
        quasi = [column.name for column in columns.quasi]
        unknown = sorted({name for known in self.sets for name in known.names if name not in quasi})
        for name in unknown:
            problems.append(
                PolicyError(
                    f"The prior speaks of {name!r}, which is no quasi-identifier column.",
                    code="policy.prior-column",
                    hint=suggest_name(name, quasi),
                )
            )
        target = next((column for column in columns.sensitive if column.name == self.column), None)
        if target is None:
            problems.append(
                PolicyError(
                    f"The prior is about {self.column!r}, which is no sensitive column.",
                    code="policy.prior-column",
                    hint=suggest_name(self.column, [column.name for column in columns.sensitive]),
                )
            )
        else:
            strange = len(set(self.values) - set(target.domain.labels))
            if strange:
                problems.append(
                    PolicyError(
                        f"The prior names {strange} values that {self.column!r} does not have.",
                        code="policy.prior-value",
                        hint="Check their spelling, or declare the column's domain.",
                    )
                )
        raise_together(problems)

    def known(self, people: Sequence[Column], codes: np.ndarray, target: Column, usual: np.ndarray) -> Known:
        """The prior for people with these codes, its values in the order of the target column's codes.

        `usual` are the shares in the whole table, for signatures that are not listed when no marginal was given.
        """
        texts = {text: place for place, text in enumerate(self.values)}
        order = np.array([texts.get(text, -1) for text in target.domain.labels])
        listed = [self._ordered(known.rows, order) for known in self.sets]
        fallback = usual if self.marginal is None else self._ordered(self.marginal.reshape(1, -1), order)[0]
        table = np.concatenate([fallback.reshape(1, -1), *listed]) if listed else fallback.reshape(1, -1)
        index = np.zeros((max(len(self.sets), 1), len(codes)), dtype=np.int64)
        base = 1
        for number, known in enumerate(self.sets):
            found = _matched(known, people, codes)
            index[number] = np.where(found >= 0, found + base, 0)
            base += len(known.signatures)
        # equal rows once: people whom these statistics do not tell apart are one class
        rows, inverse = np.unique(table, axis=0, return_inverse=True)
        sets = tuple(known.names for known in self.sets) or ((),)
        return Known(np.ascontiguousarray(rows), inverse.reshape(-1)[index], sets)

    def collapsed(self, protect: Sequence[str]) -> Prior:
        """The same knowledge about "one of the protected values, or another one"."""
        inside = np.array([value in protect for value in self.values], dtype=bool)

        def pair(rows: np.ndarray) -> np.ndarray:
            chance = np.minimum(rows[..., inside].sum(axis=-1), 1.0)
            return np.stack([1.0 - chance, chance], axis=-1)

        sets = tuple(Statistics(known.names, known.signatures, pair(known.rows)) for known in self.sets)
        return Prior(self.column, INDICATOR, sets, None if self.marginal is None else pair(self.marginal), self.salt)

    @staticmethod
    def _ordered(rows: np.ndarray, order: np.ndarray) -> np.ndarray:
        return np.where(order >= 0, rows[:, np.maximum(order, 0)], 0.0)

    def admits(self, columns: Columns, rows: Table) -> None:
        """Raise InconsistentKnowledge where somebody has a value that the prior rules out for them."""
        names = [column.name for column in columns.quasi]
        table = rows.histogram([*names, self.column])
        target = columns[self.column]
        usual = np.bincount(table.column(self.column), weights=table.counts, minlength=target.size) / table.total
        known = self.known(columns.quasi, table.codes[:, : len(names)], target, usual)
        value = table.column(self.column)
        for number, names_of_set in enumerate(known.sets):
            ruled_out = int(table.counts[known.rows[known.index[number], value] <= 0].sum())
            if ruled_out:
                where = ", ".join(map(repr, names_of_set)) or "the whole table"
                raise InconsistentKnowledge(
                    f"The prior contradicts the table: {ruled_out} rows have a value of {self.column!r} that the "
                    f"statistics of {where} give probability 0.",
                    code="data.prior-contradicts",
                    hint="Correct these statistics, list every value that occurs, or learn the prior from the table.",
                )


def _matched(known: Statistics, people: Sequence[Column], codes: np.ndarray) -> np.ndarray:
    """For each person the place of their signature, or -1."""
    by_name = {column.name: (number, column) for number, column in enumerate(people)}
    if any(name not in by_name for name in known.names):
        missing = [name for name in known.names if name not in by_name]
        raise PolicyError(
            f"The prior speaks of {', '.join(map(repr, missing))}, which the release does not show exactly.",
            code="policy.prior-column",
            hint="Use a prior about its quasi-identifier columns.",
        )
    chosen = [by_name[name] for name in known.names]
    sizes = [column.size for _, column in chosen]
    places = [{text: code for code, text in enumerate(column.domain.labels)} for _, column in chosen]
    listed = np.array(
        [
            [place.get(text, -1) for place, text in zip(places, signature, strict=True)]
            for signature in known.signatures
        ],
        dtype=np.int64,
    ).reshape(len(known.signatures), len(chosen))
    usable = np.flatnonzero((listed >= 0).all(axis=1))
    every = [
        np.concatenate([codes[:, number].astype(np.int64), listed[usable, place]])
        for place, (number, _) in enumerate(chosen)
    ]
    index, first = kernels.distinct_rows.rank_rows(every, [max(size, 1) for size in sizes])
    home = np.full(len(first), -1, dtype=np.int64)
    home[index[len(codes) :]] = usable
    return np.asarray(home[index[: len(codes)]])


def _joined(parts: Sequence[str]) -> str:
    return "|".join(part.replace("\\", "\\\\").replace("|", "\\|") for part in parts)


def split(text: str) -> list[str]:
    """Undo `_joined`.

    >>> split("39|a\\\\|b")
    ['39', 'a|b']
    """
    parts, current, escaped = [], "", False
    for letter in text:
        if escaped or letter not in "\\|":
            current, escaped = current + letter, False
        elif letter == "\\":
            escaped = True
        else:
            parts.append(current)
            current = ""
    return [*parts, current]
