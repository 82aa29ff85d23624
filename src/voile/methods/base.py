"""The contract of a method: how people are grouped, and how each group is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from voile.adversaries.adversary import join_phrases
from voile.adversaries.ledger import SeatHistory
from voile.adversaries.prior import Prior
from voile.adversaries.replayed_beliefs import ReplayedBeliefs
from voile.adversaries.seating import Seating
from voile.errors import DataError, PolicyError, SpecError, option, raise_together
from voile.models.abilities import needs_one_row
from voile.models.base import Model
from voile.models.kinds import SpansReleases
from voile.models.policy import Policy
from voile.plugins.registry import Plugin
from voile.releases.certificate import Claim
from voile.releases.release import Release, find_shape
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata
from voile.tables.row_protocol import Rows, Table
from voile.tables.schema import Column, Columns

Settings = tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Method(Plugin):
    """An algorithm that publishes a table. The policy says what must hold; the fields of a method are knobs only.

    A method defines `group` and `show`, and overrides the other four verbs if it needs to. Abilities that only some
    methods have are mixins, below.
    """

    family: ClassVar[str] = "methods"
    produces: ClassVar[str] = "generalized"
    tried: ClassVar[Settings] = ({},)  # the settings of its knobs that a comparison tries

    removes_values: ClassVar[bool] = False  # whether nobody may have some value any more, so that it is not mentioned

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            find_shape(self.produces)
        except DataError:
            raise _wrong_shape(self, "there is no such shape") from None

    @property
    def indicator_labels(self) -> tuple[str, ...]:
        """What the release shows if it says of sensitive values only whether they are protected; else nothing."""
        return ()

    def check(self, columns: Columns, policy: Policy) -> None:
        """Raise PolicyError if this method cannot serve the policy."""
        if policy.rows_per_person > 1 and not find_shape(self.produces).serves_several_rows:
            raise needs_one_row(
                self.name,
                f"in {self.produces} tables the rows of one person can be recognised in several groups, and what these "
                "groups list can be intersected",
            )
        if columns.weight is not None and not find_shape(self.produces).shows_boxes:
            raise PolicyError(
                f"{self.name} publishes {self.produces} tables, which would show the survey weight "
                f"{columns.weight.name!r} exactly, and an exact weight tells who somebody is.",
                code="policy.weight",
                hint=f"Withhold it ({option('withhold_weight', True)}), or use {option('method', 'mondrian')}.",
            )
        steered = [column.name for column in columns.quasi if column.steer.steers_loss]
        if steered and not isinstance(self, Steerable):
            raise PolicyError(
                f"{self.name} cannot follow the wishes for {join_phrases(map(repr, steered))}: it knows no weights, "
                "levels, ranks or means of single columns.",
                code="policy.steering",
                hint=f"Use {option('method', 'mondrian')}, or only code values.",
            )
        if columns.quasi_sets and not isinstance(self, JudgesSets):
            raise PolicyError(
                f"{self.name} cannot keep a promise for each of several sets of quasi-identifiers.",
                code="policy.quasi-sets",
                hint=f"Use {option('method', 'mondrian')} or {option('method', 'full-domain')}, or name no sets.",
            )
        judged = [column for model in policy for column in model.targets(columns) if column is not None]
        coded = [column.name for column in judged if column.steer.is_coded and self.indicator_labels]
        if coded:
            raise PolicyError(
                f"{self.name} shows only whether a value of {coded[0]!r} is protected, so it cannot say how "
                "values were coded.",
                code="policy.steering",
                hint="Code the column before the table is read, and name the coded values as protected.",
            )
        raise_together(
            PolicyError(
                f"{self.name} cannot promise {model.name}, which rests on how a release is made.",
                code="policy.method",
                hint=f"Use {option('method', model.method)} for {model.name}.",
            )
            for model in policy
            if model.basis == "process" and model.method != self.name
        )
        raise_together(
            PolicyError(
                f"{self.name} publishes {self.produces} tables, for which {model.name} has no meaning.",
                code="policy.method",
                hint=f"Use {option('method', model.method)} for {model.name}.",
            )
            for model in policy
            if self.produces not in model.shapes
        )

    def plan(self, columns: Columns, rows: Table, policy: Policy, earlier: Sequence[Release]) -> tuple[Method, Policy]:
        """Return the method with the knobs filled in that follow from the policy, the table and earlier releases of the
        same people; and the policy, narrowed to what the method promises if its knobs make it promise less."""
        return self, policy

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        """Put every row into a group, or withhold it."""
        raise NotImplementedError  # pragma: no cover - every method defines it

    def transform(self, columns: Columns, rows: Rows, policy: Policy) -> tuple[Columns, Rows]:
        """Change the values of grouped rows, or make sensitive values coarser. By default nothing changes."""
        return columns, rows

    @property
    def transforms_rows(self) -> bool:
        """Whether grouped rows are published in another form. A method that has `transform` for rare requests alone
        says when."""
        return type(self).transform is not Method.transform

    def show(self, columns: Columns, rows: Rows) -> Release:
        """Build the published tables from grouped rows."""
        raise NotImplementedError  # pragma: no cover - every method defines it

    def claims(self, columns: Columns, policy: Policy, release: Release) -> tuple[Claim, ...]:
        """Return the claims of the release: those of the policy, unless the method states another level."""
        return policy.claims(columns)


class KeepsSeats:
    """A method that seats people as they sat in earlier releases, which the publisher's ledger tells.

    With a ledger its rows have the column PERSON, `take_seats` is called before `plan`, and `list_seats` after the
    release is made. Without a ledger (and then without earlier releases) neither is called.
    """

    tried_later: ClassVar[Settings] = ()  # further settings that a comparison with a ledger tries

    def take_seats(self, history: SeatHistory) -> Method:
        """Return the method with the seats that people had before."""
        raise NotImplementedError  # pragma: no cover - every method of this kind defines it

    def list_seats(self, release: Release, rows: Rows, pseudonyms: np.ndarray) -> Seating:
        """Return everybody's seat in the new release, also of people who left and whose seats stay. `rows` are the
        grouped rows, whose column PERSON numbers the pseudonyms."""
        raise NotImplementedError  # pragma: no cover - every method of this kind defines it


def require_shape(method: Method, release: Release) -> Release:
    """Return a release that a method shows; raise SpecError if it has another shape than the method says."""
    if release.shape != method.produces:
        raise _wrong_shape(method, f"it shows {release.shape} ones")
    return release


def _wrong_shape(method: Method, why: str) -> SpecError:
    return SpecError(
        f"The method {method.name!r} says that it produces {method.produces!r} tables, but {why}.",
        code="spec.plugin-shape",
        hint="Set `produces` of its class to the shape of the release that its `show` returns.",
    )


class CoversAlgorithm:
    """A method whose claims may also hold against an adversary who knows the method and its parameters.

    Most methods look at values, and then what they did not do tells something. So only a method that has a proof is of
    this kind; `voile.testing.check_claim` looks for a counterexample.
    """

    def covers_algorithm(self, policy: Policy) -> bool:
        """Return whether the claims of a release under this policy hold against such an adversary.

        The models are as claims state them: whoever verifies a release asks again, with nothing but the certificate.
        """
        raise NotImplementedError  # pragma: no cover - every method of this kind defines it


def covers_algorithm(method: Method, policy: Policy) -> bool:
    """Return whether the claims of a method hold against an adversary who knows it: not unless its own class says so.
    What a class inherits was said about another algorithm."""
    spans = any(isinstance(model, SpansReleases) and model.earlier for model in policy)  # type: ignore[attr-defined]
    if spans and not isinstance(method, KeepsSeats):
        return False  # what is refused because of earlier releases tells something
    says_so = isinstance(method, CoversAlgorithm) and "covers_algorithm" in vars(type(method))
    return says_so and method.covers_algorithm(policy)  # type: ignore[attr-defined]


class FormsGroupsAgain:
    """A method whose groups anybody who has the statistics can form again, from what is published."""

    def forms_same_groups(self, release: Release, model: Model) -> bool:
        """Return whether the published people, under a model with its prior, give the published groups."""
        raise NotImplementedError  # pragma: no cover - every method of this kind defines it


class ShowsItsKnobs:
    """A method some of whose knobs a stranger can compare with the release that states them."""

    def contradictions(self, release: Release) -> list[str]:
        """Return what the knobs say that the release contradicts."""
        raise NotImplementedError  # pragma: no cover - every method of this kind defines it


class CompletesHierarchies:
    """A method that needs a hierarchy for every quasi-identifier column, and builds the missing ones."""

    def complete_hierarchies(self, columns: Columns, rows: Table) -> Columns:
        """Return the columns, with a hierarchy for every quasi-identifier column."""
        raise NotImplementedError  # pragma: no cover - every method of this kind defines it


class Steerable:
    """A method that follows the publisher's wishes for single columns: weights, levels and ranks."""


