"""Publishing again: what was published before is part of what an adversary has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from voile.adversaries.ledger import Ledger
from voile.engines.memory_rows import build_rows
from voile.errors import BrokenPromise, DataError, PolicyError, option
from voile.flow.checking.check_folder import check_folder
from voile.flow.checking.check_release import check_release
from voile.models.abilities import needs_one_row
from voile.models.base import Model
from voile.models.evidence import Evidence
from voile.models.m_invariance.signatures import SIGNATURE, current_signatures, number_signatures
from voile.models.policy import Policy
from voile.models.sequential import Sequential
from voile.releases.certificate import Claim
from voile.releases.release import Release
from voile.releases.release_join import merge_values, require_same_columns
from voile.results import Answer, Checked, Verdict
from voile.tables.domain import Domain
from voile.tables.domain_trimming import trim_unused_values
from voile.tables.microdata import PERSON, Microdata, require_people
from voile.tables.part_protocol import Parts
from voile.tables.row_protocol import Table
from voile.tables.schema import Columns
from voile.tables.secret_key import Key
from voile.tables.unit import PERSON_COLUMN, Unit


@dataclass(frozen=True, eq=False)
class EarlierReleases:
    """The earlier releases of the same people, the first one first, and the publisher's ledger of them."""

    releases: tuple[Release, ...] = ()
    ledger: Ledger | None = None

    @staticmethod
    def verified(after: Sequence[Release | str | Path], ledger: Ledger | None) -> EarlierReleases:
        """Open earlier releases or their folders. One that does not keep its own promise is no ground to build on."""
        releases: list[Release] = []
        for number, place in enumerate(after, 1):
            verdict, release = _opened(place, tuple(releases))
            broken = _broken(verdict)
            if broken or release is None:
                raise BrokenPromise(
                    f"Earlier release {number} does not keep what it claims. {_listed(broken)}",
                    code="broken.after",
                    hint="Name the folder as it was published, and earlier ones before later ones.",
                )
            releases.append(release)
        return EarlierReleases(tuple(releases), ledger)

    def link_people(self, data: Microdata, policy: Policy, key: Key) -> tuple[Columns, Table]:
        """The table; or, where people are followed from release to release, its rows with who they are and which values
        they were shown with."""
        shown = {(column.role, column.name, column.kind) for column in (*data.columns.quasi, *data.columns.sensitive)}
        for number, release in enumerate(self.releases, 1):
            require_same_columns(shown, release, number)
        if self.ledger is not None and not policy.follows_people:
            raise PolicyError(
                "A ledger records who was shown with which values, and no model of this policy follows people.",
                code="policy.ledger",
                hint=f"Leave the ledger out, or ask for {option('model', 'm-invariance', m=2)}.",
            )
        if policy.follows_people and (self.ledger is not None or self.releases):
            require_people(data)
        self._require_same_unit(data.unit, policy)
        if not policy.follows_people or (self.ledger is None and not self.releases):
            return draw_rows(data, key)
        if self.ledger is None:
            raise DataError(
                f"To publish after {len(self.releases)} releases, it must be known who was shown with which values.",
                code="data.ledger",
                hint=f"Give the ledger that was kept with them ({option('ledger')}).",
            )
        self.ledger.check([release.digest for release in self.releases])
        people = require_people(data)
        linked = people.draw_linked(data.unit.rows, key)
        signature = number_signatures(data, linked, self.ledger, self.releases)
        names = [column.name for column in data.columns]
        table = linked.histogram([*names, PERSON])
        columns = [table.codes[:, number] for number in range(len(names) + 1)]
        sizes = [*(column.size for column in data.columns), people.people, int(signature.max(initial=0)) + 1]
        rows = build_rows([*names, PERSON, SIGNATURE], [*columns, signature[columns[-1]]], sizes)
        return _widened(data.columns, rows, self.releases)

    def _require_same_unit(self, unit: Unit, policy: Policy) -> None:
        """Releases that count people in different ways cannot be compared; nor can values, where a person has several
        rows in each."""
        for number, release in enumerate(self.releases, 1):
            earlier = release.unit
            if (earlier.rows, earlier.basis == PERSON_COLUMN) != (unit.rows, unit.basis == PERSON_COLUMN):
                raise PolicyError(
                    f"Earlier release {number} protects another unit than this one. {earlier.describe()} In this one: "
                    f"{unit.describe()}",
                    code="policy.after-unit",
                    hint="Name the column that identifies people, and the rows per person, as in the earlier release.",
                )
        if self.releases and unit.rows > 1 and policy.single_release_models:
            raise needs_one_row(
                "A promise about values together with earlier releases", "values are followed row by row"
            )

    def joint_claims(self, policy: Policy, columns: Columns) -> tuple[Claim, ...]:
        """Claim that every model of values also holds in the join with the earlier releases, unless the model speaks of
        them itself."""
        models: list[Model] = []
        for model in policy.single_release_models if self.releases else ():
            models.append(Sequential(model, self.releases, getattr(model, "column", None)))
        return Policy(*models).claims(columns) if models else ()

    def accept(self, verdict: Verdict) -> None:
        """Raise BrokenPromise where the new release does not keep its promise, by itself or with the earlier ones."""
        broken = _broken(verdict)
        if self.releases and broken:
            raise BrokenPromise(
                f"Together with {len(self.releases)} earlier releases this one breaks its promise. {_listed(broken)}",
                code="broken.jointly",
                hint="Publish coarser groups, or publish every release under m-invariance.",
            )
        verdict.or_raise()

    def record(
        self, release: Release, groups: Parts, columns: Columns, code_map: Mapping[str, np.ndarray], data: Microdata
    ) -> None:
        """Write into the ledger who was shown with which values, where there is a ledger."""
        if self.ledger is None:
            return
        (rows,) = groups
        shown = current_signatures(columns, rows.recode(code_map) if code_map else rows, data, self.releases)
        self.ledger.record(release.digest, shown)


