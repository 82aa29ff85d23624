"""Categories are grouped by how alike their rows are in other columns, not by how frequent they are."""

from __future__ import annotations

import polars as pl
import pytest

import voile as vl

JOBS = {  # a job, the ages of those who have it, how many there are
    "nurse": (25, 30), "doctor": (26, 5), "midwife": (27, 12),
    "pensioner": (70, 28), "widow": (72, 6), "retired": (71, 11),
    "pupil": (10, 29), "child": (11, 7), "student": (12, 10),
}  # fmt: skip
ROWS = [(job, age + n % 3, "yes" if n % 2 else "no") for job, (age, number) in JOBS.items() for n in range(number)]
FRAME = pl.DataFrame(ROWS, schema=["job", "age", "ill"], orient="row")
GROUPS = {frozenset(list(JOBS)[start : start + 3]) for start in (0, 3, 6)}


def groups_of(frame: pl.DataFrame, **schema: object) -> set[frozenset[str]]:
    roles = {"quasi": ["job", "age"], "sensitive": ["ill"], "hierarchies": {"job": "auto"}, **schema}
    tree = vl.read(frame, vl.Schema(**roles)).columns["job"].hierarchy
    assert tree is not None
    return {frozenset(tree.labels[0][code] for code in tree.leaves(1, node)) for node in range(len(tree.labels[1]))}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_alike_categories_come_together_whatever_the_order_of_the_rows(seed: int) -> None:
    assert groups_of(FRAME.sample(fraction=1, shuffle=True, seed=seed)) == GROUPS


def test_a_method_completes_hierarchies_in_the_same_way() -> None:
    data = vl.read(FRAME, vl.Schema(quasi=["job", "age"], sensitive=["ill"]))
    tree = vl.FullDomain().complete_hierarchies(data.columns, data.rows)["job"].hierarchy
    assert tree is not None
    assert {frozenset(label.strip("{}").split("|")) for label in tree.labels[1]} == GROUPS


def test_sensitive_values_do_not_matter() -> None:
    changed = FRAME.with_columns(ill=pl.when(pl.col("job").is_in(["nurse", "child"])).then(pl.lit("x")).otherwise("ill"))
    assert groups_of(changed) == groups_of(FRAME)


def test_without_other_columns_frequency_decides() -> None:
    assert len(groups_of(FRAME, quasi=["job"])) == 3
    assert groups_of(FRAME, quasi=["job"]) != GROUPS


def test_every_engine_builds_the_same(tmp_path: object) -> None:
    path = f"{tmp_path}/t.csv"
    FRAME.write_csv(path)
    schema = vl.Schema(quasi=["job", "age"], sensitive=["ill"], hierarchies={"job": "alike"})
    trees = [vl.read(path, schema, engine=engine).columns["job"].hierarchy for engine in (None, vl.Disk())]
    assert trees[0] is not None and trees[1] is not None
    assert trees[0].rows() == trees[1].rows()
