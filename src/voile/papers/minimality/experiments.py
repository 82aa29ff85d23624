"""The experiments on the Adult table: MASK against algorithms that ignore the attack."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from voile.errors import Unsatisfiable
from voile.flow.measure.measure import measure
from voile.flow.publish.publish import publish
from voile.flow.read.read import read
from voile.flow.report.figures import Figure
from voile.measures.alteration import Alteration
from voile.measures.distortion import Distortion
from voile.methods.base import Method
from voile.methods.full_domain import FullDomain
from voile.methods.mask.mask import Mask
from voile.methods.mondrian.mondrian import Mondrian
from voile.models.alpha_k import AlphaK
from voile.models.m_confidentiality import MConfidentiality
from voile.models.policy import Policy
from voile.papers.minimality.real_example import LOW
from voile.papers.paper import Claim, Item, Run
from voile.tables.microdata import Microdata
from voile.tables.schema import Schema
from voile.tables.secret_key import Key

COLUMNS = ("age", "workclass", "marital-status", "occupation", "race", "sex", "native-country", "salary-class")
IGNORES, FIXED, PAPER_SAMPLING = "ignores the attack", "MASK, fixed channels", "MASK, the paper's sampling"
QUICK_ROWS = 6000
TYPES = {"seconds": pl.Float64, "distortion": pl.Float64, "changed": pl.Float64}


def compare_methods(run: Run, method: Method) -> pl.DataFrame:
    """Compare MASK's time and distortion with an algorithm that ignores the attack: 3 to 8 columns, m = 2 and 10."""
    source = run.source("the Adult table")
    frame = pl.read_csv(source)
    if run.quick and frame.height > QUICK_ROWS:
        frame = frame[np.sort(np.random.default_rng(1).choice(frame.height, QUICK_ROWS, replace=False))]
    sizes = (3, 5, 8) if run.quick else range(3, 9)
    points = [(m, size, name) for m in (2, 10) for size in sizes for name in (IGNORES, FIXED, PAPER_SAMPLING)]
    rows = []
    for done, (m, size, name) in enumerate(points):
        run.step(done, len(points), f"{name}, m = {m}, {size} columns")

        def compute(m: int = m, size: int = size, name: str = name) -> dict[str, float | None]:
            schema = make_schema(COLUMNS[:size], source.parent / "hierarchies")
            wish = choose_method(name, m, method)
            return time_release(read(frame, schema), *wish)

        point = run.point({"m": m, "columns": size, "algorithm": name, "method": method.name}, compute)
        rows.append({"m": m, "columns": size, "algorithm": name, **point})
    return pl.DataFrame(rows, schema_overrides=TYPES)


def choose_method(name: str, m: int, method: Method) -> tuple[Policy, Method]:
    """Return what a line of the figure asks for, and by which method; `method` makes the groups in all of them."""
    if name == IGNORES:
        return Policy(AlphaK(alpha=1 / m, k=m, protect=LOW)), method
    sampling = "paper" if name == PAPER_SAMPLING else "monotone"
    return Policy(MConfidentiality(m=m, protect=LOW)), Mask(sampling=sampling, anonymizer=method)


def make_schema(names: Sequence[str], folder: Path) -> Schema:
    """Return the schema of an experiment: hierarchies from the files beside the table, or automatic ones."""
    trees = {name: folder / f"{name}.csv" if (folder / f"{name}.csv").is_file() else "auto" for name in names}
    return Schema(quasi=names, sensitive=["education"], hierarchies=trees)


def time_release(data: Microdata, policy: Policy, method: Method) -> dict[str, float | None]:
    """Return the CPU time (the least of three runs), the distortion and the share of changed values of a release; None
    if there is none."""
    seconds = []
    for _ in range(3):
        start = time.process_time()
        try:
            release = publish(data, policy, method, key=Key(bytes(32)))
        except Unsatisfiable:
            return {"seconds": None, "distortion": None, "changed": None}
        seconds.append(time.process_time() - start)
    losses = measure(data, release, [Distortion(), Alteration()])
    return {"seconds": min(seconds), "distortion": losses["distortion"].value, "changed": losses["alteration"].value}


def _figure(y: str, y_title: str, letter: str, m: int) -> Figure:
    return Figure(
        "columns", y, "algorithm", "QID size", y_title, letter=letter, title=f"{y_title}, m = {m}", where={"m": m}
    )


FIGURES = (
    _figure("seconds", "execution time (s)", "a", 2),
    _figure("distortion", "distortion", "b", 2),
    _figure("seconds", "execution time (s)", "c", 10),
    _figure("distortion", "distortion", "d", 10),
)


def _claim_release(m: int) -> Claim:
    here = (pl.col("m") == m) & (pl.col("columns") == 8) & (pl.col("algorithm") == FIXED)
    says = f"The experiment of QID size 8 is run with m = l = {m}."
    return Claim(
        "section 4", says, "a release", lambda frame: bool(frame.filter(here)["distortion"].is_not_null().all())
    )


NOTE = (
    "Sensitive are the four lowest educations, and k = l = m. The slides print the curves as pictures without numbers, "
    "of MASK and of an algorithm that ignores the attack: here (1/m, m)-anonymity by the same recoding. MASK is run "
    "with voile's fixed channels, which keep 1/m against an adversary who knows the method, and with the paper's "
    "sampling, which does not; changed is the share of sensitive cells that were changed. Times are CPU seconds of "
    "publishing, the least of three. An empty row means that no release keeps the promise."
)
ITEMS = tuple(
    Item(
        name,
        f"MASK against an algorithm that ignores the attack, {recoding}",
        partial(compare_methods, method=method),
        FIGURES,
        NOTE,
        table="adult",
        claims=(_claim_release(2), _claim_release(10)),
        times=("seconds",),
        seed="a key of 32 zero bytes; the sample of the quick form with seed 1",
    )
    for name, recoding, method in (
        ("experiment-global", "global recoding (full-domain, by Incognito's lattice)", FullDomain()),
        ("experiment-local", "local recoding (Mondrian)", Mondrian()),
    )
)
