"""10,000 COUNT queries on a published Adult, once compiled."""

from __future__ import annotations

from clock import best, show
from tables import ADULT, QUASI, adult

import voile as vl


def main() -> None:
    ask = vl.measures.QueryError(queries=10_000, repetitions=1)
    boxes = vl.read(adult(None), vl.Schema(quasi=QUASI, sensitive=["salary-class"]))
    buckets = vl.read(adult(None), vl.Schema(quasi=[q for q in QUASI if q != "occupation"], sensitive=["occupation"]))
    for name, data, policy, method in (
        ("Mondrian", boxes, vl.KAnonymity(k=5), vl.Mondrian()),
        ("Anatomy", buckets, vl.LDiversity(l=5), vl.Anatomy()),
    ):
        release = vl.publish(data, policy, method)
        vl.measures.QueryError(queries=10, repetitions=1)(data, release)
        took, loss = best(lambda data=data, release=release: ask(data, release), 2)
        show(f"10,000 queries on {name} (mean error {loss.value:.3f})", took, 5, 1)


if ADULT.exists():
    main()
