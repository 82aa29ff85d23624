"""Loss on Adult (30,162 rows, 8 columns, k=5), by voile's measure and, if it is installed, by the independent tool; and
the CPU time of full-domain on it against DuckDB's group by of 5 million rows of eight integers."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import duckdb
from clock import best, show
from tables import ADULT, HIERARCHIES, QUASI, adult, distinct_codes

import voile as vl

TOOL = ADULT.parents[1] / "tools" / "loss.py"


def independent(release, original: Path) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as place:
        release.save(Path(place) / "out", format="csv")
        command = [
            sys.executable,
            str(TOOL),
            str(original),
            str(Path(place) / "out" / "table.csv"),
            "--quasi",
            ",".join(QUASI),
        ]
        command += ["--numeric", "age", "--hierarchies", str(HIERARCHIES), "--k", "5", "--sensitive", "salary-class"]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def time_full_domain(data: vl.Microdata) -> None:
    """Compare CPU times in turn, because the machine may be busy."""
    connection = duckdb.connect()
    connection.register("source", distinct_codes(5_000_000).to_arrow())
    connection.execute("create table people as select * from source")
    ours, theirs = [], []
    for _ in range(5):
        start = time.process_time()
        vl.publish(data, vl.Policy(vl.KAnonymity(k=5)), vl.FullDomain(suppression=0.05))
        ours.append(time.process_time() - start)
        start = time.process_time()
        connection.execute("create or replace table grouped as select *, count(*) c from people group by all")
        theirs.append(time.process_time() - start)
    show("full domain on Adult / group by of 5 million x 8", median(ours), median(theirs), 0.7)


def main() -> None:
    frame = adult()
    trees = {name: HIERARCHIES / f"{name}.csv" for name in QUASI}
    data = vl.read(frame, vl.Schema(quasi=QUASI, sensitive=["salary-class"], hierarchies=trees))
    k = vl.KAnonymity(k=5)
    cases = [
        ("Mondrian, k=5", vl.Policy(k), vl.Mondrian(), 0.029),
        (
            "Mondrian, k=5, distinct 2-diversity",
            vl.Policy(k, vl.LDiversity(l=2, form="distinct")),
            vl.Mondrian(),
            0.067,
        ),
        ("full domain, k=5, at most 5 % withheld", vl.Policy(k), vl.FullDomain(suppression=0.05), 0.291),
    ]
    with tempfile.TemporaryDirectory() as place:
        original = Path(place) / "adult.csv"
        frame.write_csv(original)
        for name, policy, method, bar in cases:
            vl.publish(data, policy, method)
            took, release = best(lambda policy=policy, method=method: vl.publish(data, policy, method))
            loss = vl.measures.Certainty()(data, release).value
            withheld = release.dictionary["withheld"]
            print(f"{name}: {took:.3f} s once compiled, {release.groups} groups, withheld {withheld}")
            show(f"  GCP of {name}", loss, bar, 1, "")
            if TOOL.exists():
                print(f"  independent: {independent(release, original)}")
    time_full_domain(data)


if __name__ == "__main__" and ADULT.exists():
    main()
