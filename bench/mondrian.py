"""Mondrian grouping of 5 million rows of codes against DuckDB's group by (and order by) of the same columns."""

from __future__ import annotations

import sys

import duckdb
import polars as pl
from clock import best, show
from tables import ADULT, QUASI, as_codes, bootstrapped_adult, distinct_codes

import voile as vl
from voile.engines.memory_rows import build_rows
from voile.tables.domain import Domain
from voile.tables.schema import Column, Columns


def make_grouping(codes: pl.DataFrame, k: int):
    """Return a function that groups rows of integer codes: from the codes to the group of every distinct row."""
    sizes = [int(codes[name].max()) + 1 for name in codes.columns]
    columns = tuple(
        Column(name, "quasi", Domain(pl.Series(range(size)), "numeric" if name in ("c0", "age") else "categorical"))
        for name, size in zip(codes.columns, sizes, strict=True)
    )
    arrays = [codes[name].to_numpy() for name in codes.columns]
    method, policy = vl.Mondrian(), vl.Policy(vl.KAnonymity(k=k))

    def work():
        rows = build_rows(codes.columns, arrays, sizes).with_key(vl.Key.fresh())
        return method.group(Columns(columns, (), ()), rows, policy)

    return work


def time_duckdb(codes: pl.DataFrame) -> tuple[float, float]:
    """Return the seconds that DuckDB takes to group and to order the same rows."""
    connection = duckdb.connect()
    connection.register("source", codes.to_arrow())
    connection.execute("create table people as select * from source")
    names = ", ".join(f'"{name}"' for name in codes.columns)
    group, _ = best(
        lambda: connection.execute(f"create or replace table g as select {names}, count(*) c from people group by all")
    )
    order, _ = best(lambda: connection.execute(f"create or replace table o as select * from people order by {names}"))
    return group, order


def main(rows: int) -> None:
    codes = distinct_codes(rows)
    ours, result = best(make_grouping(codes, 10))
    group, order = time_duckdb(codes)
    print(
        f"nearly distinct: {rows} rows, {result.groups} groups; duckdb group by {group:.3f} s, order by {order:.3f} s"
    )
    show("Mondrian k=10, nearly distinct rows / (group by + order by)", ours, group + order, 1.5)
    if ADULT.exists():
        codes = as_codes(bootstrapped_adult(rows).select(QUASI))
        ours, result = best(make_grouping(codes, 10))
        group, _ = time_duckdb(codes)
        print(f"few distinct: {len(result.weights)} distinct rows, {result.groups} groups")
        show("Mondrian k=10, few distinct rows / group by", ours, group, 1.0)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000)
