"""Publishing again: what was published before is part of what an adversary has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from voile.core.certificate import Claim
from voile.core.domain import Domain
from voile.core.following import followed
from voile.core.joining import same_columns
from voile.core.key import Key
from voile.core.microdata import Microdata
from voile.core.policy import Model, Policy
from voile.core.release import Release
from voile.core.rows import Rows
from voile.core.schema import Columns
from voile.errors import BrokenPromise, DataError
from voile.flow.verify import load, verify
from voile.models.sequential import Sequential

Before = Release | str | Path | tuple[Release | str | Path, Microdata | None]
"""An earlier release, or its folder; with the table that it was made from, where people must be followed."""


def understood(after: Sequence[Before]) -> tuple[tuple[Release, ...], tuple[Microdata | None, ...]]:
    """The earlier releases and their tables. A release that does not keep its own promise is no ground to stand on."""
    releases: list[Release] = []
    tables: list[Microdata | None] = []
    for number, item in enumerate(after, 1):
        place, table = item if isinstance(item, tuple) else (item, None)
        verdict = verify(place, after=releases)
        if verdict.broken:
            wrong = " ".join(
                f"{check.what}: {check.detail}" for check in verdict.checks if check.answer.value == "broken"
            )
            raise BrokenPromise(
                f"Earlier release {number} does not keep what it claims. {wrong}",
                code="broken.after",
                hint="Name the folder as it was published, and earlier ones before later ones.",
            )
        releases.append(load(place) if isinstance(place, (str, Path)) else place)
        tables.append(table)
    return tuple(releases), tuple(tables) if any(table is not None for table in tables) else ()


def jointly(policy: Policy, earlier: Sequence[Release]) -> Callable[[Columns], tuple[Claim, ...]]:
    """What is claimed about the join with earlier releases: every model of values, unless it speaks of it itself."""

    def stated(columns: Columns) -> tuple[Claim, ...]:
        models: list[Model] = []
        for model in policy if earlier else ():
            if (
                model.reads_values
                and model.basis == "counts"
                and not model.follows
                and not isinstance(model, Sequential)
            ):
                models.append(Sequential(model, tuple(earlier), getattr(model, "column", None)))
        return Policy(*models).claims(columns) if models else ()

    return stated


def refuse_jointly(release: Release, earlier: Sequence[Release]) -> None:
    """The releases must be about one table, and together they must keep what is claimed."""
    for number, other in enumerate(earlier, 1):
        same_columns(release, other, f"Earlier release {number}")
    if not earlier:
        return
    broken = [check for check in verify(release, after=earlier).checks if check.answer.value == "broken"]
    if broken:
        listed = " ".join(f"{check.what}: {check.detail}" for check in broken)
        raise BrokenPromise(
            f"Together with {len(earlier)} earlier releases this one breaks its promise. {listed}",
            code="broken.jointly",
            hint="Publish coarser groups, or publish every release under m-invariance.",
        )


def followed_table(
    data: Microdata, policy: Policy, earlier: Sequence[Release], tables: Sequence[Microdata | None], key: Key
) -> tuple[Columns, Rows]:
    """The table, or, where a model follows people, its rows with the signature that everybody was shown with before."""
    if not policy.follows or not earlier:
        return data.columns, data.rows
    if len(tables) != len(earlier) or any(table is None for table in tables):
        raise DataError(
            f"To follow people, each of the {len(earlier)} earlier releases needs the table that it was made from.",
            code="data.after-table",
            hint="Give pairs, after=[(release, table)] (--after DIR --after-data TABLE), with a column of persons.",
        )
    pairs = [(release, table) for release, table in zip(earlier, tables, strict=True) if table is not None]
    return _widened(data.columns, followed(data, pairs, key), earlier)


def _widened(columns: Columns, rows: Rows, earlier: Sequence[Release]) -> tuple[Columns, Rows]:
    """Values that were shown before stay values of the column, though nobody may have them now."""
    target = columns.sensitive[0]
    listed = [release.tallies[target.name].column for release in earlier if target.name in release.tallies]
    texts = {text for column in listed if column for text in column.domain.texts}
    if texts <= set(target.domain.texts):
        return columns, rows
    if target.domain.ranged:
        every = [target.domain.values, *(column.domain.values for column in listed if column)]
        values = pl.concat(every, how="vertical_relaxed").unique().sort()
    else:
        values = pl.Series(sorted({*target.domain.texts[: len(target.domain.values)], *texts}), dtype=pl.String)
    domain = Domain(values, target.kind, target.domain.missing, target.domain.declared)
    place = {text: code for code, text in enumerate(domain.texts)}
    moved = np.array([place[text] for text in target.domain.texts], dtype=np.int64)
    wider = replace(target, domain=domain, hierarchy=None)
    return replace(columns, sensitive=(wider, *columns.sensitive[1:])), rows.recode({target.name: moved})
