"""Publish: from microdata to a release that keeps its promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from voile.adversaries.ledger import Ledger
from voile.adversaries.private_file import PrivateFile, check_private_path
from voile.flow.checking.check_release import check_release
from voile.flow.publish.certification import certify
from voile.flow.publish.earlier_releases import EarlierReleases
from voile.flow.publish.history_checks import refuse_changed_values
from voile.flow.publish.part_publishing import group_part, show_part, trim_domains
from voile.flow.publish.plan import make_plan, partition_rows
from voile.flow.publish.release_assembly import assemble_release
from voile.methods.base import Method
from voile.models.base import Model
from voile.models.policy import Policy
from voile.releases.release import Release
from voile.tables.microdata import Microdata
from voile.tables.secret_key import Key


def publish(
    data: Microdata,
    policy: Policy | Model,
    method: Method | None = None,
    *,
    key: Key | None = None,
    after: Sequence[Release | str | Path] = (),
    ledger: Ledger | None = None,
    private: str | Path | None = None,
) -> Release:
    """Publish a table under a policy. The publisher is not trusted: the last check is what anyone runs on the folder.

    `after` are earlier releases of the same people, or their folders; a release that breaks its promise together with
    them is refused. `ledger` remembers who sat in which group, which decides what the releases alone leave open; keep
    it secret. `private` is a new file for the key and the learned statistics, with which `verify` can later answer
    more; keep it secret too.

    >>> import voile as vl
    >>> schema = vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"])
    >>> data = vl.read(vl.datasets.hospital(), schema)
    >>> vl.publish(data, vl.Policy(vl.KAnonymity(k=5)))  # doctest: +ELLIPSIS
    Generalized(400 rows in ... groups; k-anonymity)
    """
    if private is not None:
        check_private_path(private)  # SpecError: fail before the work, not after it
    history = EarlierReleases.verified(after, ledger)  # BrokenPromise: an earlier release is broken
    plan = make_plan(data, policy, method, key, history)  # SpecError: what is asked, of whom, with which coins
    parts, task = partition_rows(plan)  # one part, unless the table is large
    groups = parts.map("group", group_part, plan.columns, task)  # Unsatisfiable: who hides with whom
    columns, code_map, withheld = trim_domains(groups)  # what no published row has is not mentioned
    tables = groups.map("show", show_part, columns, task, code_map)  # how each group is shown
    release = certify(
        *assemble_release(tables, withheld, data.unit, data.missing), plan
    )  # what is claimed, against whom
    seating = history.seat_people(release, groups, task.people_before, plan.columns, data, plan.method, plan.rows.key)
    refuse_changed_values(ledger, seating)  # Unsatisfiable: somebody has another value than before
    verdict = check_release(release, replace(plan.evidence, seating=seating))  # the code that a stranger runs
    history.accept(verdict)  # BrokenPromise
    history.record(release, seating)  # who sits where, for the next time
    if private is not None:
        PrivateFile(release.digest, plan.rows.key, plan.policy.priors()).save(private)
    return release.with_counted(verdict.counted)
