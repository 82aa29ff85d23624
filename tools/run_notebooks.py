"""Run the notebooks of the documentation in Jupyter and write what their cells show into them: docs/notebooks/*.ipynb.

    python tools/run_notebooks.py [NAME ...]

Only what a reader sees is kept: no times, no versions, no counters. Nothing is written if nothing changed, and
tests/notebooks compares a run with what is committed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat as typed_nbformat
from nbclient import NotebookClient

nbformat: Any = typed_nbformat  # its functions have no types
ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "docs" / "notebooks"
PATIENCE = 300  # seconds for a cell, and for a kernel to start on a busy machine
SHOWN = ("text/plain", "text/html")


def main() -> None:
    """Run the notebooks that the arguments name, or all."""
    for path in [NOTEBOOKS / f"{name}.ipynb" for name in sys.argv[1:]] or sorted(NOTEBOOKS.glob("*.ipynb")):
        text = nbformat.writes(run_notebook(path)) + "\n"
        if text != path.read_text(encoding="utf-8"):
            path.write_text(text, encoding="utf-8")
            print(f"{path.name} has new outputs")


def run_notebook(path: Path) -> Any:
    """Run every cell of a notebook in an empty folder, with the voile of this checkout. Return it with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=PATIENCE,
            startup_timeout=PATIENCE,
            kernel_name="python3",
            extra_arguments=["--log-level=40"],  # the kernel would warn that a local connection is not encrypted
            resources={"metadata": {"path": folder}},
            store_widget_state=False,
        )
        client.execute(env={**os.environ, "PYTHONPATH": str(ROOT / "src")})
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": {"name": "python"}}
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = [clean_output(output) for output in cell.outputs]
    return notebook


def clean_output(output: Any) -> Any:
    """Keep the text of an output, as plain text and as HTML."""
    if output.output_type == "execute_result":
        output.execution_count = None
        output.metadata = {}
        output.data = {kind: output.data[kind] for kind in SHOWN if kind in output.data}
    return output


if __name__ == "__main__":
    main()
