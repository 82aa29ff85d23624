"""Write the pins anew: `python tests/pinned/write.py`, with `--time` to see what takes long, `--check` to compare only.

Do this only where behaviour was changed on purpose, and look at every line that differs.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))


def main() -> None:
    from pinned.pins import cases, observed, pinned, write

    found, before = {}, pinned()
    for name, work in cases().items():
        start = time.perf_counter()
        found[name] = observed(work)
        if "--time" in sys.argv:
            print(f"{time.perf_counter() - start:7.2f} s  {name}", flush=True)
    different = [name for name in {**before, **found} if before.get(name) != found.get(name)]
    print(f"{len(found)} cases; {len(different)} differ from what was pinned.")
    for name in different if before else ():
        print(f"  {name}")
    if "--check" in sys.argv:
        raise SystemExit(1 if different else 0)
    write(found)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as state:
        os.environ["XDG_STATE_HOME"] = state  # what voile keeps for a user stays out of the way
        main()
