"""The prior: what an adversary knows before seeing the release. For sets of quasi-identifier columns, it gives the
probability of each sensitive value for the people with each combination of values (a signature), e.g. "men get lung
cancer with probability 0.1, women with probability 0.003".
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from voile import kernels
from voile.errors import DataError, InconsistentKnowledge, PolicyError, SpecError, raise_together
from voile.io.safe_writing.file_replacement import replace_files
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
        signatures = sum(len(statistics.signatures) for statistics in self.sets)
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
        marginal_statistics = () if self.marginal is None else (Statistics((), ((),), self.marginal.reshape(1, -1)),)
        for statistics in sorted((*marginal_statistics, *self.sets), key=lambda statistics: statistics.names):
            names = join_escaped(statistics.names)
            for index in sorted(range(len(statistics.signatures)), key=statistics.signatures.__getitem__):
                signature = join_escaped(statistics.signatures[index])
                for value in order:
                    if statistics.rows[index, value] > 0:
                        yield names, signature, self.values[value], float(statistics.rows[index, value])

    def frame(self) -> pl.DataFrame:
        """Return the statistics as a table with the columns columns, signature, value and probability."""
        entries: list[tuple[str, str, str, float]] = list(self._entries())
        entries.insert(0, (SALT, self.salt, "", 0.0)) if self.salt else None
        types = {"columns": pl.String, "signature": pl.String, "value": pl.String, "probability": pl.Float64}
        return pl.DataFrame(entries, schema=types, orient="row")

    def save(self, path: str | Path) -> Path:
        """Write the table as CSV or Parquet, depending on the ending. The file reveals statistics of the people that it
        came from."""
        path, content = Path(path), io.BytesIO()
        if path.suffix.lower() in (".parquet", ".pq"):
            self.frame().write_parquet(content)
        elif path.suffix.lower() == ".csv":
            self.frame().write_csv(content)
        else:
            raise SpecError(f"{path.name!r} has no known ending.", code="spec.prior", hint="Use .csv or .parquet.")
        try:
            replace_files({path: content.getvalue()})
        except OSError as error:
            raise DataError(
                f"The statistics cannot be written to {path.name!r} ({error.strerror}).",
                code="data.write",
                hint="Check the free space and the permissions there.",
            ) from None
        return path

    def check(self, columns: Columns) -> None:
        """Raise PolicyError unless every column and value that the prior names exists in the table."""
        problems: list[SpecError] = []
        quasi = [column.name for column in columns.quasi]
        unknown_names = sorted({name for statistics in self.sets for name in statistics.names if name not in quasi})
        for name in unknown_names:
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

    def encode(
        self, people: Sequence[Column], codes: np.ndarray, target: Column, overall_shares: np.ndarray
    ) -> CodedPrior:
        """Return the prior for people with these codes, its values in the order of the target column's codes.

        `overall_shares` are the shares in the whole table. They stand in for signatures that are not listed if the
        prior has no marginal.
        """
        positions = {text: position for position, text in enumerate(self.values)}
        order = np.array([positions.get(text, -1) for text in target.domain.labels])
        tables = [self._reorder(statistics.rows, order) for statistics in self.sets]
        fallback = overall_shares if self.marginal is None else self._reorder(self.marginal.reshape(1, -1), order)[0]
        table = np.concatenate([fallback.reshape(1, -1), *tables]) if tables else fallback.reshape(1, -1)
        index = np.zeros((max(len(self.sets), 1), len(codes)), dtype=np.int64)
        first_row = 1
        for set_index, statistics in enumerate(self.sets):
            signature_rows = _match_signatures(statistics, people, codes)
            index[set_index] = np.where(signature_rows >= 0, signature_rows + first_row, 0)
            first_row += len(statistics.signatures)
        # keep equal rows once: people whom these statistics do not tell apart are one class
        rows, inverse = np.unique(table, axis=0, return_inverse=True)
        sets = tuple(statistics.names for statistics in self.sets) or ((),)
        return CodedPrior(np.ascontiguousarray(rows), inverse.reshape(-1)[index], sets)

    def as_indicator(self, protect: Sequence[str]) -> Prior:
        """Return the same knowledge reduced to "one of the protected values, or another value"."""
        is_protected = np.array([value in protect for value in self.values], dtype=bool)

        def merge_values(rows: np.ndarray) -> np.ndarray:
            protected_chance = np.minimum(rows[..., is_protected].sum(axis=-1), 1.0)
            return np.stack([1.0 - protected_chance, protected_chance], axis=-1)

        sets = tuple(
            Statistics(statistics.names, statistics.signatures, merge_values(statistics.rows))
            for statistics in self.sets
        )
        marginal = None if self.marginal is None else merge_values(self.marginal)
        return Prior(self.column, INDICATOR, sets, marginal, self.salt)

    @staticmethod
    def _reorder(rows: np.ndarray, order: np.ndarray) -> np.ndarray:
        return np.where(order >= 0, rows[:, np.maximum(order, 0)], 0.0)

    def require_consistency(self, columns: Columns, rows: Table) -> None:
        """Raise InconsistentKnowledge if anybody has a value that the prior rules out for them."""
        names = [column.name for column in columns.quasi]
        table = rows.histogram([*names, self.column])
        target = columns[self.column]
        values = table.column(self.column)
        overall_shares = np.bincount(values, weights=table.counts, minlength=target.size) / table.total
        coded_prior = self.encode(columns.quasi, table.codes[:, : len(names)], target, overall_shares)
        for set_index, names_of_set in enumerate(coded_prior.sets):
            ruled_out = int(table.counts[coded_prior.rows[coded_prior.index[set_index], values] <= 0].sum())
            if ruled_out:
                scope = ", ".join(map(repr, names_of_set)) or "the whole table"
                raise InconsistentKnowledge(
                    f"The prior contradicts the table: {ruled_out} rows have a value of {self.column!r} to which the "
                    f"statistics of {scope} give probability 0.",
                    code="data.prior-contradicts",
                    hint="Correct these statistics, list every value that occurs, or learn the prior from the table.",
                )


def _match_signatures(statistics: Statistics, people: Sequence[Column], codes: np.ndarray) -> np.ndarray:
    """Return for each person the position of their signature, or -1."""
    by_name = {column.name: (index_in_codes, column) for index_in_codes, column in enumerate(people)}
    if any(name not in by_name for name in statistics.names):
        missing_names = [name for name in statistics.names if name not in by_name]
        raise PolicyError(
            f"The prior names {', '.join(map(repr, missing_names))}, which the release does not show exactly.",
            code="policy.prior-column",
            hint="Use a prior about its quasi-identifier columns.",
        )
    indexed_columns = [by_name[name] for name in statistics.names]
    sizes = [column.size for _, column in indexed_columns]
    codes_by_text = [{text: code for code, text in enumerate(column.domain.labels)} for _, column in indexed_columns]
    signature_codes = np.array(
        [
            [code_of.get(text, -1) for code_of, text in zip(codes_by_text, signature, strict=True)]
            for signature in statistics.signatures
        ],
        dtype=np.int64,
    ).reshape(len(statistics.signatures), len(indexed_columns))
    usable_signatures = np.flatnonzero((signature_codes >= 0).all(axis=1))
    stacked_codes = [
        np.concatenate([codes[:, index_in_codes].astype(np.int64), signature_codes[usable_signatures, position]])
        for position, (index_in_codes, _) in enumerate(indexed_columns)
    ]
    row_ranks, first_rows = kernels.distinct_rows.rank_rows(stacked_codes, [max(size, 1) for size in sizes])
    signature_of_row = np.full(len(first_rows), -1, dtype=np.int64)
    signature_of_row[row_ranks[len(codes) :]] = usable_signatures
    return np.asarray(signature_of_row[row_ranks[: len(codes)]])


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
