"""The register of named forgeries: each is a function that changes a copy of an honest folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from forging.forgery import Forgery

BOX, BOX_CSV = "mondrian.parquet", "mondrian.csv"
TREE, DATES, GAPS = "mondrian, hierarchy.parquet", "mondrian, dates.parquet", "mondrian, missing.parquet"
EXACT, WEIGHT, PEOPLE = "mondrian, exact.parquet", "mondrian, weight.parquet", "mondrian, people.parquet"
BUCKET, BUCKET_CSV = "anatomy.parquet", "anatomy.csv"
LISTS, LISTS_CSV, APART = "decompose.parquet", "decompose.csv", "decompose, apart.parquet"
SAMPLE, SAMPLE_CSV = "perturbed.parquet", "perturbed.csv"
COLLEAGUE, EPSILON = "decompose, colleague.parquet", "perturbed, epsilon.parquet"
AGAIN, MASKED, NUMBERED = "republish.parquet", "mask.parquet", "mondrian, numbered.parquet"
ROBUST, INDICATOR = "art.parquet", "art, indicator.parquet"
CAPPED = "capped counts.parquet"
LATER, LATER_CSV = "mondrian, later.parquet", "mondrian, later.csv"
MEANS, MEANS_CSV = "mondrian, means.parquet", "mondrian, means.csv"
TAILS, TAILS_CSV = "mondrian, tails.parquet", "mondrian, tails.csv"

Forge = Callable[[Forgery], None]


@dataclass(frozen=True)
class NamedForgery:
    """A change, the honest folders to which it is made, and whether it must be noticed."""

    forge: Forge
    folders: tuple[str, ...]
    misleads: bool = True


NAMED: dict[str, NamedForgery] = {}


def forges(*folders: str, misleads: bool = True) -> Callable[[Forge], Forge]:
    """Register a forgery of these folders, which verify must notice; its docstring says what is false or unread."""

    def register(forge: Forge) -> Forge:
        assert forge.__name__ not in NAMED, forge.__name__
        NAMED[forge.__name__] = NamedForgery(forge, folders, misleads)
        return forge

    return register


def changes_harmlessly(*folders: str) -> Callable[[Forge], Forge]:
    """Register a change that leaves every claim true and every cell with its meaning: any answer will do, no crash."""
    return forges(*folders, misleads=False)
