"""Faults in how a schema tells people apart, weighs rows, names guarding nodes, confirms columns that are published as
they are, and steers columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from voile.errors import SchemaError, option
from voile.tables.steering.steer import Steer


def person_faults(
    person: str | None, rows_per_person: int, rows_are: str | None, used: Mapping[str, str]
) -> Iterator[SchemaError]:
    """Yield the problems with how a schema tells people apart; `used` gives the role of each column."""
    if person is not None and used.get(person, "identifier") != "identifier":
        yield SchemaError(
            f"Column {person!r} is listed twice ({used[person]} and person).",
            code="schema.role-twice",
            hint="The column that identifies people is never published, so it cannot have another role.",
        )
    if rows_per_person < 1:
        yield SchemaError(
            f"rows_per_person = {rows_per_person} would publish nobody.",
            code="schema.rows-per-person",
            hint="Allow 1 row per person, or more.",
        )
    if rows_per_person > 1 and person is None:
        yield SchemaError(
            f"rows_per_person = {rows_per_person} needs a column that identifies people.",
            code="schema.rows-per-person",
            hint=f"Name it, e.g. {option('person', 'patient_id')}.",
        )
    if rows_are not in (None, "people"):
        yield SchemaError(
            f"rows_are = {rows_are!r} is not known.",
            code="schema.rows-are",
            hint=f"The only choice is {option('rows_are', 'people')}: every row is a person of its own.",
        )
    if rows_are is not None and person is not None:
        yield SchemaError(
            "The schema says that every row is a person of its own, and also names a column that identifies people.",
            code="schema.rows-are",
            hint=f"Keep {option('rows_are', rows_are)} or {option('person', person)}.",
        )


def weight_faults(
    weight: str | None, withheld: bool, kind: str | None, used: Mapping[str, str]
) -> Iterator[SchemaError]:
    """Yield the problems with the survey weight of a schema: its name, whether it is withheld, its declared kind."""
    if weight is None:
        if withheld:
            yield SchemaError(
                "There is no survey weight to withhold.",
                code="schema.weight",
                hint=f"Name its column, e.g. {option('weight', 'wt')}.",
            )
        return
    if weight in used:
        yield SchemaError(
            f"Column {weight!r} is listed twice ({used[weight]} and weight).",
            code="schema.role-twice",
            hint="A survey weight counts as a quasi-identifier already, unless it is withheld.",
        )
    if kind not in (None, "numeric"):
        yield SchemaError(
            f"Column {weight!r} is a survey weight, so its kind is numeric and not {kind!r}.", code="schema.kind"
        )


def confirmation_faults(confirmed: Sequence[str], other: Sequence[str]) -> Iterator[SchemaError]:
    """Yield the confirmed columns that are not published as they are, so that there is nothing to confirm."""
    for name in confirmed:
        if name not in other:
            yield SchemaError(
                f"Column {name!r} is confirmed, but not among the columns that are published as they are.",
                code="schema.confirmed",
                hint=f"Only such columns ({option('other', [name])}) need to be confirmed.",
            )


def guarding_faults(
    guarding: Mapping[str, str], sensitive: Sequence[str], rows_per_person: int, used: Mapping[str, str]
) -> Iterator[SchemaError]:
    """Yield the problems with the columns of guarding nodes: whose nodes they are, and that they serve for nothing
    else."""
    for column, guard in guarding.items():
        if column not in sensitive:
            yield SchemaError(
                f"guarding names {column!r}, which is not a sensitive column.",
                code="schema.guarding",
                hint="People guard the values of a sensitive column.",
            )
        if guard in used:
            yield SchemaError(
                f"Column {guard!r} is listed twice ({used[guard]} and guarding).",
                code="schema.role-twice",
                hint="A column of guarding nodes is never published, so it cannot have another role.",
            )
    if len(set(guarding.values())) < len(guarding):
        yield SchemaError(
            "guarding names one column for several sensitive columns.",
            code="schema.guarding",
            hint="Each sensitive column needs guarding nodes of its own.",
        )
    if guarding and rows_per_person > 1:
        yield SchemaError(
            f"Guarding nodes need one row per person, and rows_per_person is {rows_per_person}.",
            code="schema.guarding",
            hint=f"Publish one row per person ({option('rows_per_person', 1)}).",
        )


def steering_faults(steering: Mapping[str, Steer], known: Sequence[str]) -> Iterator[SchemaError]:
    """Yield the wishes that only a quasi-identifier can have, and say where no column matters."""
    for name, steer in steering.items():
        if steer.steers_loss and name not in known:
            yield SchemaError(
                f"Column {name!r} is not coarsened, so it has no weight, levels or ranks.",
                code="schema.steering",
                hint=f"Mark it {option('quasi', [name])}, or only code its values.",
            )
    if known and all(name in steering and steering[name].weight == 0 for name in known):
        yield SchemaError(
            "Every quasi-identifier column has the weight 0.",
            code="schema.steering",
            hint="Give at least one column a weight above 0.",
        )
