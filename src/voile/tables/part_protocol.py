"""A large table in parts, wherever they lie: what an engine must be able to do with them.

A part is any object: a frame, coded rows, published tables. Work on a part is a plain function of it, so that an engine
may run it here, in another process or on another machine, and again after a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import polars as pl

Work = Callable[..., tuple[Any, Any]]  # (part, number, *more) -> (what becomes of the part, what the caller is told)
Route = Callable[..., Sequence[tuple[int, Any]]]  # (part, number, *more) -> pieces for new parts
Transform = Callable[..., Any]  # (part, number, *more) -> what becomes of the part
Merge = Callable[[Sequence[Any], int], Any]  # (pieces, number) -> a new part
Over = Callable[..., list[Any]]  # (work, *more) -> what work(piece, *more) says of every piece of a release


class Parts(Protocol):
    """Parts in order. Every verb returns new parts; `notes` is what the last work told, one a part."""

    @property
    def summaries(self) -> list[Any]: ...

    def __len__(self) -> int: ...

    def map(self, what: str, work: Work, *more: Any) -> Parts:
        """Every part becomes what the work makes of it. `what` names the work to who watches."""
        ...

    def map_lazily(self, turn: Transform, *more: Any) -> Parts:
        """Every part becomes what `turn` makes of it, whenever it is needed; the notes stay."""
        ...

    def repartition(self, what: str, route: Route, gather: Merge, number: int, *more: Any) -> Parts:
        """Every part gives pieces to `number` new parts, each of which is gathered from its pieces. In which order they
        come is not said."""
        ...

    def __iter__(self) -> Iterator[Any]:
        """The parts themselves, one after the other, brought here."""
        ...

    def write_parquet(self, name: str, empty: pl.DataFrame, folder: Path) -> list[Path] | None:
        """Parts that are tables by name, one of them written side by side where they lie, typed as the `empty` one;
        None where this engine does not do that."""
        ...


@dataclass(frozen=True, eq=False)
class PartsInMemory:
    """Parts in this process's memory."""

    held: Sequence[Any]
    summaries: list[Any]

    def __len__(self) -> int:
        return len(self.held)

    def map(self, what: str, work: Work, *more: Any) -> PartsInMemory:
        done = [work(part, number, *more) for number, part in enumerate(self.held)]
        return PartsInMemory([part for part, _ in done], [note for _, note in done])

    def map_lazily(self, turn: Transform, *more: Any) -> PartsInMemory:
        return PartsInMemory([turn(part, number, *more) for number, part in enumerate(self.held)], self.summaries)

    def repartition(self, what: str, route: Route, gather: Merge, number: int, *more: Any) -> PartsInMemory:
        pieces: list[list[Any]] = [[] for _ in range(number)]
        for place, part in enumerate(self.held):
            for home, piece in route(part, place, *more):
                pieces[home].append(piece)
        return PartsInMemory([gather(some, home) for home, some in enumerate(pieces)], [])

    def __iter__(self) -> Iterator[Any]:
        return iter(self.held)

    def write_parquet(self, name: str, empty: pl.DataFrame, folder: Path) -> None:
        return None
