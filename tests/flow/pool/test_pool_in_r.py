"""The guide for R, executed: R pools the same regression to the same numbers."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import voile as vl

GUIDE = Path(__file__).parents[3] / "docs" / "recipients.md"
PRINTED = (
    "result <- summary(pooled)",
    'write.csv(data.frame(result, df = pooled$df, missing = pooled$missinfo), "pooled.csv")',
)


def _has_mitools() -> bool:
    script = shutil.which("Rscript")
    return bool(script) and not subprocess.run([str(script), "-e", "library(mitools)"], capture_output=True).returncode


@pytest.mark.skipif(not _has_mitools(), reason="needs R with the package mitools")
def test_r_gives_the_same_pooled_regression(tmp_path: Path) -> None:
    sm = pytest.importorskip("statsmodels.api")
    schema = vl.Schema(identifier=["name"], quasi=["birth", "sex", "zip"], sensitive=["disease"])
    release = vl.publish(vl.read(vl.datasets.hospital(), schema), vl.KAnonymity(k=5), key=vl.Key(bytes(32)))
    tables = release.complete(20)
    tables.save(tmp_path / "tables.csv")
    (block,) = re.findall(r"```r\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "guide.R").write_text("\n".join([block, *PRINTED]), encoding="utf-8")
    subprocess.run([str(shutil.which("Rscript")), "guide.R"], cwd=tmp_path, check=True, capture_output=True)
    found = np.genfromtxt(tmp_path / "pooled.csv", delimiter=",", skip_header=1)[:, 1:]

    fits = []
    for table in tables:
        frame = table.to_pandas()
        days = (frame["birth"].astype("datetime64[ns]") - np.datetime64("1970-01-01")).dt.days
        x = sm.add_constant(np.column_stack([(frame["sex"] == "Male").astype(float), days]))
        fits.append(sm.Logit((frame["disease"] == "Asthma").astype(float), x).fit(disp=0))
    own = vl.pool(fits)
    estimate, error, low, high, _, freedom, missing = found.T  # the fifth column is a text
    np.testing.assert_allclose(estimate, own.estimate, rtol=1e-5)
    np.testing.assert_allclose(error, own.standard_error, rtol=1e-5)
    np.testing.assert_allclose(low, own.low, rtol=1e-4)
    np.testing.assert_allclose(high, own.high, rtol=1e-4)
    np.testing.assert_allclose(freedom, own.degrees_of_freedom, rtol=1e-2)
    np.testing.assert_allclose(missing, own.missing_information, rtol=1e-2)
