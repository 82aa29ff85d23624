"""Time `voile --help`."""

from __future__ import annotations

import subprocess
import sys

from clock import best, show

took, _ = best(lambda: subprocess.run([sys.executable, "-m", "voile", "--help"], check=True, capture_output=True), 5)
show("voile --help", took, 0.5, 1)
