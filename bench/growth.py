"""How every verb grows with rows and columns: CPU seconds and memory, each measurement in a process of its own.

    python bench/growth.py [--out FOLDER] [--cap SECONDS] [--page PAGE] [VERB ...]

Prints the tables of docs/growth.md, or writes them into that page. The rows are 10 k, 100 k and 1 M of 10 columns, the
columns 5, 10, 20 and 40 of 10 k rows: independent columns of 2 to 73 values, the last one sensitive. Time is CPU time
of the verb alone, on all threads, the least of three where one takes under a second. Each process publishes 100 k rows
and runs the verb on 10 k rows of 5 columns before, so that loading libraries and kernels does not count. A measurement
that takes longer than the cap is stopped, and larger ones of the verb are not tried. FOLDER keeps tables and results,
so that a run that was interrupted goes on.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import voile as vl

SIZES = [(10_000, 5), (10_000, 10), (10_000, 20), (10_000, 40), (100_000, 10), (1_000_000, 10)]
STEPS = {  # what an exponent is told of: the sizes, and how much larger the second is
    "rows, to 100 k": ((10_000, 10), (100_000, 10), 10),
    "rows, to 1 M": ((100_000, 10), (1_000_000, 10), 10),
    "columns, 10 to 20": ((10_000, 10), (10_000, 20), 2),
    "columns, 20 to 40": ((10_000, 20), (10_000, 40), 2),
}
TIMES, MEMORY = "<!-- times -->", "<!-- memory -->"  # each stands before and after its table in the page
DOMAINS = (73, 2, 17, 57, 50, 9, 8, 6, 30)
KEY = vl.Key(bytes(32))
POLICY = vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=2))
ROBUST = vl.RRobustness(r=2, protect=("v7",), max_columns=1)
METHODS: dict[str, tuple[Any, Any]] = {
    "mondrian": (POLICY, vl.Mondrian()),
    "cluster": (POLICY, vl.Cluster()),
    "full-domain": (POLICY, vl.FullDomain(suppression=0.05)),
    "local-recoding": (POLICY, vl.LocalRecoding()),
    "accounted-cuts": (vl.LDiversity(l=2), vl.AccountedCuts()),
    "anatomy": (vl.LDiversity(l=3), vl.Anatomy()),
    "injector": (vl.LDiversity(l=3), vl.Injector()),
    "art": (ROBUST, vl.Art()),
    "capped-counts": (ROBUST, vl.CappedCounts()),
    "mask": (vl.MConfidentiality(m=2, protect=("v7",)), vl.Mask()),
    "decompose": (vl.MultiDiversity({"secret": 3}), vl.Decompose()),
    "perturbed-generalization": (vl.AntiCorruption(growth=0.3, skew=0.25), vl.PerturbedGeneralization()),
    "append": (vl.LDiversity(l=2), vl.Append()),
    "republish": (vl.MInvariance(m=3), vl.Republish()),
}
Work = Callable[[], Any]
Setting = Callable[[Path, int], Work]  # prepares a measurement, and returns what is measured


def make_table(rows: int, columns: int) -> pl.DataFrame:
    """Return independent columns; the same size always gives the same rows."""
    rng = np.random.default_rng(1)
    frame = {"person": np.arange(rows)}
    frame |= {f"c{i}": rng.integers(0, DOMAINS[i % len(DOMAINS)], rows) for i in range(columns - 1)}
    shares = np.array([20, 17, 14, 12, 11, 10, 9, 7]) / 100
    secret = np.array([f"v{i}" for i in range(8)])[rng.choice(8, rows, p=shares)]
    return pl.DataFrame({**frame, "secret": secret})


def prepare_folder(folder: Path, rows: int, columns: int) -> Path:
    """Write the table and a release of it, once per size."""
    place = folder / f"{rows}x{columns}"
    if not (place / "release").exists():
        place.mkdir(parents=True, exist_ok=True)
        table = make_table(rows, columns)
        table.write_parquet(place / "table.parquet")
        table.write_csv(place / "table.csv")
        vl.publish(read_table(place, columns), POLICY, vl.Mondrian(), key=KEY).save(place / "release")
    return place


def choose_schema(columns: int, **more: Any) -> vl.Schema:
    """Return the roles of a table; the first column is read only where it is asked for."""
    return vl.Schema(quasi=[f"c{i}" for i in range(columns - 1)], sensitive=["secret"], **more)


def read_table(place: Path, columns: int, **more: Any) -> Any:
    """Read the table of a size."""
    return vl.read(place / "table.parquet", choose_schema(columns, **more))


def publish_by(name: str) -> Setting:
    """Return the setting that publishes by one method."""
    policy, method = METHODS[name]
    more = {"person": "person"} if name in ("append", "republish") else {}

    def prepare(place: Path, columns: int) -> Work:
        data = read_table(place, columns, **more)
        return lambda: vl.publish(data, policy, method, key=KEY)

    return prepare


def on_data(verb: Callable[[Any], Any]) -> Setting:
    """Return the setting of a verb that takes a table that was read."""

    def prepare(place: Path, columns: int) -> Work:
        data = read_table(place, columns)
        return lambda: verb(data)

    return prepare


def on_release(verb: Callable[[Any], Any]) -> Setting:
    """Return the setting of a verb that takes a release as a recipient has it."""

    def prepare(place: Path, columns: int) -> Work:
        release = vl.load(place / "release")
        return lambda: verb(release)

    return prepare


def on_both(verb: Callable[[Any, Any], Any]) -> Setting:
    """Return the setting of a verb that takes a table and a release of it."""

    def prepare(place: Path, columns: int) -> Work:
        data, release = read_table(place, columns), vl.load(place / "release")
        return lambda: verb(data, release)

    return prepare


def compare_two(data: Any) -> Any:
    """Compare two methods, with every attack that applies."""
    return vl.compare(data, POLICY, methods=[vl.Mondrian(), vl.Anatomy()])


def report_all(place: Path, columns: int) -> Work:
    """Prepare a report of an audit and a measure, and return its drawing."""
    data, release = read_table(place, columns), vl.load(place / "release")
    audit = vl.audit(release, data, [vl.attacks.Linking(), vl.attacks.Homogeneity()])
    loss = vl.measure(data, release, [vl.measures.Certainty()])
    return lambda: vl.report(release, audit, loss).save(place / f"report{columns}.html")


VERBS: dict[str, Setting] = {
    "read (CSV)": lambda place, columns: lambda: vl.read(place / "table.csv", choose_schema(columns)),
    "read (Parquet)": lambda place, columns: lambda: read_table(place, columns),
    "prepare": lambda place, columns: lambda: vl.prepare(place / "table.parquet", pseudonym="person", key=KEY),
    "inspect": lambda place, columns: lambda: vl.inspect(place / "table.parquet", choose_schema(columns)),
    "recommend": on_data(vl.recommend),
    "advise": on_data(lambda data: vl.advise(data, POLICY)),
    "foresee": on_data(lambda data: vl.foresee(data, POLICY)),
    "learn_prior": on_data(lambda data: vl.learn_prior(data, max_columns=2)),
    **{f"publish, {name}": publish_by(name) for name in METHODS},
    "save": on_both(lambda data, release: release.save(Path("saved"), force=True)),
    "load": lambda place, columns: lambda: vl.load(place / "release"),
    "verify": lambda place, columns: lambda: vl.verify(place / "release"),
    "audit": on_both(lambda data, release: vl.audit(release, data)),
    "measure": on_both(lambda data, release: vl.measure(data, release)),
    "distributions": on_both(lambda data, release: vl.distributions(data, release)),
    "preview": on_both(lambda data, release: vl.preview(data, release)),
    "compare, 2 methods": on_data(compare_two),
    "report": report_all,
    "count": on_release(lambda release: release.count(c0=(20, 40), secret="v0")),
    "query": on_release(lambda release: release.query("select c1, count(*), avg(c0) from t group by c1")),
    "complete, 20 draws": on_release(lambda release: [table.height for table in release.complete(20)]),
}


def measure_here(verb: str, folder: Path, rows: int, columns: int, cap: int) -> None:
    """Measure once, in this process, and print the result as JSON."""
    place, first_rows, first_columns = folder / f"{rows}x{columns}", *SIZES[0]
    try:
        load_kernels()
        VERBS[verb](folder / f"{first_rows}x{first_columns}", first_columns)()
        seconds = clock(VERBS[verb](place, columns), cap)
        if seconds < 1:
            seconds = min(seconds, *(clock(VERBS[verb](place, columns), cap) for _ in range(2)))
        found: dict[str, Any] = {"seconds": seconds}
    except vl.errors.VoileError as error:
        found = {"refused": error.code}
    print(json.dumps({**found, "mebibytes": read_peak()}))


def load_kernels() -> None:
    """Read and publish a table that is large enough for compiled kernels."""
    data = vl.read(make_table(100_000, 5), choose_schema(5))
    vl.publish(data, POLICY, vl.Mondrian(), key=KEY)


def clock(work: Work, cap: int) -> float:
    """Return the CPU seconds of some work, on all threads; the process ends at the cap."""
    start = time.process_time()
    limit = math.ceil(start) + cap
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
    work()
    return time.process_time() - start


def read_peak() -> float:
    """Return the most memory that this process had: `ru_maxrss` would begin with that of its parent."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def measure_apart(verb: str, folder: Path, rows: int, columns: int, cap: int) -> dict[str, Any]:
    """Measure in a process of its own, which is ended at the cap."""
    call = [sys.executable, __file__, "--out", str(folder), "--cap", str(cap), "--here", f"{rows}x{columns}", verb]
    done = subprocess.run(call, capture_output=True, text=True, cwd=folder)
    if done.returncode < 0:
        return {"stopped": cap}
    if done.returncode:
        sys.exit(f"{verb}, {rows} x {columns}:\n{done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def run_all(verbs: list[str], folder: Path, cap: int) -> dict[str, dict[str, Any]]:
    """Measure every verb at every size, the small ones first. What was measured before is kept."""
    store = folder / "growth.json"
    results: dict[str, dict[str, Any]] = json.loads(store.read_text()) if store.exists() else {}
    for rows, columns in SIZES:
        prepare_folder(folder, rows, columns)
        for verb in verbs:
            known = results.setdefault(verb, {})
            size = f"{rows}x{columns}"
            smaller = [
                known.get(f"{r}x{c}", {}) for r, c in SIZES if r <= rows and c <= columns and (r, c) != (rows, columns)
            ]
            if size not in known and not any("seconds" not in found for found in smaller):
                known[size] = measure_apart(verb, folder, rows, columns, cap)
                print(f"{size} {verb}: {known[size]}", file=sys.stderr, flush=True)
                store.write_text(json.dumps(results))
    return results


def write_times(results: dict[str, dict[str, Any]]) -> str:
    """Write the table of CPU seconds, with the exponents of the steps between sizes."""
    lines = ["| verb | " + " | ".join([*map(write_size, SIZES), *STEPS]) + " |"]
    lines.append("|---|" + "---:|" * (len(SIZES) + len(STEPS)))
    for verb, known in results.items():
        cells = [write_cell(known.get(f"{rows}x{columns}"), "seconds") for rows, columns in SIZES]
        grown = [write_exponent(known, *step) for step in STEPS.values()]
        lines.append(f"| {verb} | " + " | ".join([*cells, *grown]) + " |")
    return "\n".join(lines)


def write_memory(results: dict[str, dict[str, Any]]) -> str:
    """Write the table of peak memory."""
    lines = ["| verb | " + " | ".join(map(write_size, SIZES)) + " |", "|---|" + "---:|" * len(SIZES)]
    for verb, known in results.items():
        cells = [write_cell(known.get(f"{rows}x{columns}"), "mebibytes") for rows, columns in SIZES]
        lines.append(f"| {verb} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_page(page: Path, results: dict[str, dict[str, Any]]) -> None:
    """Replace the tables of the page, each of which stands between two marks."""
    text = page.read_text(encoding="utf-8")
    for mark, table in ((TIMES, write_times(results)), (MEMORY, write_memory(results))):
        before, _, after = text.split(mark)
        text = f"{before}{mark}\n\n{table}\n\n{mark}{after}"
    page.write_text(text, encoding="utf-8")


def write_size(size: tuple[int, int]) -> str:
    return f"{size[0] // 1000:,} k x {size[1]}"


def write_cell(found: dict[str, Any] | None, part: str) -> str:
    """Write a measurement: a number, that it was stopped or refused, or nothing."""
    if found is None:
        return ""
    if "stopped" in found:
        return f"over {found['stopped']}" if part == "seconds" else ""
    if "refused" in found:
        return "refused" if part == "seconds" else ""
    return f"{found[part]:.2f}" if part == "seconds" else f"{found[part]:,.0f}"


def write_exponent(known: dict[str, Any], small: tuple[int, int], large: tuple[int, int], factor: int) -> str:
    """Write the power of the size by which time grew between two sizes; empty where one is too short to tell."""
    first, last = (known.get(f"{rows}x{columns}", {}).get("seconds", 0) for rows, columns in (small, large))
    return f"{math.log(last / first) / math.log(factor):.2f}" if first > 0.005 and last > 0.02 else ""


def main() -> None:
    """Measure what the arguments name, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("growth"), help="the folder of tables and results")
    parser.add_argument("--cap", type=int, default=120, help="CPU seconds after which a measurement is stopped")
    parser.add_argument("--page", type=Path, help="the page whose tables are written, e.g. docs/growth.md")
    parser.add_argument("--here", help=argparse.SUPPRESS)
    parser.add_argument("verbs", nargs="*")
    choice = parser.parse_args()
    folder = choice.out.resolve()
    if choice.here:
        rows, columns = map(int, choice.here.split("x"))
        measure_here(choice.verbs[0], folder, rows, columns, choice.cap)
        return
    results = run_all(choice.verbs or list(VERBS), folder, choice.cap)
    if choice.page is not None:
        write_page(choice.page, results)
    else:
        print(write_times(results), write_memory(results), sep="\n\n")


if __name__ == "__main__":
    main()
