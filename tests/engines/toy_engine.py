"""A new engine is one file: this one hands out few rows at a time, and keeps them in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from voile.engines.base import Engine, Source
from voile.engines.memory import load_frame
from voile.tables.part_protocol import Parts, PartsInMemory
from voile.tables.schema import Schema


@dataclass(frozen=True)
class Toy(Engine):
    """An engine with a knob of its own: how many rows a chunk has."""

    name: ClassVar[str] = "toy"

    chunk_rows: str = "300"

    def read(self, source: Source, schema: Schema) -> Parts:
        frames = [load_frame(source, schema)]
        return ToyParts([chunk for frame in frames for chunk in frame.iter_slices(int(self.chunk_rows))], [], self)

    def list_parts(self, items: Sequence[Any], load: Callable[[Any], Any]) -> Parts:
        return ToyParts([load(item) for item in items], [], self)

    def row_limit(self, columns: int) -> int:
        return 10_000


@dataclass(frozen=True, eq=False)
class ToyParts(PartsInMemory):
    """Parts in memory that tell of every stage."""

    engine: Toy = field(default_factory=Toy)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.contents)

    def map(self, stage: str, work: Any, *arguments: Any) -> ToyParts:
        if self.engine.watch is not None:
            self.engine.watch(stage, len(self), len(self))
        results = super().map(stage, work, *arguments)
        return ToyParts(results.contents, results.summaries, self.engine)
