"""The prior: what an adversary knows before seeing the release. For sets of quasi-identifier columns, it gives the
probability of each sensitive value for the people with each combination of values (a signature), e.g. "men get lung
cancer with probability 0.1, women with probability 0.003".
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
INDICATOR = ("other values", "protected values")  # the values if only "in the protected set or not" is published


@dataclass(frozen=True, eq=False)
class Statistics:
    """The statistics about one set of columns: for each signature, a row with the probability of each value."""

    names: tuple[str, ...]
    signatures: tuple[tuple[str, ...], ...]
    rows: np.ndarray

    def __repr__(self) -> str:
        return f"Statistics({len(self.signatures)} signatures of {', '.join(self.names) or 'the whole table'})"


@dataclass(frozen=True, eq=False)
class CodedPrior:
    """A prior in the codes of one table's people: `rows` are distinct rows of probabilities, and `index[a, p]` is the
    row of person p under column set a."""

    rows: np.ndarray
    index: np.ndarray
    sets: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class Prior:
    """An adversary's statistics about one sensitive column. Learn them with `learn_prior`, or read published ones with
    `read_prior`. About a signature that is not listed, the adversary knows only the shares in the whole table.

    A certificate names a prior by its `digest`. A learned prior is salted, so that nobody can test a guess about the
    table against the digest.
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
        """The name of exactly these numbers."""
        state = hashlib.sha256(json.dumps([self.salt, self.column], ensure_ascii=False).encode())
        for entry in self._entries():
            state.update(json.dumps(entry, ensure_ascii=False).encode())
        return f"sha256:{state.hexdigest()}"

    def _entries(self) -> Iterator[tuple[str, str, str, float]]:
        """Yield the statistics in an order that does not depend on how they were made, without zeros."""
        order = sorted(range(len(self.values)), key=self.values.__getitem__)
        whole = () if self.marginal is None else (Statistics((), ((),), self.marginal.reshape(1, -1)),)
        for known in sorted((*whole, *self.sets), key=lambda known: known.names):
            names = join_escaped(known.names)
            for place in sorted(range(len(known.signatures)), key=known.signatures.__getitem__):
                signature = join_escaped(known.signatures[place])
                for value in order:
                    if known.rows[place, value] > 0:
                        yield names, signature, self.values[value], float(known.rows[place, value])

    def frame(self) -> pl.DataFrame:
        """Return the statistics as a table with the columns columns, signature, value and probability."""
        entries: list[tuple[str, str, str, float]] = list(self._entries())
        entries.insert(0, (SALT, self.salt, "", 0.0)) if self.salt else None
        types = {"columns": pl.String, "signature": pl.String, "value": pl.String, "probability": pl.Float64}
        return pl.DataFrame(entries, schema=types, orient="row")

    def save(self, path: str | Path) -> Path:
        """Write the table as CSV or Parquet, depending on the ending. The file reveals statistics of the people that it
        came from."""
        path = Path(path)
        partial = path.with_name(f".{path.name}.part")
        if path.suffix.lower() in (".parquet", ".pq"):
            self.frame().write_parquet(partial)
        elif path.suffix.lower() == ".csv":
            self.frame().write_csv(partial)
        else:
            raise SpecError(f"{path.name!r} has no known ending.", code="spec.prior", hint="Use .csv or .parquet.")
        return partial.replace(path)

    def check(self, columns: Columns) -> None:
        """Raise PolicyError unless every column and value that the prior names exists in the table."""
        problems: list[SpecError] = []
        quasi = [column.name for column in columns.quasi]
        unknown = sorted({name for known in self.sets for name in known.names if name not in quasi})
        for name in unknown:
            problems.append(
                PolicyError(
                    f"The prior names {name!r}, which is not a quasi-identifier column.",
                    code="policy.prior-column",
                    hint=suggest_name(name, quasi),
                )
            )
        target = next((column for column in columns.sensitive if column.name == self.column), None)
        if target is None:
            problems.append(
                PolicyError(
                    f"The prior is about {self.column!r}, which is not a sensitive column.",
                    code="policy.prior-column",
                    hint=suggest_name(self.column, [column.name for column in columns.sensitive]),
                )
            )
        else:
            unknown_values = len(set(self.values) - set(target.domain.labels))
            if unknown_values:
                problems.append(
                    PolicyError(
                        f"The prior names {unknown_values} values that {self.column!r} does not have.",
                        code="policy.prior-value",
                        hint="Check their spelling, or declare the column's domain.",
                    )
                )
        raise_together(problems)

    def encode(self, people: Sequence[Column], codes: np.ndarray, target: Column, usual: np.ndarray) -> CodedPrior:
        """Return the prior for people with these codes, its values in the order of the target column's codes.

        `usual` are the shares in the whole table. They stand in for signatures that are not listed if the prior has no
        marginal.
        """
        positions = {text: position for position, text in enumerate(self.values)}
        order = np.array([positions.get(text, -1) for text in target.domain.labels])
        listed = [self._reorder(known.rows, order) for known in self.sets]
        fallback = usual if self.marginal is None else self._reorder(self.marginal.reshape(1, -1), order)[0]
        table = np.concatenate([fallback.reshape(1, -1), *listed]) if listed else fallback.reshape(1, -1)
        index = np.zeros((max(len(self.sets), 1), len(codes)), dtype=np.int64)
        base = 1
        for number, known in enumerate(self.sets):
            row = _match_signatures(known, people, codes)
            index[number] = np.where(row >= 0, row + base, 0)
            base += len(known.signatures)
        # keep equal rows once: people whom these statistics do not tell apart are one class
        rows, inverse = np.unique(table, axis=0, return_inverse=True)
        sets = tuple(known.names for known in self.sets) or ((),)
        return CodedPrior(np.ascontiguousarray(rows), inverse.reshape(-1)[index], sets)

    def as_indicator(self, protect: Sequence[str]) -> Prior:
        """Return the same knowledge reduced to "one of the protected values, or another value"."""
        inside = np.array([value in protect for value in self.values], dtype=bool)

        def pair(rows: np.ndarray) -> np.ndarray:
            chance = np.minimum(rows[..., inside].sum(axis=-1), 1.0)
            return np.stack([1.0 - chance, chance], axis=-1)

        sets = tuple(Statistics(known.names, known.signatures, pair(known.rows)) for known in self.sets)
        return Prior(self.column, INDICATOR, sets, None if self.marginal is None else pair(self.marginal), self.salt)

    @staticmethod
    def _reorder(rows: np.ndarray, order: np.ndarray) -> np.ndarray:
        return np.where(order >= 0, rows[:, np.maximum(order, 0)], 0.0)

    def require_consistency(self, columns: Columns, rows: Table) -> None:
        """Raise InconsistentKnowledge if anybody has a value that the prior rules out for them."""
        names = [column.name for column in columns.quasi]
        table = rows.histogram([*names, self.column])
        target = columns[self.column]
        usual = np.bincount(table.column(self.column), weights=table.counts, minlength=target.size) / table.total
        known = self.encode(columns.quasi, table.codes[:, : len(names)], target, usual)
        value = table.column(self.column)
        for number, names_of_set in enumerate(known.sets):
            ruled_out = int(table.counts[known.rows[known.index[number], value] <= 0].sum())
            if ruled_out:
                where = ", ".join(map(repr, names_of_set)) or "the whole table"
                raise InconsistentKnowledge(
                    f"The prior contradicts the table: {ruled_out} rows have a value of {self.column!r} to which the "
                    f"statistics of {where} give probability 0.",
                    code="data.prior-contradicts",
                    hint="Correct these statistics, list every value that occurs, or learn the prior from the table.",
                )


def _match_signatures(known: Statistics, people: Sequence[Column], codes: np.ndarray) -> np.ndarray:
    """Return for each person the position of their signature, or -1."""
    by_name = {column.name: (number, column) for number, column in enumerate(people)}
    if any(name not in by_name for name in known.names):
        missing = [name for name in known.names if name not in by_name]
        raise PolicyError(
            f"The prior names {', '.join(map(repr, missing))}, which the release does not show exactly.",
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


def join_escaped(parts: Sequence[str]) -> str:
    """Join texts by `|`, which a backslash escapes within them."""
    return "|".join(part.replace("\\", "\\\\").replace("|", "\\|") for part in parts)


def split_escaped(text: str) -> list[str]:
    """Split a text that `join_escaped` joined.

    >>> split_escaped("39|a\\\\|b")
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
