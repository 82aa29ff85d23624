"""Plain tables that agree with a release, drawn several times."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import overload

import numpy as np
import polars as pl

from voile.errors import SpecError
from voile.io.release_folder import CERTIFICATE
from voile.io.safe_writing.file_replacement import replace_files
from voile.releases.completions.atoms import Atoms, decode_atoms
from voile.releases.completions.chain import Chain
from voile.releases.completions.draw_numbers import DRAWS, check_draws
from voile.releases.known_rows import KnownRows
from voile.releases.queries.query import Condition
from voile.releases.shape_contract import ShapeContract
from voile.result_tables import write_html
from voile.tables.secret_key import Key

SEED = 20  # a completion holds no secret, so that two people who ask get the same
DRAW = "_draw"
SHOWN = 5  # rows that a notebook shows


@dataclass(frozen=True, eq=False)
class Completions(Sequence[pl.DataFrame]):
    """Tables with exact values, each consistent with every published cell. Row i is row i of the published table (of a
    sampled release, rows are repeated as often as they have people).

    `atoms[d][c]` are the atoms of column c in draw d, `marginals[c]` the share of each atom of a column with something
    to draw, whatever the other columns say.
    """

    rows: KnownRows
    cut: tuple[Atoms, ...]
    atoms: tuple[tuple[np.ndarray, ...], ...]
    marginals: Mapping[int, np.ndarray]
    seed: tuple[int, ...] = field(repr=False)

    def __repr__(self) -> str:
        return f"Completions({len(self)} tables of {self.rows.people} rows)"

    def _repr_html_(self) -> str:
        caption = f"{self!r}: analyse each alike and pool the results. The first rows of the first:"
        return write_html(caption, self[0].head(SHOWN).to_dicts())

    def __len__(self) -> int:
        return len(self.atoms)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the tables take for granted, in sentences."""
        return self.rows.assumptions

    @overload
    def __getitem__(self, place: int) -> pl.DataFrame: ...
    @overload
    def __getitem__(self, place: slice) -> list[pl.DataFrame]: ...
    def __getitem__(self, place: int | slice) -> pl.DataFrame | list[pl.DataFrame]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        return pl.DataFrame([self.column(place, number) for number in range(len(self.cut))])

    def __iter__(self) -> Iterator[pl.DataFrame]:
        return (self[number] for number in range(len(self)))

    def column(self, draw: int, number: int) -> pl.Series:
        """Return one column of one table."""
        if draw >= len(self) or draw < -len(self):
            raise IndexError(draw)
        draw %= len(self)
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(draw, number)))
        box = self.rows.box[: self.rows.people]
        return decode_atoms(self.rows.columns[number], self.cut[number], self.atoms[draw][number], box, rng)

    def atom_shares(self, number: int, condition: Condition) -> np.ndarray:
        """Return the share of each atom of a column that satisfies a condition."""
        cut, column = self.cut[number], self.rows.columns[number]
        if cut.edges is None:
            return condition.matches(cut.domain.values, cut.domain.missing).astype(np.float64)
        step = 0 if column.domain.values.dtype.is_float() else 1
        inside, width = condition.overlap(cut.edges[:-1], cut.edges[1:] - step, column.domain.values.dtype, step)
        return np.append(inside / np.maximum(width, 1e-300), [0.0] * (cut.size - len(width)))

    def stack(self) -> pl.DataFrame:
        """Return one table of all draws, with their number (from 1) in the column `_draw`."""
        return pl.concat(
            [
                table.insert_column(0, pl.repeat(number + 1, table.height, dtype=pl.Int32, eager=True).alias(DRAW))
                for number, table in enumerate(self)
            ]
        )

    def save(self, path: str | Path) -> Path:
        """Write the tables below each other into one file, with their number in the column `_draw`: CSV or Parquet, by
        the ending of its name."""
        target, buffer = Path(path), io.BytesIO()
        if target.suffix.lower() not in (".csv", ".parquet"):
            raise SpecError(
                f"The file {target.name!r} ends neither in .csv nor in .parquet.",
                code="spec.out",
                hint="Name a file such as table.parquet.",
            )
        if any((folder / CERTIFICATE).exists() for folder in target.resolve().parents):
            raise SpecError(
                f"The file {target.name!r} would lie in a release folder, whose files are certified.",
                code="spec.out",
                hint="Name a file outside of it.",
            )
        table = self.stack()
        table.write_csv(buffer) if target.suffix.lower() == ".csv" else table.write_parquet(buffer)
        replace_files({target: buffer.getvalue()})
        return target


def complete_release(release: ShapeContract, m: int = DRAWS, key: Key | int | None = None) -> Completions:
    """Draw m tables that agree with a release."""
    check_draws(m)
    seed = key.stream("completions", 4).tolist() if isinstance(key, Key) else [SEED if key is None else abs(int(key))]
    rows = release.known_rows()
    chain = Chain(rows, np.random.SeedSequence(seed))
    chain.warm_up()
    drawn = tuple(tuple(chain.draw()) for _ in range(m))
    marginals = {number: column.atom_marginal for number, column in chain.hidden.items()}
    return Completions(rows, tuple(chain.cut), drawn, marginals, tuple(seed))
