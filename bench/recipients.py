"""What recipients get: intervals, certain bounds, regressions on completions, and what they cost.

    python bench/recipients.py              # everything, some minutes
    python bench/recipients.py intervals    # or regression, speed
    python bench/recipients.py FOLDER       # intervals on Census-Income (see bench/population.py for the folder)

Intervals: all two-way tables of Adult (30,162 rows; ages in tens), cells with 30 people or more. `open` cells are those
that the release does not show exactly. Regression: ten coefficients of a logistic regression. Speed: ratios of CPU.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
from clock import show
from population import read_census
from tables import ADULT, adult, bootstrapped_adult

import voile as vl
from voile.releases.queries.query import Condition, Query
from voile.releases.release import Release
from voile.tables.microdata import Microdata

KEY = vl.Key(bytes(range(32)))
ROWS = 30_162
CENSUS_ROWS = 50_000
CENSUS = {  # by position; whoever has no job has no occupation either, which is too frequent for Anatomy
    "age": 0,
    "worker": 1,
    "education": 4,
    "marital": 7,
    "race": 10,
    "sex": 12,
    "country": 34,
    "occupation": 9,
    "income": 41,
}
PEOPLE = 30
KEYS = 5
COLUMNS = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass", "salary-class"]


def read_adult(sensitive: str) -> tuple[Microdata, pl.DataFrame]:
    return read_frame(adult(ROWS), sensitive)


def read_census_income(folder: Path) -> Callable[[str], tuple[Microdata, pl.DataFrame]]:
    """Return how to read Census-Income: everybody, or those with a job where the occupation is sensitive."""
    census = read_census(folder)
    frame = census.select(pl.col(census.columns[place]).alias(name) for name, place in CENSUS.items())
    frame = frame.with_columns(pl.col("age").cast(pl.Int64))
    workers = frame.filter(pl.col("occupation") != "Not in universe")
    return lambda sensitive: read_frame((workers if sensitive == "occupation" else frame).head(CENSUS_ROWS), sensitive)


def read_frame(frame: pl.DataFrame, sensitive: str) -> tuple[Microdata, pl.DataFrame]:
    quasi = [name for name in frame.columns if name != sensitive]
    return vl.read(frame, vl.Schema(quasi=quasi, sensitive=[sensitive])), frame


def releases(
    read: Callable[[str], tuple[Microdata, pl.DataFrame]], sensitive: str
) -> Iterator[tuple[str, Release, pl.DataFrame, bool]]:
    """Yield releases by name, with the table behind them and whether they have a bar."""
    data, frame = read(sensitive)
    jobs, jobs_frame = read("occupation")
    diverse = vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=2, form="distinct"))
    close = vl.Policy(vl.KAnonymity(k=5), vl.TCloseness(t=0.2))
    yield "mondrian k=5", vl.publish(data, vl.KAnonymity(k=5), vl.Mondrian(), key=KEY), frame, True
    yield "mondrian k=10", vl.publish(data, vl.KAnonymity(k=10), vl.Mondrian(), key=KEY), frame, True
    yield "mondrian k=5, 2-diversity", vl.publish(data, diverse, vl.Mondrian(), key=KEY), frame, True
    yield "cluster k=5", vl.publish(data, vl.KAnonymity(k=5), vl.Cluster(), key=KEY), frame, True
    yield "anatomy l=5", vl.publish(jobs, vl.LDiversity(l=5), vl.Anatomy(), key=KEY), jobs_frame, True
    perturbed = vl.AntiCorruption(rho1=0.2, rho2=0.5)
    yield "perturbed", vl.publish(jobs, perturbed, vl.PerturbedGeneralization(), key=KEY), jobs_frame, True
    yield "mondrian k=5, t=0.2", vl.publish(data, close, vl.Mondrian(), key=KEY), frame, False
    loose = vl.FullDomain(suppression=0.05)
    yield "full-domain k=5", vl.publish(data, vl.KAnonymity(k=5), loose, key=KEY), frame, False


def list_lines(column: pl.Series) -> list[tuple[Condition, np.ndarray]]:
    """Return the conditions of a column's lines, and who satisfies each: every value, or every ten years."""
    if column.dtype.is_numeric():
        starts = range(int(column.min()) // 10 * 10, int(column.max()) + 1, 10)  # type: ignore[arg-type]
        return [(Condition(low=a, high=a + 9), ((column >= a) & (column <= a + 9)).to_numpy()) for a in starts]
    return [(Condition(values=(value,)), (column == value).to_numpy()) for value in column.unique().sort()]


def measure_intervals(read: Callable[[str], tuple[Microdata, pl.DataFrame]], sensitive: str) -> None:
    print(f"{'':28}{'cells':>6}{'open':>6}{'inside':>8}{'of open':>8}{'bounds':>8}{'width':>8}{'error':>8}")
    for name, release, frame, bar in releases(read, sensitive):
        lines = {column: list_lines(frame[column]) for column in frame.columns}
        found = []
        for one, other in itertools.combinations(frame.columns, 2):
            for (a, fits), (b, suits) in itertools.product(lines[one], lines[other]):
                truth = int((fits & suits).sum())
                if truth >= PEOPLE:
                    count = release.counting.count(Query({one: a, other: b}))
                    ends = (count.at_least, count.at_most) if count.low is None else (count.low, count.high)
                    found.append((truth, count.estimate, *ends, count.at_least, count.at_most, count.low is None))
        table = np.array(found, dtype=np.float64)
        truth, estimate, low, high, least, most, missing = table.T
        inside, certain, wide = (low <= truth) & (truth <= high), (least <= truth) & (truth <= most), most > least
        width = np.median(((high - low) / np.maximum(most - least, 1))[wide])
        error = np.median((abs(estimate - truth) / truth)[wide])
        shown = "none" if missing[wide].all() else f"{inside.mean():.3f}"
        print(
            f"{name:28}{len(table):>6}{int(wide.sum()):>6}{shown:>8}{inside[wide].mean():>8.3f}{certain.mean():>8.4f}"
            f"{width:>8.3f}{error:>8.3f}{'' if bar else '  (no bar)'}",
            flush=True,
        )


def fit_salaries(table: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the coefficients of a logistic regression of a high salary, and their variances (Newton's method)."""
    school, marriage = table["education"], table["marital-status"]
    columns = [
        np.ones(table.height),
        table["age"].to_numpy() / 10,
        table["sex"] == "Male",
        school == "HS-grad",
        school.is_in(["Some-college", "Assoc-acdm", "Assoc-voc"]),
        school.is_in(["Bachelors", "Masters", "Doctorate", "Prof-school"]),
        marriage == "Married-civ-spouse",
        marriage == "Never-married",
        table["race"] == "White",
        table["native-country"] == "United-States",
    ]
    x = np.column_stack([np.asarray(column, dtype=np.float64) for column in columns])
    y, beta = (table["salary-class"] == ">50K").to_numpy().astype(np.float64), np.zeros(x.shape[1])
    for _ in range(12):
        chance = 1 / (1 + np.exp(-x @ beta))
        inverse = np.linalg.inv((x * (chance * (1 - chance))[:, None]).T @ x)
        beta = beta + inverse @ (x.T @ (y - chance))
    return beta, np.diag(inverse)


def measure_regressions() -> None:
    data, frame = read_adult("salary-class")
    truth, _ = fit_salaries(frame)
    for k in (5, 10):
        inside = []
        for number in range(KEYS):
            release = vl.publish(data, vl.KAnonymity(k=k), vl.Mondrian(), key=vl.Key(bytes([number]) * 32))
            fits = [fit_salaries(table) for table in release.complete(20, key=number)]
            pooled = vl.pool([beta for beta, _ in fits], [variance for _, variance in fits])
            inside.append(int(((pooled.low <= truth) & (truth <= pooled.high)).sum()))
        print(f"mondrian k={k}: coefficients of {len(truth)} inside the pooled interval, by key: {inside}", flush=True)


def time_cpu(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def measure_speed() -> None:
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "census.csv"
        frame = bootstrapped_adult(200_000).select(COLUMNS)
        frame.write_csv(file)
        schema = vl.Schema(quasi=frame.columns[:7], sensitive=[frame.columns[7]])
        vl.read(str(file), schema)
        reading = min(time_cpu(lambda: vl.read(str(file), schema)) for _ in range(3))
        release = vl.publish(vl.read(str(file), schema), vl.KAnonymity(k=5), vl.Mondrian(), key=KEY)
        release.complete(2)
        drawing = time_cpu(lambda: release.complete(20))
        show("completions of 200,000 x 8, 20 draws, against vl.read, CPU", drawing, reading, 30)
    frame = bootstrapped_adult(1_000_000).select(COLUMNS)
    quasi, sensitive = frame.columns[:7], frame.columns[7]
    data = vl.read(frame, vl.Schema(quasi=quasi, sensitive=[sensitive]))
    release = vl.publish(data, vl.KAnonymity(k=5), vl.Mondrian(), key=KEY)
    release.query("select count(*) from t", draws=10)
    connection = duckdb.connect(":memory:")
    connection.register("incoming", frame.with_columns(pl.col(pl.Enum).cast(pl.String)).to_arrow())
    connection.execute("create table t as select * from incoming")
    for sql in (
        "select sex, count(*), avg(age) from t where age between 30 and 50 group by sex",
        "select education, count(*) from t group by education",
        "select count(*) from t where not (sex = 'Male' or age < 40)",
    ):
        own = min(time_cpu(lambda sql=sql: connection.execute(sql).fetchall()) for _ in range(5))
        pooled = min(time_cpu(lambda sql=sql: release.query(sql, draws=10)) for _ in range(3))
        show(f"{sql[:40]} ... of 1,000,000 x 10 draws, against DuckDB, CPU", pooled, own, 10)


if __name__ == "__main__" and ADULT.exists():
    parts = sys.argv[1:] or ["intervals", "regression", "speed"]
    if "intervals" in parts:
        measure_intervals(read_adult, "salary-class")
    if "regression" in parts:
        measure_regressions()
    if "speed" in parts:
        measure_speed()
    for folder in (Path(part) for part in parts if Path(part).is_dir()):
        measure_intervals(read_census_income(folder), "income")
