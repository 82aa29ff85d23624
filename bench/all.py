"""Run every benchmark, one after another: python bench/all.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

NAMES = (
    "startup",
    "adult",
    "audit",
    "queries",
    "mondrian",
    "anatomy",
    "decompose",
    "minimality",
    "pipeline",
    "pg",
    "art",
)

for name in (*NAMES, "compare", "web", "disk", "spark"):
    print(f"== {name}", flush=True)
    subprocess.run([sys.executable, str(Path(__file__).parent / f"{name}.py")], check=False)
