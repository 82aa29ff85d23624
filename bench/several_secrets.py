"""Several secrets: all worlds of random small tables against the claim, and Adult's occupation and education.

python bench/several_secrets.py [tables, default 1,000] [first seed, default 0]
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

from secret_worlds.known_values import try_random_table
from tables import ADULT, adult

import voile as vl

QUASI = ["age", "sex", "race", "marital-status", "workclass", "native-country"]


def count_worlds(tables: int, first: int) -> None:
    """Publish until so many tables were published, and compare all beliefs in all worlds with the claim."""
    start, seed, found, worst = time.process_time(), first, Counter[str](), -1.0
    while found["published"] < tables:
        trial = try_random_table(seed)
        seed += 1
        if trial is None:
            found["not published or too large to enumerate"] += 1
            continue
        found["published"] += 1
        found["of several groups"] += trial.groups > 1
        found["not verified"] += set(trial.answers) != {"holds"}
        found["attack above its bound"] += not trial.attacks_pass
        found["above the claim"] += trial.excess > 1e-9
        worst = max(worst, float(trial.excess))
    print(f"{dict(found)}, worst excess {worst:.1e}, {time.process_time() - start:.0f} s of CPU time")


def on_adult() -> None:
    """Publish with l = 2 for what is known and slack .1, and verify the folder."""
    data = vl.read(adult(None), vl.Schema(quasi=QUASI, sensitive=["occupation", "education"]))
    base = vl.MultiDiversity({"occupation": 4, "education": 3})
    given = {"occupation": 2, "education": 2}
    policies = {
        "nothing known": vl.Policy(base),
        "one value known": vl.Policy(base, vl.MultiDiversity(given, knowing=1, slack=0.1)),
        "one known or ruled out": vl.Policy(base, vl.MultiDiversity(given, knowing=1, excluding=1, slack=0.1)),
    }
    for title, policy in policies.items():
        for primary in ("occupation", "education"):
            method = vl.Decompose(primary=primary)
            vl.publish(data, policy, method)  # compiled
            start = time.process_time()
            release = vl.publish(data, policy, method)
            publishing = time.process_time() - start
            with tempfile.TemporaryDirectory() as place:
                folder = release.save(Path(place) / "out")
                start = time.process_time()
                verdict = vl.verify(folder)
                verifying = time.process_time() - start
            print(
                f"Adult, {title}, primary {primary}: {release.groups} groups, publish {publishing:.2f} s, verify "
                f"{verifying:.2f} s ({verifying / publishing:.1f} times), holds {verdict.holds}"
            )
            for finding in vl.audit(release, None, [vl.attacks.Chain(), vl.attacks.Exclusion()]).findings:
                belief = finding.belief
                means = f"mean {belief.mean:.3f}, worst {belief.worst:.3f}, without the release {belief.baseline:.3f}"
                print(f"  {finding.title}: {means}")


if __name__ == "__main__":
    numbers = list(map(int, sys.argv[1:]))
    count_worlds(*(numbers + [1000, 0][len(numbers) :]))
    if ADULT.exists():
        on_adult()
