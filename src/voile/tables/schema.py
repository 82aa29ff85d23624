"""The roles of the columns. A user writes a `Schema`; reading the table with it gives `Columns`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from voile.errors import SchemaError, SpecError, option, raise_together
from voile.tables.domain import KINDS, Domain
from voile.tables.hierarchy import Hierarchy
from voile.tables.role_faults import (
    confirmation_faults,
    guarding_faults,
    name_faults,
    parse_quasi_sets,
    person_faults,
    quasi_set_faults,
    steering_faults,
    value_faults,
    weight_faults,
)
from voile.tables.steering.steer import USUAL, Steer, parse_steering

ROLES = ("identifier", "quasi", "sensitive", "other")


@dataclass(frozen=True, repr=False)
class Schema:
    """Roles of the columns by name. A column without a role is not read and never published.

    `kinds` and `domains` override the inferred ones (a declared domain also fixes the order of an ordered column),
    `hierarchies` takes recipes such as `prefixes(5, 3, 1)`, nested dicts, or the path of a CSV. `person` names the
    column that identifies people; it may also be an identifier, and is never published. Of each person at most
    `rows_per_person` rows are published. `rows_are="people"` says that every row is a person of its own although values
    of an identifier repeat, as with a name that different people share.

    `weight` names a survey weight: how many people of the population a row stands for. It is coarsened like a
    quasi-identifier, because an exact weight tells who somebody is; with `withhold_weight` it only serves to measure.
    `confirmed` lists columns of `other` that are published as they are although nearly every row has its own value.
    `guarding` names, for a sensitive column, the column that holds the node which each person guards (personalized
    privacy); it is never published. `steering` has the publisher's wishes for single columns (`Steer`). `quasi_sets`
    are sets of quasi-identifier columns of which an adversary knows only one: each promise is made for each set.

    >>> Schema(quasi=["age", "zip"], sensitive=["disease"]).names()
    ('age', 'zip', 'disease')
    """

    quasi: Sequence[str] = ()
    sensitive: Sequence[str] = ()
    identifier: Sequence[str] = ()
    other: Sequence[str] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    domains: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    missing: str = "error"
    person: str | None = None
    rows_per_person: int = 1
    rows_are: str | None = None
    weight: str | None = None
    withhold_weight: bool = False
    confirmed: Sequence[str] = ()
    guarding: Mapping[str, str] = field(default_factory=dict)
    steering: Mapping[str, Steer | Mapping[str, Any]] = field(default_factory=dict)
    quasi_sets: Sequence[Sequence[str]] = ()

    def __post_init__(self) -> None:
        problems = self._check_types()
        raise_together(problems)
        used: dict[str, str] = {}
        for role in ROLES:
            for name in getattr(self, role):
                if name in used:
                    roles = used[name] if used[name] == role else f"{used[name]} and {role}"
                    problems.append(
                        SchemaError(f"Column {name!r} is listed twice ({roles}).", code="schema.role-twice")
                    )
                used[name] = role
        problems += name_faults([*used, *(name for name in (self.person, self.weight) if name is not None)])
        if not self.quasi:
            problems.append(
                SchemaError(
                    "The schema names no quasi-identifier.",
                    code="schema.no-quasi",
                    hint=f"Name the columns that an adversary may know, e.g. {option('quasi', ['age', 'zip'])}.",
                )
            )
        problems += person_faults(self.person, self.rows_per_person, self.rows_are, used)
        told = {**used, self.person: "person"} if self.person is not None else used
        problems += weight_faults(self.weight, self.withhold_weight, self.kinds.get(self.weight or ""), told)
        problems += confirmation_faults(self.confirmed, self.other)
        told = {**told, self.weight: "weight"} if self.weight is not None else told
        problems += guarding_faults(self.guarding, self.sensitive, self.rows_per_person, told)
        if self.weight is not None and not self.withhold_weight:
            used.setdefault(self.weight, "weight")
        problems += steering_faults(self.steering, self.known_columns(), self.sensitive, self.domains)
        problems += quasi_set_faults(self.quasi_sets, self.known_columns(), self.person)
        for what in ("kinds", "domains", "hierarchies", "steering"):
            for name in getattr(self, what):
                if name not in used or used[name] == "identifier":
                    problems.append(
                        SchemaError(
                            f"{what} names {name!r}, which is not a published column of the schema.",
                            code="schema.unknown-column",
                            hint=suggest_name(name, used),
                        )
                    )
        problems += value_faults(self.kinds, KINDS, self.missing)
        raise_together(problems)

    def _check_types(self) -> list[SpecError]:
        """Return the problems of parts that have the wrong type; turn the roles into tuples of names."""
        problems: list[SpecError] = []
        for role in (*ROLES, "confirmed"):
            value = getattr(self, role)
            names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else (None,)
            if all(isinstance(name, str) for name in names):
                object.__setattr__(self, role, names)
            else:
                problems.append(SchemaError(f"{role} must be a list of column names.", code="schema.type"))
        sets = parse_quasi_sets(self.quasi_sets)
        if sets is None:
            problems.append(SchemaError("quasi_sets must be a list of lists of column names.", code="schema.type"))
        object.__setattr__(self, "quasi_sets", sets or ())
        for role in ("person", "weight"):
            if not isinstance(getattr(self, role), str | None):
                problems.append(SchemaError(f"{role} must be the name of one column.", code="schema.type"))
        if type(self.withhold_weight) is not bool:
            problems.append(SchemaError("withhold_weight must be true or false.", code="schema.type"))
        if type(self.rows_per_person) is not int:
            problems.append(SchemaError("rows_per_person must be a whole number.", code="schema.type"))
        if self.rows_are is not None and not isinstance(self.rows_are, str):
            problems.append(SchemaError("rows_are must be a word.", code="schema.type"))
        for what in ("kinds", "domains", "hierarchies", "guarding", "steering"):
            if not isinstance(getattr(self, what), Mapping):
                problems.append(SchemaError(f"{what} must map column names, e.g. {{'age': ...}}.", code="schema.type"))
        if isinstance(self.steering, Mapping):
            steering, faults = parse_steering(self.steering)
            object.__setattr__(self, "steering", steering)
            problems += faults
        guards = self.guarding.values() if isinstance(self.guarding, Mapping) else ()
        if not all(isinstance(name, str) for name in guards):
            problems.append(SchemaError("guarding must name one column per sensitive column.", code="schema.type"))
        if isinstance(self.domains, Mapping):
            problems += [
                SchemaError(f"The declared domain of {name!r} must be a list of values.", code="schema.type")
                for name, listed in self.domains.items()
                if isinstance(listed, (str, bytes)) or not isinstance(listed, Iterable)
            ]
        return problems

    def steer(self, name: str) -> Steer:
        """Return the wishes for a column."""
        return self.steering.get(name, USUAL)  # type: ignore[return-value]  # parsed above

    def __repr__(self) -> str:
        """Show the roles, and only the number of declared kinds, domains and hierarchies."""
        parts = [f"{role}={list(getattr(self, role))}" for role in ROLES if getattr(self, role)]
        parts += [f"person={self.person!r}"] if self.person is not None else []
        parts += [f"rows_per_person={self.rows_per_person}"] if self.rows_per_person > 1 else []
        parts += [f"rows_are={self.rows_are!r}"] if self.rows_are is not None else []
        parts += [f"weight={self.weight!r}"] if self.weight is not None else []
        parts += ["withhold_weight=True"] if self.withhold_weight else []
        parts += [f"confirmed={list(self.confirmed)}"] if self.confirmed else []
        parts += [f"guarding={dict(self.guarding)}"] if self.guarding else []
        parts += [f"{what} of {len(getattr(self, what))}" for what in ("kinds", "domains", "hierarchies", "steering")]
        return f"Schema({', '.join(part for part in parts if not part.endswith(' of 0'))}, missing={self.missing!r})"

    def names(self) -> tuple[str, ...]:
        """Return the columns that may be published, in order."""
        return (*self.known_columns(), *self.sensitive, *self.other)

    def known_columns(self) -> tuple[str, ...]:
        """Return the columns that an adversary may know: quasi-identifiers, and a survey weight that is published."""
        return (*self.quasi, *([self.weight] if self.weight is not None and not self.withhold_weight else []))

    def ordered_sets(self) -> tuple[tuple[str, ...], ...]:
        """Return the sets of quasi-identifier columns, each in the order of the columns."""
        return tuple(tuple(name for name in self.known_columns() if name in names) for names in self.quasi_sets)

    def coded_names(self) -> tuple[str, ...]:
        """Return the columns that are coded: those that may be published, then a survey weight that is withheld, then
        the guarding nodes."""
        weight = [self.weight] if self.weight is not None and self.withhold_weight else []
        return (*self.names(), *weight, *self.guarding.values())

    def compared_identifiers(self) -> tuple[str, ...]:
        """The identifiers that are compared with the rows: all, unless the schema tells whose a row is. Beside a person
        column that may number cases, those that are numbers of people."""
        if self.person is None:
            return tuple(self.identifier) if self.rows_are is None else ()
        from voile.tables.roles.column_words import names_somebody  # its patterns take time, and few tables need them

        others = [name for name in self.identifier if name != self.person and names_somebody(name)]
        return (self.person, *others) if others and not names_somebody(self.person) else ()

    def read_names(self) -> tuple[str, ...]:
        """The columns that are read: those that may be published, and those that tell people apart."""
        person = () if self.person is None else (self.person,)
        return tuple(dict.fromkeys((*self.coded_names(), *person, *self.compared_identifiers())))

    def role(self, name: str) -> str:
        """Return the role of a column in a release; a survey weight is a quasi-identifier there."""
        return "quasi" if name == self.weight else next(role for role in ROLES if name in getattr(self, role))

    def check(self, present: Sequence[str]) -> None:
        """Raise an error for every named column that the table lacks."""
        person = () if self.person is None or self.person in self.identifier else (self.person,)
        absent = [name for name in (*self.identifier, *person, *self.coded_names()) if name not in present]
        raise_together(
            SchemaError(
                f"The table has no column {name!r}.", code="schema.unknown-column", hint=suggest_name(name, present)
            )
            for name in absent
        )


def suggest_name(name: str, known: Sequence[str] | Mapping[str, Any]) -> str:
    """Write a hint that names the most similar known name, or all of them."""
    near = difflib.get_close_matches(name, list(known), n=1)
    if near:
        return f"Did you mean {near[0]!r}?"
    if any(name[:1].isdigit() or not name.strip() for name in known):
        # if the header is missing, the names are somebody's cells: do not show them
        return f"It has {len(known)} columns, and the first line looks like data: does it name the columns?"
    return "It has: " + ", ".join(known) + "." if known else "There are none."


@dataclass(frozen=True, eq=False)
class Column:
    """A column whose values are known: role, kind, domain, a hierarchy if there is one, whether it is the survey
    weight, whether it tells of a sensitive value only if it is one of the protected ones (indicator), whether some
    values may have been replaced (altered), the publisher's wishes for it, and what a method has decided: the level at
    which everybody is shown, or for each group the wider group whose cell it shows."""

    name: str
    role: str
    domain: Domain
    hierarchy: Hierarchy | None = None
    weight: bool = False
    indicator: bool = False
    altered: bool = False
    steer: Steer = USUAL
    level: int | None = None
    cell_groups: np.ndarray | None = None

    @property
    def kind(self) -> str:
        return self.domain.kind

    @property
    def size(self) -> int:
        return self.domain.size

    @property
    def subject(self) -> Column:
        """The published column that this one is about: itself, except for guarding nodes."""
        return self


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of a table, by role. `guards` are the columns of guarding nodes, which only groups are judged by:
    they are not among the columns that may be published. An adversary knows the columns of one of the `quasi_sets`, or
    all if there are none."""

    quasi: tuple[Column, ...]
    sensitive: tuple[Column, ...]
    other: tuple[Column, ...]
    guards: tuple[Column, ...] = ()
    quasi_sets: tuple[tuple[str, ...], ...] = ()

    def __iter__(self) -> Iterator[Column]:
        return iter((*self.quasi, *self.sensitive, *self.other))

    @property
    def counted(self) -> tuple[Column, ...]:
        """The columns whose values are counted by group: the sensitive ones, and the guarding nodes."""
        return (*self.sensitive, *self.guards)

    @property
    def weight(self) -> Column | None:
        """The survey weight, if there is one that is published; it is also a quasi-identifier column."""
        return next((column for column in self.quasi if column.weight), None)

    def __getitem__(self, name: str) -> Column:
        for column in self:
            if column.name == name:
                return column
        raise SchemaError(
            f"There is no column {name!r}.",
            code="schema.unknown-column",
            hint=suggest_name(name, [column.name for column in self]),
        )
