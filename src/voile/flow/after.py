"""Publishing again: what was published before is part of what an adversary has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from voile.core.certificate import Claim
from voile.core.domain import Domain
from voile.core.following import PERSON, SIGNATURE, Ledger, remembered
from voile.core.joining import all_of, same_columns
from voile.core.microdata import Microdata
from voile.core.policy import Model, Policy
from voile.core.release import Release
from voile.core.results import Answer, Checked, Verdict
from voile.core.rows import Table
from voile.core.schema import Columns
from voile.engines.local import local_rows
from voile.errors import BrokenPromise, DataError
from voile.flow.verify import load, verify
from voile.models.sequential import Sequential


def understood(after: Sequence[Release | str | Path]) -> tuple[Release, ...]:
    """The earlier releases. One that does not keep its own promise is no ground to stand on."""
    releases: list[Release] = []
    for number, place in enumerate(after, 1):
        broken = [check for check in verify(place, after=releases).checks if check.answer is Answer.BROKEN]
        if broken:
            raise BrokenPromise(
                f"Earlier release {number} does not keep what it claims. {_listed(broken)}",
                code="broken.after",
                hint="Name the folder as it was published, and earlier ones before later ones.",
            )
        releases.append(load(place) if isinstance(place, (str, Path)) else place)
    return tuple(releases)


def _listed(checks: Sequence[Checked]) -> str:
    return " ".join(f"{check.what}: {check.detail}" for check in checks)


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


def refuse_jointly(verdict: Verdict, earlier: Sequence[Release]) -> None:
    """Together the releases must keep what is claimed."""
    broken = [check for check in verdict.checks if check.answer is Answer.BROKEN]
    if earlier and broken:
        raise BrokenPromise(
            f"Together with {len(earlier)} earlier releases this one breaks its promise. {_listed(broken)}",
            code="broken.jointly",
            hint="Publish coarser groups, or publish every release under m-invariance.",
        )


def followed(
    data: Microdata, policy: Policy, earlier: Sequence[Release], ledger: Ledger | None
) -> tuple[Columns, Table]:
    """The table, or, where people are followed, its rows with who they are and which values they were shown with."""
    shown = {(column.role, column.name, column.kind) for column in (*data.columns.quasi, *data.columns.sensitive)}
    for number, release in enumerate(earlier, 1):
        same_columns(shown, release, number)
    if not policy.follows or (ledger is None and not earlier):
        return data.columns, data.rows
    if ledger is None:
        raise DataError(
            f"To publish after {len(earlier)} releases, it must be known who was shown with which values.",
            code="data.ledger",
            hint="Give the ledger that was kept with them (ledger=, --ledger).",
        )
    ledger.check(earlier)
    signature = remembered(data, ledger, earlier)
    assert data.linked is not None and data.person is not None
    names = [column.name for column in data.columns]
    table = data.linked.histogram([*names, PERSON])
    columns = [table.codes[:, number] for number in range(len(names) + 1)]
    sizes = [*(column.size for column in data.columns), data.person.size, int(signature.max(initial=0)) + 1]
    rows = local_rows([*names, PERSON, SIGNATURE], [*columns, signature[columns[-1]]], sizes)
    return _widened(data.columns, rows, earlier)


def _widened(columns: Columns, rows: Table, earlier: Sequence[Release]) -> tuple[Columns, Table]:
    """Values that were shown before stay values of the column, though nobody may have them now."""
    target = columns.sensitive[0]
    listed = [release.tallies[target.name].column for release in earlier if target.name in release.tallies]
    texts = {text for column in listed if column for text in column.domain.texts}
    if texts <= set(target.domain.texts):
        return columns, rows
    if target.domain.ranged:
        every = [target.domain.values, *(column.domain.values for column in listed if column)]
        values = all_of(every)
    else:
        values = pl.Series(sorted({*target.domain.texts[: len(target.domain.values)], *texts}), dtype=pl.String)
    domain = Domain(values, target.kind, target.domain.missing, target.domain.declared)
    place = {text: code for code, text in enumerate(domain.texts)}
    moved = np.array([place[text] for text in target.domain.texts], dtype=np.int64)
    wider = replace(target, domain=domain, hierarchy=None)
    return replace(columns, sensitive=(wider, *columns.sensitive[1:])), rows.recode({target.name: moved})
