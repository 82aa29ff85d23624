"""What people need from a promise, in plain words, and the models that serve each need, the usual one first."""

from __future__ import annotations

from collections.abc import Iterable

NEEDS = (
    ("Nobody should be found in the table", ("k-anonymity",)),
    (
        "Nobody's secret should be learned",
        ("l-diversity", "alpha-k-anonymity", "t-closeness", "k-e-anonymity", "multi-diversity"),
    ),
    ("Some people or values need more protection than others", ("personalized", "r-robustness")),
    (
        "Readers may know more than you think: others' secrets, links between people, how the release is made",
        ("m-confidentiality", "c-k-safety", "anti-corruption", "label-differential-privacy"),
    ),
    ("The same people are published again and again", ("m-invariance", "kept-seats", "sequential")),
)
FURTHER = "Further promises"


def sort_by_need(models: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Sort models under the needs that they serve; those that no need lists come last.

    >>> sort_by_need(["t-closeness", "my-model", "k-anonymity"])[0]
    ('Nobody should be found in the table', ['k-anonymity'])
    """
    known = set(models)
    listed = [(need, [name for name in names if name in known]) for need, names in NEEDS]
    rest = sorted(known - {name for _, names in NEEDS for name in names})
    return [(need, names) for need, names in (*listed, (FURTHER, rest)) if names]
