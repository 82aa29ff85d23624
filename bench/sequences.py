"""Sequences of releases: is anybody believed above the bound where publish accepts?

python bench/sequences.py [sequences, default 300] [seed, default 1]

Tables have 5 to 9 people and 2 to 4 values, sequences 2 to 4 releases with insertions, deletions and returns,
generalized or bucketized. Every offer goes through `publish --after --ledger`, and every world is enumerated apart from
it: for an adversary who knows who sits where, and for one who cannot tell people of one age apart, given any totals of
the values. Exit code 5 if an unsafe release was accepted.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

from release_sequences.joint_sequences import run_sequences


def main(number: int = 300, seed: int = 1) -> int:
    start = time.process_time()
    seen = run_sequences(number, seed)
    share = seen["safe and accepted"] / max(seen["safe"], 1)
    print(f"{seen['sequences']} sequences, {seen['offers']} offers, {seen['safe']} of them safe")
    print(f"accepted {seen['accepted']}, unsafe among them {seen['unsafe and accepted']}")
    print(f"of the safe offers accepted: {share:.2%}; {time.process_time() - start:.0f} s of processor time")
    return 5 if seen["unsafe and accepted"] else 0


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
