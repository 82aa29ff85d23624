"""Forge at random, ask verify, ask the judge, and tell where they disagree."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forging.asking import NOTICED, ask_in_detail
from forging.forgery import Forgery
from forging.judge import Judge
from forging.random_mutations import forge_at_random


@dataclass(frozen=True)
class Outcome:
    """What became of one forged folder."""

    number: int
    origin: str
    changes: tuple[str, ...]
    answer: str
    complaints: tuple[str, ...]
    detail: str = ""

    @property
    def crashed(self) -> bool:
        return self.answer not in (*NOTICED, "HOLDS", "NEEDS")

    @property
    def escaped(self) -> bool:
        """Whether verify accepted what the judge complains of, or did not answer at all."""
        return self.crashed or (self.answer not in NOTICED and bool(self.complaints))

    @property
    def refused_without_complaint(self) -> bool:
        """Whether verify found a fault where the judge finds none."""
        return self.answer in NOTICED and not self.complaints


def load_honest(folders: dict[str, Path]) -> dict[str, Forgery]:
    """Read the honest folders once."""
    return {name: Forgery(folder) for name, folder in folders.items()}


def run(
    honest: dict[str, Forgery], numbers: Iterable[int], work: Path, seed: int = 0, engine: Any = None
) -> Iterator[Outcome]:
    """Forge a folder for each number and yield what became of it."""
    judge = Judge(honest)
    for number in numbers:
        origin, forgery, changes = forge_at_random(honest, number, seed)
        folder = work / "forged"
        shutil.rmtree(folder, ignore_errors=True)
        try:
            forgery.write(folder)
        except (OSError, ValueError, TypeError):
            continue  # nobody can write this folder
        chosen = engine if engine is not None and not forgery.is_csv and number % 4 == 0 else None
        answer, detail = ask_in_detail(folder, chosen)
        yield Outcome(number, origin, tuple(changes), answer, tuple(judge.complaints(folder, origin)), detail)
