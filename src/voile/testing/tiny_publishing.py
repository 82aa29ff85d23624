"""Publish a tiny table many times: the steps of `publish`, and what a reader sees of each run.

Group labels and the order of rows carry nothing, so two runs that differ only in these give one output. A refusal is an
output too: its class, its code and its words. The last step of `publish`, checking the release, depends on nothing but
the release, so it is done once per output.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from voile.errors import SpecError, VoileError
from voile.flow.checking.check_release import check_release
from voile.flow.publish.certification import certify
from voile.flow.publish.earlier_releases import EarlierReleases
from voile.flow.publish.part_publishing import group_part, show_part, trim_domains
from voile.flow.publish.plan import Plan, make_plan, partition_rows
from voile.flow.publish.release_assembly import assemble_release
from voile.methods.base import Method
from voile.models.policy import Policy
from voile.plugins.registry import as_plain_value
from voile.releases.release import Release
from voile.tables.part_protocol import Parts
from voile.tables.schema import Columns
from voile.tables.secret_key import Key
from voile.testing.tiny_table import TinyTable

NO_HISTORY = EarlierReleases()


@dataclass(frozen=True)
class Output:
    """What a reader sees of a run: its content, and whether it is a refusal.

    Of boxes, `alike[i][v]` counts the published rows in the box of person i that show value v.
    """

    content: Hashable
    refusal: bool = False
    alike: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, eq=False)
class TinyPublisher:
    """Publishes a tiny table in any world, with any key."""

    table: TinyTable
    policy: Policy
    method: Method
    checked: dict[Hashable, Output] = field(default_factory=dict)

    def run(self, world: Sequence[int], key: Key) -> Output:
        """Publish one world, or be refused."""
        try:
            plan = make_plan(self.table.in_world(world), self.policy, self.method, key, NO_HISTORY)
            release, columns, groups = make_release(plan)
        except SpecError:
            raise  # the request itself is wrong, whatever the values are
        except VoileError as error:
            return _refusal(error)
        content = (*describe_release(release), _stated(plan))
        name = (content, tuple(prior.digest for prior in plan.policy.priors()))
        if name not in self.checked:
            self.checked[name] = self._check(release, columns, groups, plan, content)
        return self.checked[name]

    def _check(self, release: Release, columns: Columns, groups: Parts, plan: Plan, content: Hashable) -> Output:
        """Check a release as `publish` does; one that breaks its promise is refused."""
        try:
            NO_HISTORY.accept(check_release(certify(release, columns, plan), plan.evidence))
        except VoileError as error:
            return _refusal(error)
        asks_whose_row = bool(self.policy.size_models) and release.shows_boxes
        return Output(content, alike=self._count_alike(release, groups, plan.columns) if asks_whose_row else ())

    def _count_alike(self, release: Release, groups: Parts, columns: Columns) -> tuple[tuple[int, ...], ...]:
        _, person = np.unique(self.table.quasi_codes, axis=0, return_inverse=True)
        home = release.locate(self.table.data)[person.reshape(-1)]
        if (home < 0).sum() > int(release.dictionary["withheld"]):
            return self._count_in_groups(groups, columns)
        counts = release.tallies[self.table.target.name]
        labels = counts.column.domain.labels if counts.column is not None else ()
        table = np.zeros((release.groups + 1, len(self.table.values)), dtype=np.int64)
        code_of = {text: code for code, text in enumerate(self.table.target.domain.labels)}
        for group, value, number in zip(counts.owner, counts.values, counts.counts, strict=True):
            table[group, code_of[labels[value]]] = number
        return tuple(map(tuple, table[home].tolist()))

    def _count_in_groups(self, groups: Parts, columns: Columns) -> tuple[tuple[int, ...], ...]:
        """Count the rows of each person's own group, where boxes overlap: an adversary who knows the algorithm runs it
        again and finds the group. Of people whose equals are in several groups nothing is asked."""
        (rows,) = groups
        names = [column.name for column in self.table.data.columns.quasi]
        group, cells = rows.count_by_group([*names, self.table.target.name])
        group_of: dict[tuple[int, ...], int] = {}
        nowhere = int(group.max(initial=0)) + 1
        table = np.zeros((nowhere + 1, len(self.table.values)), dtype=np.int64)
        code_of = {text: code for code, text in enumerate(self.table.target.domain.labels)}
        labels = columns[self.table.target.name].domain.labels
        for number, codes, people in zip(group.tolist(), cells.codes.tolist(), cells.counts.tolist(), strict=True):
            home = group_of.setdefault(tuple(codes[:-1]), number)
            group_of[tuple(codes[:-1])] = home if home == number else nowhere
            table[number, code_of[labels[codes[-1]]]] += people
        return tuple(tuple(table[group_of[tuple(codes)]].tolist()) for codes in self.table.quasi_codes.tolist())


def make_release(plan: Plan) -> tuple[Release, Columns, Parts]:
    """Take the steps of `publish` from the plan to the release, which states no claims yet; return its columns and the
    grouped rows too."""
    parts, task = partition_rows(plan)
    groups = parts.map("group", group_part, plan.columns, task)
    columns, code_map, withheld = trim_domains(groups)
    tables = groups.map("show", show_part, columns, task, code_map)
    return *assemble_release(tables, withheld, plan.data.unit, plan.data.missing, ends=False), groups


def describe_release(release: Release) -> tuple[Hashable, str]:
    """Return the content of the tables, without labels of groups and order of rows, and the dictionary."""
    loose: list[Hashable] = []
    by_group: dict[int, list[Hashable]] = {}
    for name in sorted(release.tables):
        table = release.tables[name]
        if "group" in table.columns:
            place = table.columns.index("group")
            for row in table.rows():
                by_group.setdefault(row[place], []).append((name, *map(str, row[:place] + row[place + 1 :])))
        else:
            loose.append((name, *sorted(tuple(map(str, row)) for row in table.rows())))
    groups = sorted(tuple(sorted(rows)) for rows in by_group.values())  # type: ignore[type-var]
    return (tuple(loose), tuple(groups)), json.dumps(dict(release.dictionary), sort_keys=True, default=str)


def _stated(plan: Plan) -> str:
    """The method and the models as a certificate names them; nobody can compute the digest of salted statistics."""
    models = [[model.name, _without_digests(model.parameters())] for model in plan.policy]
    return json.dumps([as_plain_value(plan.method), models], sort_keys=True, default=str)


def _without_digests(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if not str(value).startswith("sha256:")}


def _refusal(error: VoileError) -> Output:
    return Output((type(error).__name__, error.code, str(error)), refusal=True)
