"""Random requests to ART in thousands: none may end in BrokenPromise, and every certificate must find what a slow
recount finds. Prints the seeds that differ. `python bench/answers.py 2000`"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))
from robust_requests import random_request, recount_worst

import voile as vl
from voile.errors import VoileError


def main() -> None:
    outcomes: Counter[str] = Counter()
    for seed in range(int(sys.argv[1]) if len(sys.argv) > 1 else 2000):
        request = random_request(seed)
        with tempfile.TemporaryDirectory() as place:
            private = Path(place) / "private.json"
            try:
                release = vl.publish(request.data, request.model, request.method, key=request.key, private=private)
            except VoileError as error:
                outcomes[type(error).__name__] += 1
                if type(error).__name__ == "BrokenPromise":
                    print(f"seed {seed}: {error}")
                continue
            if not vl.verify(release.save(Path(place) / "out"), private=private).holds:
                outcomes["not verified"] += 1
                print(f"seed {seed} does not verify")
        worst, found = recount_worst(request, release), release.certificate.claims[0]["found"]["worst_belief"]
        same = worst is None or abs(worst - found) < 2e-6
        outcomes["not recounted" if worst is None else "same" if same else "different"] += 1
        if not same:
            print(f"seed {seed}: {found} found, {worst:.6f} recounted")
    print(dict(outcomes))


if __name__ == "__main__":
    main()
