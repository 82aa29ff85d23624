"""Five methods on Adult (45,222 rows), every attack and measure: 60 s once compiled, word at least every second."""

from __future__ import annotations

import itertools
import time

from tables import ADULT, adult

import voile as vl

QUASI = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]


def methods() -> list:
    full = vl.FullDomain(suppression=0.05)
    return [vl.Mondrian(), vl.Mondrian(recoding="hierarchy"), full, vl.Anatomy(), vl.Injector()]


def main() -> None:
    small = vl.read(adult(2_000), vl.Schema(quasi=QUASI, sensitive=["occupation"]))
    vl.compare(small, vl.LDiversity(l=3), methods())  # compiles
    data = vl.read(adult(None), vl.Schema(quasi=QUASI, sensitive=["occupation"]))
    marks = [time.perf_counter()]
    found = vl.compare(data, vl.LDiversity(l=3), methods(), progress=lambda *word: marks.append(time.perf_counter()))
    took = time.perf_counter() - marks[0]
    silence = max(later - before for before, later in itertools.pairwise(marks))
    print(f"{found!r}")
    for row in found.rows:
        print(f"  {row.title}: kept {row.kept}, {found.by} {row.loss(found.by):.4f}, published in {row.seconds:.2f} s")
    print(
        f"five methods, {len(found.rows[0].reached)} attacks: {took:.1f} s, bar 60: {'ok' if took < 60 else 'MISSED'}"
    )
    print(f"longest silence {silence:.2f} s, bar 1: {'ok' if silence < 1 else 'MISSED'}")


if __name__ == "__main__" and ADULT.exists():
    main()
