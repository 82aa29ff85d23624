"""No object shows a cell when it is printed."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from canary_table import (
    CITY,
    OTHER,
    QUASI,
    ROLES,
    assert_clean,
    make_table,
    read_table,
)

import voile as vl
from voile.attacks.base import Guess, RawTable
from voile.measures.base import View, outline_table
from voile.releases.queries.query import parse_query


@functools.cache
def things() -> dict[str, Any]:
    trees = {"city": vl.tree({"x": [CITY]})}
    schema = vl.Schema(**ROLES, domains={"ward": [OTHER, "north", "south"]}, hierarchies=trees)
    table = read_table(hierarchies={"city": vl.by_frequency(), "code": "auto"})
    boxes = vl.publish(table, vl.LDiversity(l=2))
    linked = vl.publish(read_table(), vl.LDiversity(l=2), vl.Anatomy())
    several = vl.read(
        make_table(), vl.Schema(**{**ROLES, "sensitive": ["illness", "city"], "quasi": ["number", "real"]})
    )
    lists = vl.publish(several, vl.MultiDiversity(otherwise=1))
    audit, losses = vl.audit(boxes, table), vl.measure(table, boxes)
    compared = vl.compare(table, vl.LDiversity(l=2), [vl.Mondrian()], measures=[vl.measures.Certainty()])
    quasi = table.columns.quasi
    histogram = table.rows.histogram(QUASI)
    return {
        "Schema": schema,
        "Microdata": table,
        "Columns": table.columns,
        "Column": quasi[0],
        "Domain": quasi[0].domain,
        "Hierarchy": quasi[0].hierarchy,
        "HierarchyRecipe": schema.hierarchies["city"],
        "rows": table.rows,
        "keyed rows": table.rows.with_key(vl.Key(bytes(32))),
        "Histogram": histogram,
        "placed rows": table.rows.place(histogram, np.zeros(len(histogram.counts), dtype=np.int64)),
        "Generalized": boxes,
        "Bucketized": linked,
        "Decomposed": lists,
        "ValueLists": next(iter(lists.value_lists.values())),  # type: ignore[attr-defined]
        "SensitiveRows": linked.sensitive_rows(table.columns),
        "TrainingRows": linked.training_rows(np.random.default_rng(0)),
        "RowMatching": lists.row_matching,  # type: ignore[attr-defined]
        "Cells": boxes.cells["city"],  # type: ignore[attr-defined]
        "Counts": boxes.tallies["illness"],
        "counts of linked tables": linked.tallies["illness"],
        "Certificate": boxes.certificate,
        "Verdict": vl.verify(boxes),
        "verdict in words": str(vl.verify(linked)),
        "Audit": audit,
        "Finding": audit.findings[0],
        "Belief": audit.findings[0].belief,
        "Losses": losses,
        "RawTable": RawTable(table),
        "View": View(table, boxes),
        "Outline": outline_table(table),
        "Guess": Guess("x", audit.findings[0].adversary, audit.findings[0].belief),
        "Policy": vl.Policy(vl.KAnonymity(k=2)),
        "Key": vl.Key.fresh(),
        "Query": parse_query({"number": 1}, {}),
        "Comparison": compared,
        "Trial": compared.rows[0],
    }


NAMES = (
    *(
        "Schema",
        "Microdata",
        "Columns",
        "Column",
        "Domain",
        "Hierarchy",
        "HierarchyRecipe",
        "rows",
        "keyed rows",
        "Histogram",
    ),
    *(
        "placed rows",
        "Generalized",
        "Bucketized",
        "Decomposed",
        "ValueLists",
        "RowMatching",
        "SensitiveRows",
        "TrainingRows",
        "Cells",
        "Counts",
        "counts of linked tables",
        "Certificate",
    ),
    *("Verdict", "verdict in words", "Audit", "Finding", "Belief", "Losses", "RawTable", "View", "Guess", "Policy"),
    *("Key", "Query", "Comparison", "Trial", "Outline"),
)


@pytest.mark.parametrize("name", NAMES)
def test_no_repr_shows_a_cell(name: str) -> None:
    thing = things()[name]
    assert_clean(repr(thing) + str(thing) + f"{thing}")
    assert_clean(repr([thing]) + repr({"x": thing}))


@pytest.mark.parametrize(
    "name", ["rows", "keyed rows", "placed rows", "Histogram", "Counts", "Cells", "Belief", "View"]
)
def test_reprs_are_short_and_hold_no_arrays(name: str) -> None:
    """Codes are as good as cells to whoever has the dictionary."""
    shown = repr(things()[name])
    assert "array(" not in shown
    assert "shape:" not in shown
    assert len(shown) < 300


def test_every_thing_was_looked_at() -> None:
    assert set(NAMES) == set(things())
