"""The same table, the same k, other tools: time and loss by one independent measure.

Peers are not dependencies: install those you want to compare with (`pip install anonypy`) and run this file; a peer
that is not there is left out. ARX and sdcMicro are not Python and are not run here.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
from adult import TOOL
from tables import ADULT, HIERARCHIES, QUASI, adult

import voile as vl


def ours(frame: pl.DataFrame, k: int) -> pl.DataFrame:
    data = vl.read(frame, vl.Schema(quasi=QUASI, sensitive=["salary-class"]))
    return vl.publish(data, vl.KAnonymity(k=k)).tables["table"]


def anonypy(frame: pl.DataFrame, k: int) -> pl.DataFrame:
    import anonypy

    table = frame.to_pandas()
    for name in (*QUASI[1:], "salary-class"):
        table[name] = table[name].astype("category")
    rows = anonypy.Preserver(table, QUASI, "salary-class").anonymize_k_anonymity(k=k)
    found = []
    for row in rows:
        cells = {name: _cell(row[name], name) for name in QUASI}
        found.extend([{**cells, "salary-class": row["salary-class"]}] * int(row["count"]))
    return pl.DataFrame(found)


def _cell(cell: object, name: str) -> str:
    """anonypy writes 17-22 for numbers and a list or a comma-separated text for categories."""
    text = ",".join(map(str, cell)) if isinstance(cell, (list, tuple)) else str(cell)
    if name == "age":
        return text
    return "{" + text.replace(",", "|") + "}" if "," in text else text


def loss(original: Path, released: pl.DataFrame, k: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "released.csv"
        released.with_columns(pl.all().cast(pl.String)).write_csv(path)
        command = [sys.executable, str(TOOL), str(original), str(path), "--quasi", ",".join(QUASI), "--numeric", "age"]
        command += ["--hierarchies", str(HIERARCHIES), "--k", str(k)]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main(k: int = 5) -> None:
    frame = adult()
    tools: list[tuple[str, Callable[[pl.DataFrame, int], pl.DataFrame]]] = [("voile", ours), ("anonypy", anonypy)]
    ours(frame, k)  # compile
    with tempfile.TemporaryDirectory() as place:
        original = Path(place) / "adult.csv"
        frame.write_csv(original)
        for name, tool in tools:
            start = time.perf_counter()
            try:
                released = tool(frame, k)
            except ImportError:
                print(f"{name}: not installed")
                continue
            took = time.perf_counter() - start
            print(f"{name}: {took:.2f} s, {loss(original, released, k)}")


if __name__ == "__main__" and ADULT.exists() and TOOL.exists():
    main()
