"""Anatomy of 5 million rows, l=10, against half of DuckDB's group by of the 8 quasi-identifier columns."""

from __future__ import annotations

import sys

import duckdb
from clock import best, show

import voile as vl


def main(rows: int) -> None:
    frame = vl.datasets.census(rows)
    quasi = [name for name in frame.columns if name != "income"]
    data = vl.read(frame, vl.Schema(quasi=quasi, sensitive=["income"]))
    method, policy = vl.Anatomy(), vl.Policy(vl.LDiversity(l=10))
    keyed = data.rows.with_key(vl.Key.fresh())
    ours, result = best(lambda: method.group(data.columns, keyed, policy))
    connection = duckdb.connect()
    connection.register("source", frame.to_arrow())
    names = ", ".join(f'"{name}"' for name in quasi)
    connection.execute(f"create table people as select {names} from source")
    group, _ = best(
        lambda: connection.execute(f"create or replace table g as select {names}, count(*) c from people group by all")
    )
    print(f"{rows} rows, {result.groups} groups")
    show("Anatomy l=10 / group by of text columns", ours, group, 0.5)
    dense = ", ".join(f'dense_rank() over (order by "{name}") as "{name}"' for name in quasi)
    connection.execute(f"create table codes as select {dense} from people")
    group, _ = best(
        lambda: connection.execute(f"create or replace table g as select {names}, count(*) c from codes group by all")
    )
    show("Anatomy l=10 / group by of codes", ours, group, 0.5)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000)
