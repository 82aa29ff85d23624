"""Faults in how a schema tells people apart, weighs rows, names guarding nodes, confirms columns that are published as
they are, and steers columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from voile.errors import SchemaError, option


def is_column_name(name: str) -> bool:
    """Whether a column can have this name: it is not empty, and libraries take it for no pattern of names.

    >>> [is_column_name(name) for name in ("age", "", "*", "^a.*$", "a*")]
    [True, False, False, False, True]
    """
    return bool(name) and name != "*" and not (name.startswith("^") and name.endswith("$"))


def name_faults(names: Iterable[str]) -> Iterator[SchemaError]:
    """Yield the names that no column can have."""
    for name in dict.fromkeys(names):
        if not is_column_name(name):
            yield SchemaError(
                f"A column cannot be named {name!r}.",
                code="schema.name",
                hint="Rename the column: a name is not empty, not *, and does not begin with ^ and end with $.",
            )


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


def steering_faults(
    steering: Mapping[str, Any], known: Sequence[str], sensitive: Sequence[str], domains: Mapping[str, Any]
) -> Iterator[SchemaError]:
    """Yield the wishes that only a quasi-identifier or only a sensitive column can have, and say where no column
    matters."""
    for name, steer in steering.items():
        if steer.tails is not None and (name not in sensitive or name in domains):
            why = "its domain is declared" if name in sensitive else "it is not sensitive"
            yield SchemaError(
                f"The tails of column {name!r} cannot be bounded by its values: {why}.",
                code="schema.steering",
                hint="Give it a bottom and a top instead.",
            )
        if steer.steers_loss and name not in known:
            yield SchemaError(
                f"Column {name!r} is not coarsened, so it has no weight, levels, ranks or means.",
                code="schema.steering",
                hint=f"Mark it {option('quasi', [name])}, or only code its values.",
            )
    if known and all(name in steering and steering[name].weight == 0 for name in known):
        yield SchemaError(
            "Every quasi-identifier column has the weight 0.",
            code="schema.steering",
            hint="Give at least one column a weight above 0.",
        )


def parse_quasi_sets(sets: Any) -> tuple[tuple[str, ...], ...] | None:
    """Return sets of columns as tuples; None if they are no lists of names."""
    if isinstance(sets, str) or not isinstance(sets, Sequence):
        return None
    if not all(isinstance(names, Sequence) and not isinstance(names, str) for names in sets):
        return None
    if not all(isinstance(name, str) for names in sets for name in names):
        return None
    return tuple(tuple(dict.fromkeys(names)) for names in sets)


def quasi_set_faults(sets: Sequence[Sequence[str]], known: Sequence[str], person: str | None) -> Iterator[SchemaError]:
    """Yield what is wrong with sets of quasi-identifier columns: together they are all of them, and none is part of
    another."""
    if not sets:
        return
    hint = f"Every column of {option('quasi')} is in at least one set, and no set lies within another."
    listed = {name for names in sets for name in names}
    for name in sorted(listed - set(known)):
        yield SchemaError(
            f"quasi_sets names {name!r}, which is not a quasi-identifier.", code="schema.quasi-sets", hint=hint
        )
    for name in known:
        if name not in listed:
            yield SchemaError(f"Column {name!r} is in none of the quasi_sets.", code="schema.quasi-sets", hint=hint)
    nested = any(set(one) <= set(other) for one, other in permutations(sets, 2))
    if nested or len(sets) < 2 or not all(sets):
        yield SchemaError(
            "quasi_sets must be at least two sets, none of which lies within another.",
            code="schema.quasi-sets",
            hint=hint,
        )
    if person is not None:
        yield SchemaError(
            "Sets of quasi-identifiers need a table with one row per person.",
            code="schema.quasi-sets",
            hint=f"Leave {option('person')} out.",
        )


def value_faults(kinds: Mapping[str, str], known: Sequence[str], missing: str) -> Iterator[SchemaError]:
    """Yield unknown kinds of columns, and an unknown meaning of missing cells."""
    for name, kind in kinds.items():
        if kind not in known:
            yield SchemaError(
                f"Column {name!r} has the unknown kind {kind!r}.",
                code="schema.kind",
                hint="Kinds are " + ", ".join(known) + ".",
            )
    if missing not in ("error", "drop", "value"):
        yield SchemaError(
            f"missing = {missing!r} is not known.", code="schema.missing", hint="Use error, drop or value."
        )
