"""Publishing again: what was published before is part of what an adversary has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from voile.adversaries.ledger import Ledger, SeatHistory
from voile.adversaries.seating import Seating
from voile.engines.memory_rows import build_rows
from voile.errors import BrokenPromise, option
from voile.flow.checking.check_folder import check_folder
from voile.flow.checking.check_release import check_release
from voile.flow.publish.history_checks import check_ledger, check_order, check_shapes, require_same_unit
from voile.flow.publish.seat_recording import find_seats
from voile.methods.base import KeepsSeats, Method
from voile.models.base import Model
from voile.models.evidence import Evidence
from voile.models.policy import Policy
from voile.models.sequential import Sequential
from voile.plugins.counted_nouns import name_earlier
from voile.releases.certificate import Claim
from voile.releases.joint.box_overlaps import merge_values, require_same_columns
from voile.releases.release import Release
from voile.results import Answer, Checked, Verdict
from voile.tables.domain import Domain
from voile.tables.domain_trimming import trim_unused_values
from voile.tables.microdata import PERSON, Microdata, require_people
from voile.tables.part_protocol import Parts
from voile.tables.row_protocol import Table
from voile.tables.schema import Columns
from voile.tables.secret_key import Key


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
        check_order(releases)
        return EarlierReleases(tuple(releases), ledger)

    def link_people(self, data: Microdata, policy: Policy, method: Method, key: Key) -> tuple[Columns, Table]:
        """The table; or, where the policy or the method follows people from release to release, its rows with who they
        are."""
        follows = self.check_table(data, policy, method)
        if not follows or self.ledger is None:
            return draw_rows(data, key)
        people = require_people(data)
        linked = people.draw_linked(data.unit.rows, key)
        names = [column.name for column in data.columns]
        table = linked.histogram([*names, PERSON])
        columns = [table.codes[:, number] for number in range(len(names) + 1)]
        sizes = [*(column.size for column in data.columns), people.people]
        rows = build_rows([*names, PERSON], columns, sizes)
        return _widened(data.columns, rows, self.releases) if policy.follows_people else (data.columns, rows)

    def check_table(self, data: Microdata, policy: Policy, method: Method) -> bool:
        """Raise where a table, a policy and a method cannot follow the earlier releases; return whether they follow
        people."""
        shown = {(column.role, column.name, column.kind) for column in (*data.columns.quasi, *data.columns.sensitive)}
        for number, release in enumerate(self.releases, 1):
            require_same_columns(shown, release, number)
        check_shapes(self.releases, policy, method)
        follows = policy.follows_people or isinstance(method, KeepsSeats)
        if self.ledger is not None or (follows and self.releases):
            require_people(data)
        require_same_unit(self.releases, data.unit, policy)
        check_ledger(self.ledger, self.releases, data, method, follows)
        return follows

    def tell_seats(self, method: Method, data: Microdata) -> Method:
        """Tell a method that keeps seats where everybody sat before."""
        if self.ledger is None or not isinstance(method, KeepsSeats):
            return method
        pseudonyms = self.ledger.make_pseudonyms(require_people(data).list_hashes())
        return method.take_seats(SeatHistory(self.ledger, self.ledger.find_people(pseudonyms)))

    def joint_claims(self, policy: Policy, columns: Columns) -> tuple[Claim, ...]:
        """Claim that every model of values also holds in the join with the earlier releases, unless the model speaks of
        them itself."""
        models: list[Model] = []
        for model in policy.single_release_models if self.releases else ():
            models.append(Sequential(model, self.releases, getattr(model, "column", None)))
        return Policy(*models).claims(columns) if models else ()

    def accept(self, verdict: Verdict) -> None:
        """Raise BrokenPromise where the new release does not keep its promise, by itself or with the earlier ones, or
        where that is not known."""
        broken = _broken(verdict)
        if self.releases and broken:
            raise BrokenPromise(
                f"Together with {name_earlier(len(self.releases))}, this one breaks its promise. {_listed(broken)}",
                code="broken.jointly",
                hint=self._suggest(),
            )
        undecided = [
            check
            for check in verdict.checks
            if check.answer is Answer.NEEDS and check.what.startswith(f"{Sequential.name} ")
        ]
        if self.releases and undecided:
            raise BrokenPromise(
                f"It is not known whether this release keeps its promise together with "
                f"{name_earlier(len(self.releases))}. {_listed(undecided)}",
                code="broken.undecided",
                hint=self._suggest(),
            )
        verdict.or_raise()

    def _suggest(self) -> str:
        """Say what would pass."""
        append = f"Use append ({option('method', 'append')}), which keeps everybody's group and puts new people into "
        append += "groups of their own"
        if self.ledger is None:
            return f"Keep a ledger from the first release on ({option('ledger')}): it tells who sits where. {append}."
        return f"{append}."

    def seat_people(
        self,
        release: Release,
        groups: Parts,
        people_before: Sequence[int],
        columns: Columns,
        data: Microdata,
        method: Method,
        key: Key,
    ) -> Seating | None:
        """Find out who sits where in the new release, where there is a ledger. `columns` are those of the grouped
        rows."""
        if self.ledger is None:
            return None
        people = require_people(data)
        pseudonyms = self.ledger.make_pseudonyms(people.list_hashes())
        if isinstance(method, KeepsSeats):
            (rows,) = groups
            return method.list_seats(release, rows, pseudonyms)
        linked = people.draw_linked(data.unit.rows, key)
        linked = trim_unused_values(data.columns, linked)[1] if data.count_left_out() else linked
        return find_seats(release, groups, people_before, columns, linked, pseudonyms, key)

    def record(self, release: Release, seating: Seating | None) -> None:
        """Write into the ledger who sits where, where there is a ledger."""
        if self.ledger is not None and seating is not None:
            self.ledger.record(release.digest, seating)


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
