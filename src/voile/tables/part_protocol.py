"""A large table or release in parts, wherever they are stored: the operations that an engine must offer on them.

A part is any object: a chunk of a frame, coded rows, published tables. Work on a part is a plain function of it, so
that an engine may run it in this process, in another one or on another machine, and again after a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import polars as pl

Work = Callable[..., tuple[Any, Any]]  # (part, number, *arguments) -> (the new part, a summary for the caller)
Transform = Callable[..., Any]  # (part, number, *arguments) -> the new part
Route = Callable[..., Sequence[tuple[int, Any]]]  # (part, number, *arguments) -> (new part, fragment of it) pairs
Merge = Callable[[Sequence[Any], int], Any]  # (fragments, number) -> a new part
Over = Callable[..., list[Any]]  # (work, *arguments) -> the results of work(piece, *arguments), one per piece


class Parts(Protocol):
    """Parts in order. Every verb returns new parts; `summaries` are the results of the last work, one per part."""

    @property
    def summaries(self) -> list[Any]: ...

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Any]:
        """Bring the parts into this process, one after the other."""
        ...

    def map(self, stage: str, work: Work, *arguments: Any) -> Parts:
        """Replace every part by the result of `work`. `stage` names the work for the progress display."""
        ...

    def map_lazily(self, transform: Transform, *arguments: Any) -> Parts:
        """Replace every part by the result of `transform`, computed whenever it is needed. The summaries stay."""
        ...

    def repartition(self, stage: str, route: Route, merge: Merge, number: int, *arguments: Any) -> Parts:
        """Split every part into fragments for `number` new parts, and merge the fragments of each new part, which may
        arrive in any order."""
        ...

    def write_parquet(self, name: str, empty: pl.DataFrame, folder: Path) -> list[Path] | None:
        """Write the table `name` of parts that hold tables by name: one file per part, written where the part is
        stored, with the column types of `empty`. Return the files, or None if this engine cannot do that."""
        ...


@dataclass(frozen=True, eq=False)
class PartsInMemory:
    """Parts in the memory of this process."""

    contents: Sequence[Any]
    summaries: list[Any]

    def __len__(self) -> int:
        return len(self.contents)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.contents)

    def map(self, stage: str, work: Work, *arguments: Any) -> PartsInMemory:
        results = [work(part, number, *arguments) for number, part in enumerate(self.contents)]
        return PartsInMemory([part for part, _ in results], [summary for _, summary in results])

    def map_lazily(self, transform: Transform, *arguments: Any) -> PartsInMemory:
        return PartsInMemory(
            [transform(part, number, *arguments) for number, part in enumerate(self.contents)], self.summaries
        )

    def repartition(self, stage: str, route: Route, merge: Merge, number: int, *arguments: Any) -> PartsInMemory:
        fragments: list[list[Any]] = [[] for _ in range(number)]
        for position, part in enumerate(self.contents):
            for home, fragment in route(part, position, *arguments):
                fragments[home].append(fragment)
        return PartsInMemory([merge(own, home) for home, own in enumerate(fragments)], [])

    def write_parquet(self, name: str, empty: pl.DataFrame, folder: Path) -> None:
        return None
