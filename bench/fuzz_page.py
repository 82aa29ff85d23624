"""Send random requests to the workbench: `python bench/fuzz_page.py 20000 [seed]`.

Prints how many answers had which status, and every escape: a status that is not documented, an error without a reason,
a cell where none may be shown, more than 30 s of computing, a file that is left after the visits.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "helpers"))

from page_fuzzing import fuzz_page

BLOCK = 1000  # requests to one workbench


def main(requests: int, seed: int) -> int:
    """Send requests in blocks, and return the number of escapes."""
    warnings.simplefilter("ignore")
    logging.getLogger("python_multipart.multipart").disabled = True
    start, escapes, sent = time.perf_counter(), 0, 0
    while sent < requests:
        with tempfile.TemporaryDirectory() as place:
            findings = fuzz_page(Path(place) / "work", min(BLOCK, requests - sent), seed)
        sent, seed, escapes = sent + BLOCK, seed + 1, escapes + len(findings.escapes)
        statuses = ", ".join(f"{status}: {count}" for status, count in sorted(findings.statuses.items()))
        seconds = time.perf_counter() - start
        print(f"{min(sent, requests):,} requests in {seconds:.0f} s, slowest {findings.slowest:.1f} s; {statuses}")
        for escape in findings.escapes:
            print(f"  ESCAPE {escape}")
    print(f"{escapes} escapes")
    return escapes


if __name__ == "__main__":
    numbers = [int(text) for text in sys.argv[1:3]]
    sys.exit(min(main(*(numbers + [2000, 1][len(numbers) :])), 1))
