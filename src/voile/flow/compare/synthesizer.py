"""Make a synthetic table with another interpreter, in which dpmm is installed.

No synthesizer can be installed beside voile (decision 38), so it runs in an environment of its own: a short script gets
codes on its standard input and returns codes on its standard output. No value of the table leaves this process, and
nothing is written to a disk. The lists of values are taken as public; numbers with many values are cut into stretches
of equal width, whatever the table holds, so that all of epsilon is spent on the synthesizer.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from voile.errors import SpecError
from voile.tables.microdata import Microdata
from voile.tables.schema import Column

SYNTHESIZERS = {"mst": "MSTPipeline", "aim": "AIMPipeline"}
STRETCHES = 64
NO_PACKAGE = 3
LARGEST_EPSILON = 100

SCRIPT = """
import io, json, sys
result, sys.stdout = sys.stdout, sys.stderr
try:
    import pandas
    from dpmm import pipelines
except ImportError:
    sys.exit(%d)
request = json.loads(sys.stdin.readline())
codes = pandas.read_csv(sys.stdin)
maker = getattr(pipelines, request["pipeline"])(epsilon=request["epsilon"], disable_processing=True)
try:
    maker.fit(codes, domain=request["domain"])
    drawn = maker.generate(n_records=len(codes))
except Exception as error:
    sys.exit(type(error).__name__)
drawn[list(codes.columns)].astype(int).to_csv(result, index=False)
""" % (NO_PACKAGE,)  # noqa: UP031 - the script has braces of its own


def check_synthesizer(name: str, epsilon: float, python: str | Path) -> None:
    """Raise SpecError unless there is such a synthesizer, such an interpreter, and the epsilon is in range."""
    if name not in SYNTHESIZERS:
        raise SpecError(
            f"There is no synthesizer {name!r}.",
            code="spec.synthesizer",
            hint=f"There are {' and '.join(SYNTHESIZERS)}, both of dpmm.",
        )
    if not epsilon <= LARGEST_EPSILON:
        raise SpecError(
            f"An epsilon above {LARGEST_EPSILON} protects nobody.", code="spec.epsilon", hint="Common are 0.1 to 10."
        )
    if not (Path(python).is_file() and os.access(python, os.X_OK)):
        raise SpecError(
            f"There is no interpreter {str(python)!r}.",
            code="spec.python",
            hint="Make an environment (python3.11 -m venv ENV), install dpmm in it (ENV/bin/pip install dpmm), and "
            "give ENV/bin/python.",
        )


def synthesize(
    data: Microdata, columns: Sequence[Column], name: str, epsilon: float, python: str | Path
) -> dict[str, np.ndarray]:
    """Return as many synthetic rows as the table has, by column, in codes of the table."""
    check_synthesizer(name, epsilon, python)
    stretches = {column.name: _cut_stretches(column) for column in columns}
    table = data.rows.histogram([column.name for column in columns])
    rows = np.repeat(np.arange(len(table.counts)), table.counts)
    names = {column.name: f"c{number}" for number, column in enumerate(columns)}  # dpmm sees no name either
    coded = pl.DataFrame({names[each]: stretches[each][table.column(each)][rows] for each in names})
    domain = {names[each]: int(place.max(initial=0)) + 1 for each, place in stretches.items()}
    request = {"pipeline": SYNTHESIZERS[name], "epsilon": epsilon, "domain": domain}
    drawn = _run_script(json.dumps(request) + "\n" + coded.write_csv(), python)
    return {each: _draw_codes(stretches[each], drawn[names[each]].to_numpy()) for each in names}


def _run_script(request: str, python: str | Path) -> pl.DataFrame:
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    run = subprocess.run([str(python), "-c", SCRIPT], input=request, capture_output=True, text=True, env=own)
    if run.returncode == NO_PACKAGE:
        raise SpecError(
            f"The interpreter {str(python)!r} has no package dpmm.",
            code="spec.python",
            hint=f"Install it there: {python} -m pip install dpmm",
        )
    if run.returncode:
        reason = (run.stderr.strip().splitlines() or ["no reason"])[-1]
        kind = reason if reason.isidentifier() else "an error"  # never the text, which may quote the table
        raise SpecError(
            f"dpmm ended with {kind}.",
            code="spec.synthesizer",
            hint="Try it in that environment by itself; columns with very many values are too wide for it.",
        )
    return pl.read_csv(io.StringIO(run.stdout))


def _cut_stretches(column: Column) -> np.ndarray:
    """Return the stretch of each code: the code itself, or for many numbers one of equal width."""
    domain = column.domain
    if column.size <= STRETCHES or not domain.uses_intervals:
        return np.arange(column.size)
    values = domain.numeric_values.astype(np.float64)
    place = np.minimum((values - values[0]) / (values[-1] - values[0]) * STRETCHES, STRETCHES - 1).astype(np.int64)
    place = np.unique(place, return_inverse=True)[1].reshape(-1)
    return np.append(place, place.max() + 1) if domain.missing else place


def _draw_codes(stretch: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Return a code in each drawn stretch, each as likely as the others."""
    order = np.argsort(stretch, kind="stable")
    starts = np.searchsorted(stretch[order], np.arange(stretch.max(initial=0) + 2))
    inside = np.random.default_rng(0).random(len(drawn)) * np.diff(starts)[drawn]
    return np.asarray(order[starts[drawn] + inside.astype(np.int64)])