def draw_rows(data: Microdata, key: Key) -> tuple[Columns, Table]:
    """Draw the rows to publish. Values that only the others have are not mentioned any more."""
    rows = data.draw(key)
    return trim_unused_values(data.columns, rows) if data.count_left_out() else (data.columns, rows)


def _opened(place: Release | str | Path, earlier: tuple[Release, ...]) -> tuple[Verdict, Release | None]:
    evidence = Evidence(earlier=earlier)
    if isinstance(place, Release):
        return check_release(place, evidence), place
    return check_folder(Path(place), evidence)


def _broken(verdict: Verdict) -> list[Checked]:
    return [check for check in verdict.checks if check.answer is Answer.BROKEN]


def _listed(checks: Sequence[Checked]) -> str:
    return " ".join(f"{check.what}: {check.detail}" for check in checks)


def _widened(columns: Columns, rows: Table, earlier: Sequence[Release]) -> tuple[Columns, Table]:
    """Values that were shown before stay values of the column, though nobody may have them now."""
    target = columns.sensitive[0]
    listed = [release.tallies[target.name].column for release in earlier if target.name in release.tallies]
    texts = {text for column in listed if column for text in column.domain.labels}
    if texts <= set(target.domain.labels):
        return columns, rows
    if target.domain.uses_intervals:
        every = [target.domain.values, *(column.domain.values for column in listed if column)]
        values = merge_values(every)
    else:
        values = pl.Series(sorted({*target.domain.labels[: len(target.domain.values)], *texts}), dtype=pl.String)
    domain = Domain(values, target.kind, target.domain.missing, target.domain.declared)
    place = {text: code for code, text in enumerate(domain.labels)}
    moved = np.array([place[text] for text in target.domain.labels], dtype=np.int64)
    wider = replace(target, domain=domain, hierarchy=None)
    return replace(columns, sensitive=(wider, *columns.sensitive[1:])), rows.recode({target.name: moved})
