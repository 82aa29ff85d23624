"""Plain tables that agree with a release, drawn several times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

import numpy as np
import polars as pl

from voile.errors import SpecError, option
from voile.releases.completions.atoms import Atoms, decode_atoms
from voile.releases.completions.chain import BURN_IN, Chain
from voile.releases.completions.known_rows import KnownRows
from voile.tables.secret_key import Key

if TYPE_CHECKING:
    from voile.releases.release import Release

DRAWS = 20
SEED = 20  # a completion holds no secret, so that two people who ask get the same
DRAW = "_draw"


@dataclass(frozen=True, eq=False)
class Completions(Sequence[pl.DataFrame]):
    """Tables with exact values, each consistent with every published cell. Row i is row i of the published table (of a
    sampled release, rows are repeated as often as they have people).

    `atoms[d][c]` are the atoms of column c in draw d; `assumptions` say in sentences what the tables take for granted.
    """

    rows: KnownRows
    cut: tuple[Atoms, ...]
    atoms: tuple[tuple[np.ndarray, ...], ...]
    seeds: tuple[np.random.SeedSequence, ...] = field(repr=False)

    def __repr__(self) -> str:
        return f"Completions({len(self)} tables of {self.rows.people} rows)"

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
        draw, rng = self.atoms[place], np.random.default_rng(self.seeds[place])
        box = self.rows.box[: self.rows.people]
        return pl.DataFrame(
            [
                decode_atoms(column, cut, codes, box, rng)
                for column, cut, codes in zip(self.rows.columns, self.cut, draw, strict=True)
            ]
        )

    def __iter__(self) -> Iterator[pl.DataFrame]:
        return (self[number] for number in range(len(self)))

    def stack(self) -> pl.DataFrame:
        """Return one table of all draws, with their number (from 1) in the column `_draw`."""
        return pl.concat(
            [
                table.insert_column(0, pl.repeat(number + 1, table.height, dtype=pl.Int32, eager=True).alias(DRAW))
                for number, table in enumerate(self)
            ]
        )


def complete_release(release: Release, m: int = DRAWS, key: Key | int | None = None) -> Completions:
    """Draw m tables that agree with a release."""
    if isinstance(m, bool) or not isinstance(m, int) or m < 2:
        raise SpecError(
            f"{m} draws are too few: what differs between draws tells how sure an answer is.",
            code="spec.draws",
            hint=f"Ask for {option('draws', DRAWS)}, or at least 2.",
        )
    if isinstance(key, Key):
        words = key.stream("completions", 4).tolist()
    else:
        words = [SEED if key is None else int(key)]
    first, *others = np.random.SeedSequence(words).spawn(m + 1)
    rows = release.known_rows()
    chain = Chain(rows, first)
    for _ in range(BURN_IN):
        chain.sweep()
    drawn = tuple(tuple(chain.draw()) for _ in range(m))
    return Completions(rows, tuple(chain.cut), drawn, tuple(others))
