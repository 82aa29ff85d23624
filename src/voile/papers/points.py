"""The points of an item, kept as they are computed: a run that was interrupted goes on where it was."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voile.io.text_files import write_texts

FOLDER = ".points"


@dataclass(eq=False)
class Points:
    """A folder of computed points. `context` completes the key of each (paper, item, edition, quick, table);
    `saved` is the CPU time that the points which were there took when they were computed."""

    folder: Path
    context: Mapping[str, Any] = field(default_factory=dict)
    saved: float = 0.0

    def compute(self, key: Mapping[str, int | float | str], compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return a point: from its file if it is there, otherwise computed and written whole or not at all."""
        full = json.dumps({**self.context, **key}, sort_keys=True)
        path = self.folder / f"{hashlib.sha256(full.encode()).hexdigest()[:24]}.json"
        if path.is_file():
            point = json.loads(path.read_text("utf-8"))
            self.saved += point["seconds"]
        else:
            start = time.process_time()
            value = compute()
            point = {"key": json.loads(full), "seconds": time.process_time() - start, "value": value}
            text = json.dumps(point)
            write_texts({path: text}, "point")
            point = json.loads(text)  # tuples become lists, as they do in a point that is read
        answer: dict[str, Any] = point["value"]
        return answer


def fingerprint_table(path: Path | None) -> str:
    """Return a digest of a table and of the hierarchies beside it: points of another table are other points."""
    if path is None:
        return ""
    digest = hashlib.sha256()
    for file in (path, *sorted((path.parent / "hierarchies").glob("*.csv"))):
        digest.update(hashlib.sha256(file.read_bytes()).digest() if file.is_file() else str(file).encode())
    return digest.hexdigest()
