"""The minimality attack on Adult, its closed form at growing sizes, and MASK: its time against its k-anonymizer alone,
and the share of cells that it changes.

    python bench/minimality.py [rows] [mask]    with `mask`, MASK alone
"""

from __future__ import annotations

import sys

import numpy as np
from clock import best, show
from tables import ADULT, HIERARCHIES, adult

import voile as vl
from voile.kernels import lazy_module

minimality_kernel = lazy_module("voile.attacks.minimality.kernel")

LOW = ("Preschool", "1st-4th", "5th-6th", "7th-8th")


def closed_form(scale: int):
    """Attack one group that merges 20 original groups, a tenth of its rows sensitive, l = 2."""
    sizes = np.sort(np.resize([40, 50, 60, 75], 20)) * scale
    counts = np.array([int(sizes.sum()) // 10])
    rows = np.unique(sizes)
    states = np.arange(counts[0] + 1)
    fine = np.stack([2 * states <= size for size in rows])
    row = np.searchsorted(rows, sizes)
    return lambda: minimality_kernel.convolve_parts(sizes, row, fine, counts, int(sizes.sum() - counts[0]))


def growth() -> None:
    closed_form(1)()
    times = [best(closed_form(scale), 5)[0] for scale in (4, 8, 16, 32)]
    for scale, less, more in zip((8, 16, 32), times, times[1:], strict=False):
        show(f"closed form, class sizes doubled to {scale} times", more, less, 4)


def attacked(frame) -> None:
    quasi = [name for name in frame.columns if name != "education"]
    trees = {name: HIERARCHIES / f"{name}.csv" for name in quasi}
    data = vl.read(frame, vl.Schema(quasi=quasi, sensitive=["education"], hierarchies=trees))
    register = vl.read(frame.select(quasi), vl.Schema(quasi=quasi, hierarchies=trees))
    for policy in (vl.LDiversity(l=2), vl.AlphaK(alpha=0.5, k=2, protect=LOW)):
        for method in (vl.FullDomain(), vl.FullDomain(suppression=0.02), vl.Mondrian()):
            release = vl.publish(data, policy, method)
            attack = vl.attacks.Minimality()
            took, guesses = best(lambda attack=attack, release=release: attack.guesses(release, register), 1)
            belief = guesses[-1].belief
            print(f"{policy.name}, {method.name}: {release.groups} groups, worst {belief.worst:.4f}, {belief.details}")
            show(f"minimality attack, {policy.name}, {method.name}", took, 1.0, 60.0)


def masked(frame) -> None:
    quasi = [name for name in frame.columns if name != "education"]
    data = vl.read(frame, vl.Schema(quasi=quasi, sensitive=["education"]))
    for anonymizer in (vl.Mondrian(), vl.FullDomain(suppression=0.02)):
        for m in (2, 10):
            policy = vl.MConfidentiality(m=m, protect=LOW)
            work = lambda a=anonymizer, p=policy: vl.publish(data, p, vl.Mask(anonymizer=a))  # noqa: E731
            alone = lambda a=anonymizer, k=m: vl.publish(data, vl.KAnonymity(k=k), a)  # noqa: E731
            work(), alone()
            ours, release = best(work, 5)
            theirs, _ = best(alone, 5)
            changed = vl.measures.Alteration()(data, release).value
            print(f"MASK, k = l = {m}: {release.groups} groups, {100 * changed:.2f} % of sensitive cells changed")
            show(f"MASK on Adult, k = l = {m} / {anonymizer.name} alone", ours, theirs, 1.5)


def changed(frame) -> None:
    """Compare the share of changed cells, mean over 20 keys, with the least that a channel can reach."""
    quasi = ["age", "workclass", "marital-status", "occupation", "race"]
    data = vl.read(frame, vl.Schema(quasi=quasi, sensitive=["education"]))
    for m, least in ((2, 0.00097), (10, 0.00886)):
        for sampling in ("monotone", "slack", "paper"):
            shares = []
            for number in range(20):
                key = vl.Key(number.to_bytes(32, "big"))
                policy = vl.MConfidentiality(m=m, protect=LOW)
                release = vl.publish(data, policy, vl.Mask(sampling=sampling), key=key)
                shares.append(vl.measures.Alteration()(data, release).value)
            verdict = ("ok" if np.mean(shares) <= 1.05 * least else "ABOVE") if sampling == "monotone" else ""
            print(f"changed cells, k = l = {m}, {sampling}: {np.mean(shares):.5f} ({least}) {verdict}")


def census(rows: int) -> None:
    frame = vl.datasets.census(rows)
    quasi = [name for name in frame.columns if name != "income"]
    data = vl.read(frame, vl.Schema(quasi=quasi, sensitive=["income"]))
    rare = np.argsort(np.unique(frame["income"].to_numpy(), return_counts=True)[1])[:5]
    protect = tuple(data.columns["income"].domain.labels[place] for place in rare)
    policy = vl.MConfidentiality(m=10, protect=protect)
    theirs, plain = best(lambda: vl.publish(data, vl.KAnonymity(k=10), vl.Mondrian()), 3)
    ours, release = best(lambda: vl.publish(data, policy, vl.Mask(k=10)), 3)
    print(f"census: {rows} rows, {plain.groups} groups; masked: {release.groups} groups")
    show("MASK of census rows, k = l = 10 / Mondrian alone", ours, theirs, 1.5)


if __name__ == "__main__":
    mask_alone = "mask" in sys.argv
    if not mask_alone:
        growth()
    if ADULT.exists():
        if not mask_alone:
            attacked(adult(None))
        masked(adult(None))
        changed(adult(None))
    census(next((int(word) for word in sys.argv[1:] if word.isdigit()), 5_000_000))
