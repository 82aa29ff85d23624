"""Parts on an Apache Spark cluster: the same work, run by its Python workers.

A part travels as one binary cell of a DataFrame (part, kind, slot, blob). Every stage is kept by Spark (memory, then
disk) until nothing needs it; a part that is lost with a worker is computed again by the same functions.
"""

from __future__ import annotations

from voile.engines.spark.engine import Spark

__all__ = ["Spark"]
