"""Exhaustive checking over random tiny tables.

python bench/exhaust.py [tables, default 20] [seed, default 1] [method] [model] [--published]

Tables have 4 to 7 people, one or two quasi-identifier columns and 2 or 3 values; statistics are of 1 to 3 sets of
columns, some skewed, some with zeros. Method and model are written as at the command line (`mondrian k-anonymity:k=2`,
which is the default). For every table the worst belief is compared with its bound; the largest excess is printed, with
what was seen. `--published` leaves refusals out. Exit code 5 if a claim that covers the algorithm is exceeded.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import numpy as np

from voile.adversaries.adversary import Knowledge
from voile.methods.base import Method, covers_algorithm
from voile.models.base import Model
from voile.models.kinds import PriorModel
from voile.models.policy import Policy
from voile.plugins.registry import build_plugin, narrow_type
from voile.testing import ExhaustiveCheck, TinyTable, exhaust, random_prior, random_tiny_table

MOST_WORLDS = 300  # 3 values for 5 people, 2 for 8: more take minutes per table where keys are sampled


def parse(family: str, text: str) -> object:
    name, _, knobs = text.partition(":")
    pairs = (pair.partition("=") for pair in knobs.split(",") if pair)
    return build_plugin(family, name, {key: value for key, _, value in pairs})


def draw_table(rng: np.random.Generator) -> TinyTable:
    while True:
        table = random_tiny_table(rng, (4, 7))
        if len(table.values) ** table.people <= MOST_WORLDS:
            return table


def main() -> int:
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    tables, seed = (int(words[j]) if len(words) > j else usual for j, usual in enumerate((20, 1)))
    method = narrow_type(Method, parse("methods", words[2] if len(words) > 2 else "mondrian"))  # type: ignore[type-abstract,arg-type]
    model = narrow_type(Model, parse("models", words[3] if len(words) > 3 else "k-anonymity:k=2"))  # type: ignore[type-abstract,arg-type]
    rng, worst = np.random.default_rng(seed), None
    above = refusals = outputs = keys = 0
    covered, start = False, time.perf_counter()
    for number in range(tables):
        table = draw_table(rng)
        asked = replace(model, prior=random_prior(rng, table)) if isinstance(model, PriorModel) else model  # type: ignore[call-arg]
        policy = Policy(asked)
        covered |= covers_algorithm(method, policy) or Knowledge.ALGORITHM in asked.adversary().knows
        found = exhaust(method, policy, table=table, seed=seed * 10**6 + number, refusals="--published" not in sys.argv)
        above, outputs = above + (not found.holds), outputs + found.outputs
        refusals, keys = refusals + found.refusals, keys + found.keys
        if worst is None or found.excess > worst[0].excess:
            worst = found, table
    assert worst is not None
    show(worst[0], worst[1])
    claim = "covers" if covered else "does not cover"
    print(f"{method!r} under {model!r}: {above} of {tables} tables above the bound; the claim {claim} the algorithm")
    print(f"{outputs} outputs, {refusals} refusals, {keys} keys, {time.perf_counter() - start:.0f} s")
    return 5 if covered and above else 0


def show(found: ExhaustiveCheck, table: TinyTable) -> None:
    beliefs = f"belief {found.belief:.4f}, limit {found.limit:.4f}, bound {found.bound:.4f}"
    print(f"Largest excess {found.excess:.6g}: {beliefs}")
    print(f"  of person {found.person} in {table}")
    print(f"  having seen {found.output}")


if __name__ == "__main__":
    sys.exit(main())
