"""The roles of the columns. A user writes a `Schema`; reading the table with it gives `Columns`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from voile.errors import SchemaError, SpecError, option, raise_together
from voile.tables.domain import KINDS, Domain
from voile.tables.hierarchy import Hierarchy, HierarchyRecipe

ROLES = ("identifier", "quasi", "sensitive", "other")


@dataclass(frozen=True, repr=False)
class Schema:
    """Roles of the columns by name. A column without a role is not read and never published.

    `kinds` and `domains` override the inferred ones (a declared domain also fixes the order of an ordered column),
    `hierarchies` takes recipes such as `prefixes(5, 3, 1)`, nested dicts, or the path of a CSV. `person` names the
    column that identifies people; it may also be an identifier, and is never published. Of each person at most
    `rows_per_person` rows are published. `rows_are="people"` says that every row is a person of its own although values
    of an identifier repeat, as with a name that different people share.

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
        if not self.quasi:
            problems.append(
                SchemaError(
                    "The schema names no quasi-identifier.",
                    code="schema.no-quasi",
                    hint=f"Name the columns that an adversary may know, e.g. {option('quasi', ['age', 'zip'])}.",
                )
            )
        problems += self._person_faults(used)
        for what in ("kinds", "domains", "hierarchies"):
            for name in getattr(self, what):
                if name not in used or used[name] == "identifier":
                    problems.append(
                        SchemaError(
                            f"{what} names {name!r}, which is not a published column of the schema.",
                            code="schema.unknown-column",
                            hint=suggest_name(name, used),
                        )
                    )
        for name, kind in self.kinds.items():
            if kind not in KINDS:
                problems.append(
                    SchemaError(
                        f"Column {name!r} has the unknown kind {kind!r}.",
                        code="schema.kind",
                        hint="Kinds are " + ", ".join(KINDS) + ".",
                    )
                )
        if self.missing not in ("error", "drop", "value"):
            problems.append(
                SchemaError(
                    f"missing = {self.missing!r} is not known.", code="schema.missing", hint="Use error, drop or value."
                )
            )
        raise_together(problems)

    def _person_faults(self, used: Mapping[str, str]) -> list[SpecError]:
        """Return the problems with how the schema tells people apart."""
        problems: list[SpecError] = []
        if self.person is not None and used.get(self.person, "identifier") != "identifier":
            problems.append(
                SchemaError(
                    f"Column {self.person!r} is listed twice ({used[self.person]} and person).",
                    code="schema.role-twice",
                    hint="The column that identifies people is never published, so it cannot have another role.",
                )
            )
        if self.rows_per_person < 1:
            problems.append(
                SchemaError(
                    f"rows_per_person = {self.rows_per_person} would publish nobody.",
                    code="schema.rows-per-person",
                    hint="Allow 1 row per person, or more.",
                )
            )
        if self.rows_per_person > 1 and self.person is None:
            problems.append(
                SchemaError(
                    f"rows_per_person = {self.rows_per_person} needs a column that identifies people.",
                    code="schema.rows-per-person",
                    hint=f"Name it, e.g. {option('person', 'patient_id')}.",
                )
            )
        if self.rows_are not in (None, "people"):
            problems.append(
                SchemaError(
                    f"rows_are = {self.rows_are!r} is not known.",
                    code="schema.rows-are",
                    hint=f"The only choice is {option('rows_are', 'people')}: every row is a person of its own.",
                )
            )
        if self.rows_are is not None and self.person is not None:
            problems.append(
                SchemaError(
                    "The schema says that every row is a person of its own, and also names a column that identifies "
                    "people.",
                    code="schema.rows-are",
                    hint=f"Keep {option('rows_are', self.rows_are)} or {option('person', self.person)}.",
                )
            )
        return problems

    def _check_types(self) -> list[SpecError]:
        """Return the problems of parts that have the wrong type; turn the roles into tuples of names."""
        problems: list[SpecError] = []
        for role in ROLES:
            value = getattr(self, role)
            names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else (None,)
            if all(isinstance(name, str) for name in names):
                object.__setattr__(self, role, names)
            else:
                problems.append(SchemaError(f"{role} must be a list of column names.", code="schema.type"))
        if self.person is not None and not isinstance(self.person, str):
            problems.append(SchemaError("person must be the name of one column.", code="schema.type"))
        if type(self.rows_per_person) is not int:
            problems.append(SchemaError("rows_per_person must be a whole number.", code="schema.type"))
        if self.rows_are is not None and not isinstance(self.rows_are, str):
            problems.append(SchemaError("rows_are must be a word.", code="schema.type"))
        for what in ("kinds", "domains", "hierarchies"):
            if not isinstance(getattr(self, what), Mapping):
                problems.append(SchemaError(f"{what} must map column names, e.g. {{'age': ...}}.", code="schema.type"))
        if isinstance(self.domains, Mapping):
            problems += [
                SchemaError(f"The declared domain of {name!r} must be a list of values.", code="schema.type")
                for name, listed in self.domains.items()
                if isinstance(listed, (str, bytes)) or not isinstance(listed, Iterable)
            ]
        return problems

    def __repr__(self) -> str:
        """Show the roles, and only the number of declared kinds, domains and hierarchies."""
        parts = [f"{role}={list(getattr(self, role))}" for role in ROLES if getattr(self, role)]
        parts += [f"person={self.person!r}"] if self.person is not None else []
        parts += [f"rows_per_person={self.rows_per_person}"] if self.rows_per_person > 1 else []
        parts += [f"rows_are={self.rows_are!r}"] if self.rows_are is not None else []
        parts += [f"{what} of {len(getattr(self, what))}" for what in ("kinds", "domains", "hierarchies")]
        return f"Schema({', '.join(part for part in parts if not part.endswith(' of 0'))}, missing={self.missing!r})"

    def names(self) -> tuple[str, ...]:
        """Return the columns that may be published, in order."""
        return (*self.quasi, *self.sensitive, *self.other)

    def compared_identifiers(self) -> tuple[str, ...]:
        """The identifiers whose values must differ from row to row: all, unless the schema tells whose a row is."""
        return tuple(self.identifier) if self.person is None and self.rows_are is None else ()

    def read_names(self) -> tuple[str, ...]:
        """The columns that are read: those that may be published, and those that tell people apart."""
        person = () if self.person is None else (self.person,)
        return (*self.names(), *person, *self.compared_identifiers())

    def role(self, name: str) -> str:
        return next(role for role in ROLES if name in getattr(self, role))

    def check(self, present: Sequence[str]) -> None:
        """Raise an error for every named column that the table lacks."""
        person = () if self.person is None or self.person in self.identifier else (self.person,)
        absent = [name for name in (*self.identifier, *person, *self.names()) if name not in present]
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
    """A column whose values are known: role, kind, domain, and a hierarchy if there is one."""

    name: str
    role: str
    domain: Domain
    hierarchy: Hierarchy | None = None

    @property
    def kind(self) -> str:
        return self.domain.kind

    @property
    def size(self) -> int:
        return self.domain.size


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of a table, by role."""

    quasi: tuple[Column, ...]
    sensitive: tuple[Column, ...]
    other: tuple[Column, ...]

    def __iter__(self) -> Iterator[Column]:
        return iter((*self.quasi, *self.sensitive, *self.other))

    def __getitem__(self, name: str) -> Column:
        for column in self:
            if column.name == name:
                return column
        raise SchemaError(
            f"There is no column {name!r}.",
            code="schema.unknown-column",
            hint=suggest_name(name, [column.name for column in self]),
        )

    def with_hierarchies(self, counts: Mapping[str, np.ndarray]) -> Columns:
        """Return the columns, with an automatic hierarchy for each quasi-identifier column that has none."""

        def add_hierarchy(column: Column) -> Column:
            if column.hierarchy is not None:
                return column
            recipe = HierarchyRecipe("auto")
            return replace(column, hierarchy=recipe.fit(column.name, column.domain, counts[column.name]))

        return replace(self, quasi=tuple(add_hierarchy(column) for column in self.quasi))
