"""Where the system has no locks and cannot open folders, as on Windows, voile can be imported and publishes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

RUN = """
import os, sys
sys.modules["fcntl"] = None  # as if there were none
for name in ("O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC", "geteuid"):
    delattr(os, name)
import voile as vl
data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
release = vl.publish(data, vl.KAnonymity(k=5))
release.save("out")
release.save("out", force=True)
assert vl.verify("out").holds
assert sorted(os.listdir(".")) == ["out"], os.listdir(".")
"""


def test_a_release_is_published_and_replaced_without_locks(tmp_path: Path) -> None:
    process = subprocess.run([sys.executable, "-c", RUN], cwd=tmp_path, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
