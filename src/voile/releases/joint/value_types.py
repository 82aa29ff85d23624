"""The values that releases show beside each other, as types: what a row shows is one value, whole.

A generalized row shows all its sensitive columns and the columns that are published as they are. Somebody who compares
releases compares whole rows, so a type is such a row; a group of linked tables shows one sensitive column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voile import kernels
from voile.errors import DataError, PolicyError
from voile.releases.dictionary import ALTERED_VALUE
from voile.releases.release import Release

JUDGED_SHAPES = ("generalized", "bucketized", "republished")
Texts = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class GroupValues:
    """The multisets of the groups of one release: `count[i]` rows of group `group[i]` show the type `kind[i]`."""

    group: np.ndarray
    kind: np.ndarray
    count: np.ndarray
    groups: int

    def __repr__(self) -> str:
        return f"GroupValues({self.groups} groups)"


@dataclass(frozen=True, eq=False)
class TypedReleases:
    """Several releases in common types: the texts of each type, in the order of `names`, and the groups of each
    release."""

    names: tuple[str, ...]
    texts: list[Texts]
    releases: list[GroupValues]

    def __repr__(self) -> str:
        return f"TypedReleases({len(self.releases)} releases, {len(self.texts)} types)"


def type_releases(releases: Sequence[Release]) -> TypedReleases:
    """Return releases of the same table in common types; an error where they cannot be compared."""
    names = _shown_names(releases[-1])
    number: dict[Texts, int] = {}
    typed = []
    for position, release in enumerate(releases, 1):
        refuse_unjudged(release, position if position < len(releases) else None)
        if _shown_names(release) != names:
            differing = sorted(set(names) ^ set(_shown_names(release)))
            raise DataError(
                f"Earlier release {position} shows other columns beside each value: it differs in "
                f"{', '.join(map(repr, differing))}.",
                code="data.after-schema",
                hint="Publish the same columns in the same form, or none beside the sensitive one.",
            )
        group, own_texts, kind, count = _count_types(release, names)
        places = np.array([number.setdefault(texts, len(number)) for texts in own_texts], dtype=np.int64)
        typed.append(GroupValues(group, places[kind], count, len(release.sizes)))
    return TypedReleases(names, list(number), typed)


def refuse_unjudged(release: Release, position: int | None) -> None:
    """Raise PolicyError for a release that cannot be judged together with others."""
    name = "This release" if position is None else f"Earlier release {position}"
    altered = any(
        entry.get("cell") == ALTERED_VALUE or entry.get("indicator") for entry in release.described("sensitive")
    )
    if release.shape not in JUDGED_SHAPES or altered or release.channel is not None:
        what = f"is {release.shape}" if release.shape not in JUDGED_SHAPES else "shows altered values"
        raise PolicyError(
            f"{name} {what}: such releases cannot be judged together with others.",
            code="policy.after-shape",
            hint="Publish the table once, or every time with a method that shows values as they are, such as mondrian "
            "or anatomy.",
        )


def _shown_names(release: Release) -> tuple[str, ...]:
    """Return the columns that a row shows beside its quasi-identifier."""
    roles = ("sensitive", "other") if release.shows_boxes else ("sensitive",)
    return tuple(sorted(str(entry["name"]) for role in roles for entry in release.described(role)))


def _count_types(release: Release, names: Sequence[str]) -> tuple[np.ndarray, list[Texts], np.ndarray, np.ndarray]:
    """Return the types of a release: group, own types, the number of the type, and the count of each entry."""
    if not release.shows_boxes:
        counts = next(iter(release.tallies.values()))
        assert counts.column is not None
        return counts.owner, [(text,) for text in counts.column.domain.labels], counts.values, counts.counts
    entries = {str(entry["name"]): entry for entry in release.dictionary["columns"]}
    shown = [release.published_column(entries[name], "table") for name in names]
    codes = [code.astype(np.int64) for _, code in shown]
    sizes = [max(column.size, 1) for column, _ in shown]
    kind, first = kernels.distinct_rows.rank_rows(codes, sizes)
    labels = [np.array(column.domain.labels, dtype=object) for column, _ in shown]
    texts = list(zip(*(own[code[first]].tolist() for own, code in zip(labels, codes, strict=True)), strict=True))
    group = np.asarray(release.group)  # type: ignore[attr-defined]
    ones = np.ones(len(kind), dtype=np.int64)
    rows, count = kernels.distinct_rows.weigh_rows(
        [group, kind], [max(len(release.sizes), 1), max(len(first), 1)], ones
    )
    return rows[:, 0].astype(np.int64), texts, rows[:, 1].astype(np.int64), count
