"""A new engine is one file: this one hands out few rows at a time, and keeps them in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from voile.extend import Engine, Parts, PartsInMemory, Schema, Source, load_frame


@dataclass(frozen=True)
class Toy(Engine):
    """An engine with a knob of its own: how many rows a chunk has."""

    name: ClassVar[str] = "toy"

    chunk_rows: str = "300"

    def read(self, source: Source, schema: Schema) -> Parts:
        return ToyParts(list(load_frame(source, schema).iter_slices(int(self.chunk_rows))), [], self)

    def list_parts(self, items: Sequence[Any], load: Callable[[Any], Any]) -> Parts:
        return ToyParts([load(item) for item in items], [], self)

    def row_limit(self, columns: int) -> int:
        return 10_000


@dataclass(frozen=True, eq=False)
class ToyParts(PartsInMemory):
    """Parts in memory that tell of every stage."""

    engine: Toy = field(default_factory=Toy)

    def map(self, stage: str, work: Any, *arguments: Any) -> ToyParts:
        if self.engine.watch is not None:
            self.engine.watch(stage, len(self), len(self))
        results = super().map(stage, work, *arguments)
        return ToyParts(results.contents, results.summaries, self.engine)