class JudgesSets:
    """A method that keeps a promise for each of several sets of quasi-identifier columns."""


class Partitionable:
    """A method that can publish a large table part by part, each part on its own."""

    @property
    def works_in_parts(self) -> bool:
        """Whether it can with these knobs: a method that relies on another one may have to ask it."""
        return True

    def may_be_divided(self, columns: Columns, policy: Policy) -> bool:
        """Return whether these columns may be cut: people below one node of a coarsest level must stay together, and so
        must the people of a group whose mean is published."""
        return all(column.steer.coarsest is None and column.steer.mean is None for column in columns.quasi)

    def watched_columns(self, columns: Columns, policy: Policy) -> list[Column]:
        """Return the sensitive columns to look at before a large table is cut: those that the policy reads. A promise
        that rests on random choices must not depend on the values, so then there are none."""
        return [] if policy.rests_on_draws else policy.columns_read(columns)

    def can_stand_alone(self, columns: Columns, policy: Policy, tallies: Mapping[str, Counts]) -> np.ndarray:
        """Return whether each part of a large table could be published on its own, given its sensitive values."""
        sizes = next(iter(tallies.values())).sizes
        return policy.holds(columns, tallies, sizes)


class FollowsNoKey:
    """A method that uses no key: the same table always gives the same groups, so anybody can run it again."""


class Replayable:
    """A method that an adversary can replay, to find out who can have caused the published groups."""

    def replayed_beliefs(
        self, release: Release, model: Model, prior: Prior, table: Microdata | None = None
    ) -> ReplayedBeliefs | None:
        """Return, for each entry of the members, how strongly an adversary who knows the statistics and replays this
        method believes in a protected value, exactly or as an upper bound; None if that is not known. The `table` tells
        who is missing."""
        raise NotImplementedError  # pragma: no cover - every method of this kind defines it


class WarnsOfAbsence:
    """A method that withholds rows because of their values, so that a missing person tells something."""

    def warn_of_absence(self, release: Release) -> str:
        """Say in one sentence who can be recognised by being missing from a release; empty if nobody is."""
        raise NotImplementedError  # pragma: no cover - every method of this kind defines it


def complete_promise(method: Method, release: Release, promise: str) -> str:
    """Add to a promise what the method must say about missing people; whoever verifies the release adds the same."""
    warning = method.warn_of_absence(release) if isinstance(method, WarnsOfAbsence) else ""
    return f"{promise} {warning}" if warning else promise
