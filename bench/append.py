"""Adult, 20 releases with 1 % of the people leaving and 1 % entering each time: what append loses against publishing
afresh, and how long it takes.

python bench/append.py [releases, default 20] [grouping, default mondrian]
"""

from __future__ import annotations

import sys
import time

import numpy as np
import polars as pl
from tables import QUASI, adult

import voile as vl
from voile.plugins.registry import build_plugin

SHARE = 0.01
START = 30_162  # people of the first release; the others enter later


def main(releases: int = 20, grouping: str = "mondrian") -> None:
    frame = adult(None).sample(fraction=1, shuffle=True, seed=1).with_row_index("id")
    cases = [
        ("k=5", vl.Policy(vl.KAnonymity(k=5)), "salary-class", QUASI),
        (
            "k=5, frequency 2-diversity of occupation",
            vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=2)),
            "occupation",
            [name for name in QUASI if name != "occupation"],
        ),
    ]
    for title, policy, sensitive, quasi in cases:
        print(title)
        compare(frame, policy, sensitive, quasi, releases, grouping)


def compare(
    frame: pl.DataFrame, policy: vl.Policy, sensitive: str, quasi: list[str], releases: int, grouping: str
) -> None:
    """Publish the same tables by append and afresh, and compare the losses."""
    rng = np.random.default_rng(1)
    present, entered = np.arange(START), START
    schema = vl.Schema(person="id", quasi=quasi, sensitive=[sensitive])
    method, afresh = vl.Append(grouping=build_plugin("methods", grouping, {})), build_plugin("methods", grouping, {})
    ledger, published, ratios, times = vl.Ledger(), [], [], np.zeros(3)
    for number in range(releases):
        if number:
            leaving = rng.choice(len(present), int(SHARE * len(present)), replace=False)
            present = np.append(np.delete(present, leaving), np.arange(entered, entered + len(leaving)))
            entered += len(leaving)
        data = vl.read(frame[present], schema)
        start = time.process_time()
        release = vl.publish(data, policy, method, after=published, ledger=ledger)
        middle = time.process_time()
        fresh = vl.publish(data, policy, afresh)
        times += (middle - start, time.process_time() - middle, 0)
        start = time.process_time()
        assert vl.verify(release, after=published).holds
        times[2] = time.process_time() - start
        losses = [vl.measures.Certainty()(data, made).value for made in (release, fresh)]
        ratios.append(losses[0] / losses[1])
        withheld = release.dictionary["withheld"]
        print(
            f"  {number + 1:2}: {release.people} rows, {release.absent} of leavers, {withheld} wait, {release.groups} "
            f"groups, loss {losses[0]:.4f} (afresh {losses[1]:.4f}, {fresh.groups} groups), ratio {ratios[-1]:.2f}"
        )
        published.append(release)
    print(f"  ratio: mean {np.mean(ratios):.3f}, last {ratios[-1]:.3f} (bar 1.3)")
    print(f"  processor time: append {times[0]:.1f} s, afresh {times[1]:.1f} s; the last verify {times[2]:.2f} s")


if __name__ == "__main__":
    main(*[int(argument) if argument.isdigit() else argument for argument in sys.argv[1:]])
