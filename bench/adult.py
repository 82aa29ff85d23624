"""Loss on Adult (30,162 rows, 8 columns, k=5), by voile's measure and, if it is installed, by the independent tool."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from clock import best, show
from tables import ADULT, HIERARCHIES, QUASI, adult

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


if __name__ == "__main__" and ADULT.exists():
    main()
