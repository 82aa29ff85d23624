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
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import polars as pl

from voile.adversaries.signatures import REST, join_escaped, match_signatures, write_signature
from voile.errors import DataError, InconsistentKnowledge, PolicyError, SpecError, option, raise_together
from voile.io.safe_writing.file_replacement import replace_files
from voile.plugins.counted_nouns import count_noun
from voile.result_tables import write_html
from voile.tables.row_protocol import Table
from voile.tables.schema import Column, Columns, suggest_name

SUPPORT = 30
SALT = "#salt"
INDICATOR = ("other values", "protected values")  # the values if only "in the protected set or not" is published
CAPPED = (*INDICATOR, "not shown")  # the values if the protected ones of a group are shown up to a number only


@dataclass(frozen=True, eq=False)
class Statistics:
    """The statistics about one set of columns: for each signature, a row with the probability of each value. `rest` is
    the row of all people whose signature is not listed; without it the shares in the whole table stand in."""

    names: tuple[str, ...]
    signatures: tuple[tuple[str, ...], ...]
    rows: np.ndarray
    rest: np.ndarray | None = None

    def __repr__(self) -> str:
        return f"Statistics({len(self.signatures)} signatures of {', '.join(self.names) or 'the whole table'})"


@dataclass(frozen=True, eq=False)
class CodedPrior:
    """A prior in the codes of one table's people: `rows` are distinct rows of probabilities, `index[a, p]` is the row
    of person p under column set a, and `listed[a, p]` says whether the prior lists the person's signature there. The
    row `overall` holds the shares in the whole table."""

    rows: np.ndarray
    index: np.ndarray
    sets: tuple[tuple[str, ...], ...]
    listed: np.ndarray
    overall: int


