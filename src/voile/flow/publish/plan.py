"""The plan of a publication: what is asked, of whom, with which coins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from voile.errors import PolicyError, option, parameter
from voile.flow.publish.earlier_releases import EarlierReleases
from voile.flow.publish.part_publishing import PartTask
from voile.flow.publish.partition_planning import people_before, plan_partition
from voile.methods.base import CompletesHierarchies, Method, Partitionable, covers_algorithm
from voile.models.base import Model
from voile.models.evidence import Evidence
from voile.models.policy import Policy
from voile.plugins.registry import build_plugin, narrow_type
from voile.tables.microdata import Microdata
from voile.tables.part_protocol import Parts
from voile.tables.partition_tree import LARGEST_PART
from voile.tables.row_protocol import Table
from voile.tables.schema import Columns
from voile.tables.secret_key import Key
from voile.tables.steering.steer import FEWEST_IN_MEAN


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that is decided before anybody is grouped. `rows` are under the key."""

    data: Microdata
    columns: Columns
    rows: Table
    policy: Policy
    method: Method
    history: EarlierReleases

    @cached_property
    def evidence(self) -> Evidence:
        """What the publisher checks the release with: the priors of the policy, and what was published before."""
        ledger = self.history.ledger
        judged_by_wishes = bool(self.columns.guards) and self.rows.total <= LARGEST_PART  # else it is checked in parts
        data = self.data if ledger or judged_by_wishes else None
        return Evidence(self.policy.priors(), self.history.releases, data, ledger)


def make_plan(
    data: Microdata, policy: Policy | Model, method: Method | None, key: Key | None, history: EarlierReleases
) -> Plan:
    """Check a request (SpecError says what to fix), and fill in what follows from the table and the key."""
    policy = Policy(policy) if isinstance(policy, Model) else policy
    method = method or default_method(policy)
    key = key or Key.fresh()  # 256 random bits; never in the release
    policy = policy.attach_history(history.releases).count_people(data.unit.rows)
    columns, rows = history.link_people(
        data, policy, method, key
    )  # of each person at most as many rows as the unit allows
    columns = check_request(columns, rows, policy, method)
    if columns.quasi_sets and (history.releases or history.ledger is not None):
        raise PolicyError(
            "Several sets of quasi-identifiers cannot be judged together with earlier releases.",
            code="policy.quasi-sets",
            hint=f"Leave {option('quasi_sets')} out.",
        )
    rows = rows.with_key(key)
    policy = policy.learn(columns, rows)  # what an adversary is assumed to know, where it is learned from the table
    method = history.tell_seats(method, data)
    method, policy = method.plan(columns, rows, policy, history.releases)
    _refuse_chosen_bounds(columns, policy, method, history)
    _refuse_telling_means(columns, policy, method, history)
    return Plan(data, columns, rows, policy, method, history)


def _refuse_chosen_bounds(columns: Columns, policy: Policy, method: Method, history: EarlierReleases) -> None:
    """Refuse bounds that depend on sensitive values where a claim would have to account for them."""
    bounded = [column.name for column in columns.sensitive if column.steer.tails is not None]
    if not bounded:
        return
    rests = [model.name for model in policy if model.basis == "process"]
    if covers_algorithm(method, policy) and not policy.ignores_values:
        rests += [method.name]
    if history.releases or history.ledger is not None:
        why = "they would differ from release to release"
    elif rests:
        why = f"{rests[0]} covers an adversary who knows how they were chosen"
    else:
        return
    raise PolicyError(
        f"The bounds of {bounded[0]!r} cannot be chosen by its values (tails): {why}.",
        code="policy.tails",
        hint="Give the column a bottom and a top that do not depend on the table.",
    )


def _refuse_telling_means(columns: Columns, policy: Policy, method: Method, history: EarlierReleases) -> None:
    """Refuse group means where they would tell more: of few people, of rows of one person, who is withheld, or who came
    between two releases."""
    named = [column.name for column in columns.quasi if column.steer.mean is not None]
    if not named:
        return
    smallest = policy.smallest() // policy.rows_per_person
    if policy.rows_per_person > 1:
        why, hint = "people have several rows", option("rows_per_person", 1)
    elif smallest < FEWEST_IN_MEAN:
        why = f"the policy allows groups of {smallest}, and a mean of fewer than {FEWEST_IN_MEAN} people tells too much"
        hint = f"ask for groups of at least {FEWEST_IN_MEAN}"
    elif columns.quasi_sets:
        why, hint = "somebody may know only one of several sets of columns", f"leave {option('quasi_sets')} out"
    elif getattr(method, "suppression", 0):
        why, hint = "means tell which people are withheld", f"withhold nobody ({parameter('suppression', 0)})"
    elif history.releases or history.ledger is not None:
        why, hint = "the means of two releases tell the values of whoever came or left", "publish without them"
    else:
        return
    raise PolicyError(
        f"No group means of {named[0]!r} can be published: {why}.",
        code="policy.mean",
        hint=f"Leave the mean out, or {hint}.",
    )


def check_request(columns: Columns, rows: Table, policy: Policy, method: Method) -> Columns:
    """Raise SpecError where table, policy and method do not fit; and return the columns as the method needs them."""
    if isinstance(method, CompletesHierarchies):
        columns = method.complete_hierarchies(columns, rows)
    policy.check(columns)
    method.check(columns, policy)
    return columns


def default_method(policy: Policy) -> Method:
    """Build the method that serves a policy best: each model names one, and the first model decides."""
    return narrow_type(Method, build_plugin("methods", policy.models[0].method, {}))


def partition_rows(plan: Plan) -> tuple[Parts, PartTask]:
    """Cut a large table into parts that are published one by one, where the method can; else there is one part."""
    tree = None
    method, columns, policy = plan.method, plan.columns, plan.policy
    if isinstance(method, Partitionable) and method.works_in_parts and method.may_be_divided(columns, policy):
        tree = plan_partition(columns, plan.rows, policy, method)
    parts = plan.rows.parts(tree) if tree is not None else plan.rows.collect().parts(None)
    return parts, PartTask(plan.policy, plan.method, people_before(tree))
