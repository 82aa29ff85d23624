"""How work runs on a Spark session: a function of Arrow batches over a DataFrame of parts, whose results Spark keeps.

A row of such a DataFrame is (part, kind, slot, blob): a part or a fragment of one, a summary of it, or an error.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from voile.engines.base import Watch
from voile.engines.spark.session import name_cause
from voile.errors import EngineError

PART, SUMMARY, FAULT = 0, 1, 2  # kinds of rows: a part or a fragment of one, a summary of a part, an error of ours
SCHEMA = "part long, kind int, slot int, blob binary"
BATCH_ROWS = 100_000
BATCH = {"spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH_ROWS)}
BLOBS = {"spark.sql.execution.arrow.maxRecordsPerBatch": "1"}  # a blob may be as large as a batch should be


@dataclass(frozen=True, eq=False)
class Runner:
    """Runs stages on a session and tells `watch` of them."""

    session: Any
    watch: Watch | None

    def run(self, stage: str, table: Any, function: Callable[[Any], Any], settings: dict[str, str]) -> Any:
        """Put a DataFrame through a function of Arrow batches; return the result, which Spark keeps, and the summaries
        by part."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # PySpark's own, about versions of pandas
            result = table.mapInArrow(function, SCHEMA).persist()
        with self.change_settings(settings):
            try:
                answers = result.where(f"kind > {PART}").select("part", "kind", "blob").collect()
            except Exception as error:
                result.unpersist()
                raise EngineError(
                    f"Spark could not {stage} the parts: {name_cause(error)}.",
                    code="engine.spark",
                    hint="See the driver's and the workers' logs. voile must be installed where the workers run.",
                ) from None
        for row in answers:
            if row.kind == FAULT:
                result.unpersist()
                raise pickle.loads(row.blob)
        if self.watch is not None:
            self.watch(stage, len(answers), len(answers))
        return result, {int(row.part): pickle.loads(row.blob) for row in answers}

    @contextmanager
    def change_settings(self, settings: dict[str, str]) -> Iterator[None]:
        """Change some settings of the session, and restore them afterwards."""
        before = {name: self.session.conf.get(name, None) for name in settings}
        for name, value in settings.items():
            self.session.conf.set(name, value)
        try:
            yield
        finally:
            for name, value in before.items():
                self.session.conf.unset(name) if value is None else self.session.conf.set(name, value)

    def find_slots(self, number: int) -> list[int]:
        """Find the numbers that Spark's partitioner sends to partition 0, 1, 2 and so on."""
        hashed = self.session.range(0, 30 * number + 30).selectExpr(
            "int(id) as id", f"pmod(hash(int(id)), {number}) as home"
        )
        slots: dict[int, int] = {}
        for row in hashed.collect():
            slots.setdefault(int(row.home), int(row.id))
        return [slots.get(home, home) for home in range(number)]