@dataclass(frozen=True, eq=False)
class Prior:
    """An adversary's statistics about one sensitive column. Learn them with `learn_prior`, or read published ones with
    `read_prior`. About a signature that is not listed, the adversary knows the rates of all unlisted people of the same
    column set if the statistics give them, and otherwise the shares in the whole table.

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
        return f"Prior({signatures} signatures in {count_noun(len(self.sets), 'column set')}, of {self.column!r})"

    def _repr_html_(self) -> str:
        sets = [{"columns": ", ".join(known.names), "signatures": len(known.signatures)} for known in self.sets]
        return write_html(repr(self), sets)

    @cached_property
    def digest(self) -> str:
        """The name of exactly these numbers."""
        state = hashlib.sha256(json.dumps([self.salt, self.column], ensure_ascii=False).encode())
        quote = lru_cache(maxsize=10_000)(lambda text: json.dumps(text, ensure_ascii=False))
        for names, signature, values, chances in self._lines():  # each entry as JSON, whose parts repeat
            start = f"[{quote(names)}, {quote(signature)}, "
            entries = [f"{start}{quote(value)}, {chance!r}]" for value, chance in zip(values, chances, strict=True)]
            state.update("".join(entries).encode())
        return f"sha256:{state.hexdigest()}"

    def _lines(self) -> Iterator[tuple[str, str, list[str], list[float]]]:
        """Yield columns, signature, values and their probabilities, without zeros, in an order that does not depend on
        how they were made."""
        order = sorted(range(len(self.values)), key=self.values.__getitem__)
        values = [self.values[position] for position in order]
        marginal_statistics = () if self.marginal is None else (Statistics((), ((),), self.marginal.reshape(1, -1)),)
        for statistics in sorted((*marginal_statistics, *self.sets), key=lambda statistics: statistics.names):
            names = join_escaped(statistics.names)
            lines = [
                (signature, write_signature(signature), row)
                for signature, row in zip(statistics.signatures, statistics.rows, strict=True)
            ]
            lines += [((REST,), REST, statistics.rest)] if statistics.rest is not None else []
            for _, text, row in sorted(lines, key=lambda line: line[:2]):
                chances = row[order].tolist()
                yield (
                    names,
                    text,
                    [value for value, chance in zip(values, chances, strict=True) if chance > 0],
                    [chance for chance in chances if chance > 0],
                )

    def frame(self) -> pl.DataFrame:
        """Return the statistics as a table with the columns columns, signature, value and probability."""
        entries = [
            (names, signature, value, chance)
            for names, signature, values, chances in self._lines()
            for value, chance in zip(values, chances, strict=True)
        ]
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
        for column in (column for column in columns.quasi if REST in column.domain.labels):
            known = next((statistics for statistics in self.sets if statistics.names == (column.name,)), None)
            if known is not None and known.rest is not None and (REST,) not in known.signatures:
                problems.append(
                    PolicyError(
                        f"The prior has a line * for {column.name!r}, which also has the value *.",
                        code="policy.prior-rest",
                        hint="Write \\* for the value; * stands for all values that are not listed.",
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
            # without a declared domain, a value that nobody has must not be seen from the refusal
            unknown_values = len(set(self.values) - set(target.domain.labels)) if target.domain.declared else 0
            if unknown_values:
                problems.append(
                    PolicyError(
                        f"The prior names {unknown_values} values that {self.column!r} does not have.",
                        code="policy.prior-value",
                        hint="Check their spelling, or correct the domain that was declared for the column.",
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
        fallback = overall_shares if self.marginal is None else self._reorder(self.marginal.reshape(1, -1), order)[0]
        tables, row_count = [fallback.reshape(1, -1)], 1
        index = np.zeros((max(len(self.sets), 1), len(codes)), dtype=np.int64)
        listed = np.zeros(index.shape, dtype=bool)
        for set_index, statistics in enumerate(self.sets):
            signature_rows = match_signatures(statistics.names, statistics.signatures, people, codes)
            tables.append(self._reorder(statistics.rows, order))
            rest_row = 0
            if statistics.rest is not None:
                tables.append(self._reorder(statistics.rest.reshape(1, -1), order))
                rest_row = row_count + len(statistics.signatures)
            listed[set_index] = signature_rows >= 0
            index[set_index] = np.where(listed[set_index], signature_rows + row_count, rest_row)
            row_count += len(tables[-1]) + (len(statistics.signatures) if rest_row else 0)
        # keep equal rows once: people whom these statistics do not tell apart are one class
        rows, inverse = np.unique(np.concatenate(tables), axis=0, return_inverse=True)
        sets = tuple(statistics.names for statistics in self.sets) or ((),)
        inverse = inverse.reshape(-1)
        return CodedPrior(np.ascontiguousarray(rows), inverse[index], sets, listed, int(inverse[0]))

    def as_indicator(self, protect: Sequence[str]) -> Prior:
        """Return the same knowledge reduced to "one of the protected values, or another value". What was estimated from
        a release that shows no more than that stays as it is."""
        if self.values == INDICATOR and not set(protect) & set(INDICATOR):
            return self
        is_protected = np.array([value in protect for value in self.values], dtype=bool)

        def merge_values(rows: np.ndarray) -> np.ndarray:
            protected_chance = np.minimum(rows[..., is_protected].sum(axis=-1), 1.0)
            return np.stack([1.0 - protected_chance, protected_chance], axis=-1)

        sets = tuple(
            Statistics(
                statistics.names,
                statistics.signatures,
                merge_values(statistics.rows),
                None if statistics.rest is None else merge_values(statistics.rest),
            )
            for statistics in self.sets
        )
        marginal = None if self.marginal is None else merge_values(self.marginal)
        return Prior(self.column, INDICATOR, sets, marginal, self.salt)

    @staticmethod
    def _reorder(rows: np.ndarray, order: np.ndarray) -> np.ndarray:
        return np.where(order >= 0, rows[:, np.maximum(order, 0)], 0.0)

    def require_consistency(self, columns: Columns, rows: Table) -> None:
        """Raise InconsistentKnowledge if anybody has a value that the prior rules out for them. The answer depends on
        values, so only a method that promises nothing against an adversary who knows it may ask."""
        names = [column.name for column in columns.quasi]
        table = rows.histogram([*names, self.column])
        target, codes = columns[self.column], table.codes[:, : len(names)]
        values = table.column(self.column)
        overall_shares = np.bincount(values, weights=table.counts, minlength=target.size) / table.total
        coded_prior = self.encode(columns.quasi, codes, target, overall_shares)
        contradicted, sets = np.zeros(len(values), dtype=bool), []
        for index, names_of_set in zip(coded_prior.index, coded_prior.sets, strict=True):
            ruled_out = coded_prior.rows[index, values] <= 0
            contradicted |= ruled_out
            sets += [names_of_set] if ruled_out.any() else []
        if sets:
            scope = ", ".join(map(repr, sets[0])) or "the whole table"
            raise InconsistentKnowledge(
                f"The prior contradicts the table: {int(table.counts[contradicted].sum())} rows have a value of "
                f"{self.column!r} to which the statistics give probability 0 (in {len(sets)} of "
                f"{count_noun(len(coded_prior.sets), 'column set')}; the first is {scope}).",
                code="data.prior-contradicts",
                hint="A rate of 0 rules a value out, which rates of other people should not do: learn them with "
                f"smoothing ({option('smoothing', 1)}), or list every value that occurs.",
            )

    def require_coverage(self, columns: Columns, rows: Table) -> None:
        """Raise InconsistentKnowledge if people have no rate at all. The shares of the table at hand may not stand in:
        they tell something about its values, and readers could not repeat the computation."""
        table = rows.histogram([column.name for column in columns.quasi])
        codes, counts = table.codes, table.counts
        for statistics in self.sets if self.marginal is None else ():
            if statistics.rest is not None:
                continue
            listed = match_signatures(statistics.names, statistics.signatures, columns.quasi, codes) >= 0
            if not listed.all():
                raise InconsistentKnowledge(
                    f"The prior says nothing about {int(counts[~listed].sum())} rows under the "
                    f"column{'s' * (len(statistics.names) > 1)} {', '.join(map(repr, statistics.names))}, and "
                    "gives no shares of the whole table.",
                    code="data.prior-coverage",
                    hint="Add a line per value without columns and signature (the whole table), or with these columns "
                    "and the signature * (all people whose signature is not listed).",
                )
