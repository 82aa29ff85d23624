"""The setting of the experiments: the table, its protected share, and the parameters that the report prints."""

from __future__ import annotations

import polars as pl

from voile import datasets
from voile.measures.query_error.query_error import QueryError
from voile.methods.injector.injector import Injector
from voile.models.t_closeness.t_closeness import TCloseness
from voile.papers.art.contenders import PROTECTED, SENSITIVE
from voile.papers.art.stage import DEFAULT, FULL, QUASI, SELECTIVITY
from voile.papers.claim import Claim
from voile.papers.paper import Run


def describe_table(run: Run) -> pl.DataFrame:
    """Count the rows of the Adult table, those below secondary education, and those that nobody else equals."""
    frame = datasets.adult(run.source("the Adult table")).select([*QUASI, SENSITIVE]).drop_nulls()
    cases = frame.filter(pl.col(SENSITIVE).is_in(PROTECTED)).height
    alone = frame.filter(pl.struct(QUASI).is_unique()).height
    rows = [
        ("rows without unknown values", float(frame.height)),
        ("attributes", float(frame.width)),
        ("rows below secondary education", float(cases)),
        ("their share in percent", 100 * cases / frame.height),
        ("largest r that a set of this share allows", float(frame.height // cases)),
        ("share of people whose eight columns are unique", alone / frame.height),
        ("megabytes as text", len(frame.write_csv().encode()) / 1e6),
        ("default columns of the quasi-identifier", float(DEFAULT)),
        ("queries per evaluation, full size", float(FULL.queries)),
        ("selectivity", SELECTIVITY),
        ("repeated anonymizations, full size", float(FULL.repetitions)),
        ("t of t-closeness", TCloseness().t),
        ("minConf of Injector", Injector().min_conf),
        ("minExp of Injector", Injector().min_exp),
        ("default selectivity of the measure", QueryError().selectivity),
    ]
    return pl.DataFrame(rows, schema=["what", "number"], orient="row")


def _claim(says: str, printed: float, what: str, where: str = "report, section 5", because: str = "") -> Claim:
    return Claim(where, says, printed, lambda frame: float(frame.filter(what=what)["number"][0]), because=because)


CLAIMS = (
    _claim("45,222 tuples remain without unknown values", 45222, "rows without unknown values"),
    _claim("nine attributes were chosen", 9, "attributes"),
    _claim("3.46 % of the tuples have an education before secondary", 3.46, "their share in percent"),
    _claim("the first five attributes are the quasi-identifier", 5, "default columns of the quasi-identifier"),
    _claim("10,000 queries are asked in each evaluation", 10000, "queries per evaluation, full size"),
    _claim("the expected selectivity is 0.05", 0.05, "selectivity"),
    _claim("experiments were conducted 100 times", 100, "repeated anonymizations, full size",
           because="three keys: the ranges over the keys are narrow, and the gallery is to be recomputed in minutes"),
    _claim("t is 0.2", 0.2, "t of t-closeness"),
    _claim("minConf is 1", 1, "minConf of Injector"),
    _claim("minExp is 0.9", 0.9, "minExp of Injector"),
    _claim("the table without unknown values has 5.4 MB (5.5 MB with them)", 5.4, "megabytes as text",
           because="the printed size is of UCI's files with all fifteen columns; the nine columns that are used are "
           "measured here"),
    _claim("about 87 % of individuals are uniquely identified by few attributes", 0.87,
           "share of people whose eight columns are unique", "report, section 1; short paper, section I",
           because="the figure is of the United States by sex, date of birth and ZIP code; Adult has neither of the "
           "latter two"),
)  # fmt: skip
